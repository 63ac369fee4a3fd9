// data-copies="id"    a button that copies the text of that element, and says so

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copies);
  const label = button.querySelector("[data-says]");
  label.textContent = (await copied(source)) ? "Copied" : "Press Ctrl C";
  setTimeout(() => (label.textContent = "Copy"), 2000);
});

// Browsers allow the clipboard only over https; elsewhere the text is selected.
async function copied(source) {
  getSelection().selectAllChildren(source);
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}
