// The core memory's pages: copying a block, and a warning before unsaved words are lost.
//
//   data-copies="id"   a button that copies that element's text
//   data-guards        a form that one should not leave by accident

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copies);
  getSelection().selectAllChildren(source);
  const copied = await navigator.clipboard?.writeText(source.textContent).then(() => true, () => false);
  button.querySelector("span").textContent = copied ? "Copied" : "Selected: press Ctrl C";
});

const guarded = document.querySelector("[data-guards]");
const words = () => guarded?.elements.content.value;
const begun = words();
let sent = false;
guarded?.addEventListener("submit", () => (sent = true));
addEventListener("beforeunload", (event) => words() !== begun && !sent && event.preventDefault());
