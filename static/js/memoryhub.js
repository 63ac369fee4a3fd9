// Keyboard and script features of every page. Without scripts, links and forms do the same.
//
//   data-opens="id"    a button that opens that dialog
//   data-tells         a button that tells exact times instead of how long ago, and back
//   data-dismisses     a button that removes its toast
//   data-key="e"       pressing the key presses it: in the current row of a list if there is one, else on the page, else in its frame
//   data-row           a row of a list, which j and k go through
//   data-focuses       a <details> whose first field has the focus once it is opened
//   data-resets        a form whose fields take the values of the response, not what was typed

htmx.initialize(); // otherwise htmx starts a moment after the key listeners

const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const single = document.documentElement.dataset.keys !== "off"; // single-key shortcuts are on
const typing = (element) => element.closest("input:not([type=checkbox], [type=radio], [type=file]), textarea, select, [contenteditable]") !== null;

// Show the controls that need scripts.
const reveal = () => $$("[data-opens][hidden], [data-dismisses][hidden], [data-tells][hidden], [data-scripted][hidden]").forEach((element) => (element.hidden = false));
reveal();
document.addEventListener("htmx:after:swap", reveal);
document.addEventListener("htmx:after:swap", (event) => event.target.matches?.("form[data-resets]") && event.target.reset());

// Show a progress bar for slow requests, and a message for very slow ones.
const waiting = document.getElementById("waiting");
const SLOW = 200; // milliseconds that still feel instant
const SLOWER = 2000;
let awaited = 0;
const timers = [];
function awaiting(answer) {
  if (!awaited++) {
    document.getElementById("main").setAttribute("aria-busy", "true");
    timers.push(setTimeout(() => waiting.classList.add("long"), SLOW), setTimeout(() => ($("span", waiting).textContent = "Loading …"), SLOWER));
  }
  return answer.finally(() => {
    if (--awaited) return;
    timers.splice(0).forEach(clearTimeout);
    waiting.classList.remove("long");
    $("span", waiting).textContent = "";
    document.getElementById("main").removeAttribute("aria-busy");
  });
}
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  const { fetch } = ctx;
  ctx.fetch = (...request) => awaiting(fetch(...request));
});

// Times are relative; pressing one, or a key, shows all of them exactly, in the reader's time zone.
let exactly = false;
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const ZONE = new Intl.DateTimeFormat(undefined, { timeZoneName: "short" }).formatToParts().find((part) => part.type === "timeZoneName").value;
function tell() {
  $$("time[datetime]").forEach((moment) => {
    moment.dataset.relative ??= moment.textContent;
    moment.textContent = exactly ? `${EXACT.format(new Date(moment.dateTime))} ${ZONE}` : moment.dataset.relative;
  });
  $$("[data-tells]").forEach((button) => button.setAttribute("aria-pressed", String(exactly)));
}
document.addEventListener("htmx:after:swap", () => exactly && tell());
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-tells]") && (!event.target.matches("time[datetime]") || event.target.closest("a, button, summary"))) return;
  exactly = !exactly;
  tell();
});

// Keep the current item of a narrow bar in view.
$$(".side, .tabs").forEach((bar) => {
  const here = $("[aria-current]", bar);
  if (here) bar.scrollLeft = here.offsetLeft - (bar.clientWidth - here.offsetWidth) / 2;
});

// Close menus when the focus leaves them.
const closeMenus = (besides) => $$("details.menu[open]").forEach((menu) => menu.contains(besides) || (menu.open = false));
document.addEventListener("click", (event) => {
  closeMenus(event.target);
  const opener = event.target.closest("[data-opens]");
  if (opener) open(opener.dataset.opens);
  event.target.closest("[data-dismisses]")?.closest(".toast").remove();
});
document.addEventListener("focusin", (event) => closeMenus(event.target));

document.addEventListener("toggle", ({ target }) => target.open && target.matches("[data-focuses]") && $("input:not([type=hidden]), textarea", target)?.focus(), true);

function open(id) {
  closeMenus(null);
  const dialog = document.getElementById(id);
  if (!dialog || dialog.open) return;
  dialog.showModal();
  if (id === "palette") {
    $("input", dialog).value = "";
    fill();
  }
}

// The palette: the first result is selected, arrow keys select another, Enter opens it.
const palette = document.getElementById("palette");
const options = () => $$("[role=option]", palette);
const fill = () => $("input", palette).dispatchEvent(new Event("opened"));
function choose(option) {
  options().forEach((other, number) => {
    other.id = `palette-option-${number}`;
    other.setAttribute("aria-selected", String(other === option));
  });
  $("input", palette).setAttribute("aria-activedescendant", option?.id ?? "");
  option?.scrollIntoView({ block: "nearest" });
}
if (palette) {
  new MutationObserver(() => choose(options()[0])).observe(document.getElementById("palette-list"), { childList: true });
  palette.addEventListener("keydown", (event) => {
    const found = options();
    const at = found.findIndex((option) => option.getAttribute("aria-selected") === "true");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) choose(found[(at + step + found.length) % found.length]);
    else if (event.key === "Enter") (found[at] ?? found[0])?.click();
    else return;
    event.preventDefault();
  });
  palette.addEventListener("click", (event) => event.target === palette && palette.close());
}

// Rows of a list.
const rows = () => $$("[data-row]");
const current = () => $("[data-row]:focus-within") ?? $("[data-row][data-current]");
function step(by) {
  const all = rows();
  if (!all.length) return;
  const at = all.indexOf(current());
  const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
  all.forEach((row) => row.removeAttribute("data-current"));
  next.setAttribute("data-current", "");
  ($("a[data-key=Enter]", next) ?? next).focus();
  next.scrollIntoView({ block: "nearest" });
}

// When the focused element is removed with its row, focus the row that takes its place.
let left = -1;
document.addEventListener("submit", (event) => (left = rows().indexOf(event.target.closest("[data-row]"))));
document.addEventListener("htmx:after:swap", () => {
  if (document.activeElement !== document.body) return;
  const next = rows()[Math.min(left, rows().length - 1)];
  ((next && $("button, a", next)) ?? $("#main")).focus({ preventScroll: true });
});

const GOES = { h: "team-home", m: "memories", c: "core", r: "playground", a: "activity", f: "files", v: "review", i: "insights" };
let going = false;

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "k") {
    event.preventDefault();
    return open("palette");
  }
  if ((event.ctrlKey || event.metaKey) && key === "Enter" && target.form) {
    event.preventDefault();
    return target.form.requestSubmit();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (key === "Escape") {
    closeMenus(null);
    if (typing(target)) target.blur();
    return;
  }
  if (typing(target) || !single) return;
  const wanted = going && GOES[key];
  going = key === "g" && !going;
  if (wanted) return void document.getElementById(`go-${wanted}`)?.click();
  if (key === "/") {
    event.preventDefault();
    return ($("main input[type=search]") ?? $("#find"))?.focus();
  }
  if (key === "?") return open("shortcuts");
  if (key === "j") return step(1);
  if (key === "k") return step(-1);
  if (key.length > 1) return;
  const keyed = `[data-key="${CSS.escape(key)}"]`;
  const pressed = (current() && $(keyed, current())) ?? $(`main ${keyed}:not([data-row] *)`) ?? $(`${keyed}:not([data-row] *)`);
  if (pressed) {
    event.preventDefault();
    pressed.matches("input:not([type=checkbox]), textarea") ? pressed.focus() : pressed.click();
  }
});
