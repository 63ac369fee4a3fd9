// Gives the operators' pages the landmarks and names that their theme leaves out.

// Earlier than the theme's scroll areas are made, which take their names from these attributes.
document.addEventListener("DOMContentLoaded", () => {
  set("#main", "role", "main");
  set("#nav-sidebar-inner", "aria-label", "Lists");
  set("#tabs-items", "aria-label", "Parts of this page");
  document.querySelectorAll("[data-simplebar]").forEach((area) => (area.dataset.simplebarAriaLabel = nameOf(area)));
  name();
  new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
});

function nameOf(area) {
  if (area.id === "nav-sidebar-apps") return "All lists";
  if (area.closest("#changelist-filter")) return "Filters";
  return area.closest("fieldset")?.querySelector("h2")?.textContent.trim() || "Rows";
}

// What scripts make: boxes to choose from, which come once the page is there, a row is added or one is opened.
function name() {
  document.querySelectorAll(".select2-hidden-accessible + .select2-container:not([data-named])").forEach((box) => {
    const label = box.previousElementSibling.labels[0];
    box.dataset.named = "";
    if (!label) return;
    label.id ||= `${label.htmlFor}-label`;
    const chosen = box.querySelector("[role=textbox]");
    box.querySelector("[role=combobox]").setAttribute("aria-labelledby", `${label.id} ${chosen?.id ?? ""}`.trim());
    chosen?.setAttribute("aria-labelledby", label.id);
    box.querySelector("[role=searchbox]")?.setAttribute("aria-labelledby", label.id);
  });
  document.querySelectorAll("[role=combobox][aria-owns]").forEach((box) => box.setAttribute("aria-controls", box.getAttribute("aria-owns")));
  set(".select2-dropdown", "role", "region");
  set(".select2-dropdown", "aria-label", "Choices");
  set(".select2-dropdown [role=searchbox]", "aria-label", "Search");
  set(".help-tooltip[aria-label]:not([role])", "role", "img");
}

function set(selector, attribute, value) {
  document.querySelectorAll(selector).forEach((element) => element.setAttribute(attribute, value));
}
