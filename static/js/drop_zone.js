// Drop zones: files that are dropped on an area of the page, or chosen in its form, are sent at once.
//
//   data-drop="selector"    a form with a file field, for files that are dropped on the closest element of that kind

function zoneOf(event) {
  if (!event.dataTransfer?.types.includes("Files")) return null;
  for (const form of document.querySelectorAll("form[data-drop]")) {
    const area = event.target.closest?.(form.dataset.drop);
    if (area) return { form, area };
  }
  return null;
}

document.addEventListener("dragover", (event) => {
  const zone = zoneOf(event);
  if (!zone) return;
  event.preventDefault();
  zone.area.classList.add("dropping");
});
document.addEventListener("dragleave", (event) => {
  const zone = zoneOf(event);
  if (zone && !zone.area.contains(event.relatedTarget)) zone.area.classList.remove("dropping");
});
document.addEventListener("drop", (event) => {
  const zone = zoneOf(event);
  if (!zone) return;
  event.preventDefault();
  zone.area.classList.remove("dropping");
  zone.form.querySelector("[type=file]").files = event.dataTransfer.files;
  zone.form.requestSubmit();
});
document.addEventListener("change", ({ target }) => target.matches("form[data-drop] [type=file]") && target.form.requestSubmit());
