// One memory's pages.
//
//   data-guarded    a form whose unsaved text is not left without asking
//   data-leaves     the way out of it, which Escape takes
//   data-merges     a field that two people changed: choosing one fills the result, writing chooses the result
//   data-drop       a form that files can be dropped on

const form = () => document.querySelector("form[data-guarded]");
const QUESTION = "Leave without saving what you wrote?";

function dirty(guarded) {
  return [...guarded.elements].some((field) =>
    field.type === "checkbox" || field.type === "radio" ? field.checked !== field.defaultChecked
    : field.options ? [...field.options].some((option) => option.selected !== option.defaultSelected) && field.selectedIndex > 0
    : field.type !== "hidden" && field.defaultValue !== undefined && field.value !== field.defaultValue);
}

// Escape first leaves the field, then the form.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open]") || event.target.closest("input, textarea, select")) return;
  form()?.querySelector("[data-leaves]")?.click();
});
document.addEventListener("click", (event) => {
  const leaving = event.target.closest("[data-leaves]");
  if (!leaving || !form() || !dirty(form())) return;
  if (window.confirm(QUESTION)) saved = true;
  else {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}, true);

let saved = false;
document.addEventListener("submit", (event) => event.target.matches("[data-guarded]") && (saved = true), true);
document.addEventListener("htmx:after:swap", () => (saved = false));
window.addEventListener("beforeunload", (event) => !saved && form() && dirty(form()) && event.preventDefault());

// The merge screen.
document.addEventListener("change", (event) => {
  const { target } = event;
  const field = target.closest("[data-merges]");
  if (!field || !target.name.startsWith("choice-")) return;
  const name = target.name.slice("choice-".length);
  const source = field.querySelector(`[name="${target.value}-${name}"]`);
  const result = field.querySelector(`[name="${name}"]`);
  if (!source) return;
  if (result.type === "checkbox") result.checked = source.value !== "";
  else result.value = source.value;
});
document.addEventListener("input", (event) => {
  const field = event.target.closest("[data-merges]");
  if (field && !event.target.name.startsWith("choice-")) field.querySelector('[value="result"]').checked = true;
});

// Attachments: dropped or chosen, they are sent at once.
const drop = (event) => event.target.closest?.("[data-drop]") ?? (event.target.closest?.("#attachments") && document.querySelector("[data-drop]"));
for (const name of ["dragenter", "dragover"]) {
  document.addEventListener(name, (event) => {
    if (!drop(event)) return;
    event.preventDefault();
    drop(event).classList.add("over");
  });
}
document.addEventListener("dragleave", (event) => drop(event)?.classList.remove("over"));
document.addEventListener("drop", (event) => {
  const onto = drop(event);
  if (!onto || !event.dataTransfer.files.length) return;
  event.preventDefault();
  onto.querySelector("[type=file]").files = event.dataTransfer.files;
  onto.classList.remove("over");
  onto.requestSubmit();
});
document.addEventListener("change", (event) => event.target.matches("[data-drop] [type=file]") && event.target.form.requestSubmit());
