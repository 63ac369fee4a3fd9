// Files: dropping some on a folder uploads them, and what one writes is measured, and not lost by leaving the page.

const form = () => document.querySelector("[data-drop]");
const carries = (event) => form() && event.dataTransfer?.types.includes("Files");
document.addEventListener("dragover", (event) => {
  if (!carries(event)) return;
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  if (!carries(event)) return;
  event.preventDefault();
  document.body.classList.remove("dropping");
  form().querySelector("[type=file]").files = event.dataTransfer.files;
  form().requestSubmit();
});

// How large it gets.
const text = document.querySelector("[data-draft]");
const measured = document.querySelector("[data-measured]");
function measure() {
  const size = new Blob([text.value]).size;
  const meter = measured.querySelector("meter");
  meter.value = size;
  measured.querySelector("output").textContent = `${Math.ceil(size / 1024).toLocaleString("en")} of ${meter.max / 1024} KB`;
}
if (text && measured) {
  measured.hidden = false;
  text.addEventListener("input", measure);
  measure();
}

let unsaved = document.querySelector("[data-unsaved]") !== null;
document.addEventListener("input", (event) => (unsaved ||= event.target.matches("[data-draft]")));
document.addEventListener("submit", () => (unsaved = false));
window.addEventListener("beforeunload", (event) => unsaved && event.preventDefault());
