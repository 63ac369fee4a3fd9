// Row selection: the count, all of a page at once, and ranges with Shift.

const boxes = () => [...document.querySelectorAll("[data-row] > input[type=checkbox][form=batch]")];
let last = null;

function say() {
  const all = boxes();
  const count = all.filter((box) => box.checked).length;
  const whole = document.getElementById("select-all");
  if (!whole) return;
  whole.checked = count > 0 && count === all.length;
  whole.indeterminate = count > 0 && count < all.length;
  whole.parentElement.querySelector(".selected").textContent = `${count} selected`;
}

document.addEventListener("click", (event) => {
  const { target } = event;
  if (target.id === "select-all") boxes().forEach((box) => (box.checked = target.checked));
  const all = boxes();
  if (all.includes(target)) {
    const [from, to] = [all.indexOf(last), all.indexOf(target)].sort((a, b) => a - b);
    if (event.shiftKey && from >= 0) all.slice(from, to + 1).forEach((box) => (box.checked = target.checked));
    last = target;
  }
  say();
});
document.addEventListener("submit", (event) => event.target.id === "batch" && !boxes().some((box) => box.checked) && event.preventDefault());
document.addEventListener("htmx:after:swap", say);
window.addEventListener("pageshow", say);
