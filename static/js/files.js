// Files: dropping some on a folder uploads them, and what one has written is not lost by leaving the page.

const form = document.querySelector("[data-drop]");
const carries = (event) => form && event.dataTransfer?.types.includes("Files");
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
  form.querySelector("[type=file]").files = event.dataTransfer.files;
  form.submit();
});

let unsaved = false;
document.addEventListener("input", (event) => (unsaved ||= event.target.matches("[data-draft]")));
document.addEventListener("submit", () => (unsaved = false));
window.addEventListener("beforeunload", (event) => unsaved && event.preventDefault());
