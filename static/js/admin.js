// Add the landmarks, accessible names and keys that the admin theme leaves out.

const PRESSED = "[x-on\\:click]:not(a[href], button, input, #changelist-filter-close)"; // but no button
const REACHED = "a[href], button, input:not([type=hidden]), select, textarea, [tabindex='0']";
const ICON = ".material-symbols-outlined";
// Labels of buttons that only have an icon.
const ICONS = { dock_to_right: "Side menu", close: "Close", more_horiz: "More", more_vert: "More", search: "Search" };

// Before the theme creates its scroll areas, which take their names from these attributes.
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

// Select boxes that scripts create after the page has loaded, a row is added or one is opened.
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
  set(PRESSED, "role", "button");
  set(PRESSED, "tabindex", "0");
  set(`${ICON}:not(${PRESSED})`, "aria-hidden", "true");
  document.querySelectorAll(ICON).forEach((icon) => {
    const button = icon.closest("a, button, [role=button]");
    const said = icon.textContent.trim();
    if (button?.textContent.trim() === said && said in ICONS) button.setAttribute("aria-label", ICONS[said]);
  });
}

// Keyboard access to controls that are not buttons; Escape closes what they open and returns the focus.
let opener;

document.addEventListener("keydown", (event) => {
  if (["Enter", " "].includes(event.key) && event.target.matches(PRESSED)) press(event);
  if (event.key === "Escape" && opener) {
    document.body.click();
    opener.focus();
    opener = undefined;
  }
});

function press(event) {
  const before = new Set(reached());
  event.preventDefault();
  event.target.click();
  focusOpened(event.target, before, performance.now() + 1000);
}

// Focus the first of what has opened, as soon as it is shown: a busy machine takes its time.
function focusOpened(pressed, before, until) {
  const first = reached().find((element) => !before.has(element));
  if (first) {
    opener = pressed;
    first.focus();
  } else if (performance.now() < until) setTimeout(() => focusOpened(pressed, before, until), 50);
}

function reached() {
  return [...document.querySelectorAll(REACHED)].filter((element) => element.checkVisibility({ visibilityProperty: true }));
}

function set(selector, attribute, value) {
  document.querySelectorAll(selector).forEach((element) => element.setAttribute(attribute, value));
}

// Drafts of the team's pages (guard.js) do not outlast the session here either.
document.addEventListener("submit", ({ target }) => {
  if (target.id !== "logout-form") return;
  Object.keys(localStorage).filter((name) => name.startsWith("draft:")).forEach((name) => localStorage.removeItem(name));
});
