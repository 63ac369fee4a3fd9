// Guard against losing typed text: whatever happens to a request, its form stays until a page answers it.
//
//   data-guarded="…"   a form whose text is not left without asking, and kept as a draft until it is saved or discarded;
//                      the value tells forms with the same address apart
//   data-unsaved       such a form that came back with text that is not saved yet
//   data-leaves        the way out of it, which Escape takes
//   data-logs-out      the form that ends the session, and its drafts

const QUESTION = "Leave without saving what you wrote?";
const DAYS = 14; // that a draft is kept, as long as a session
const PAUSE = 500; // milliseconds without typing, after which the draft is written
const BASE = ["version", "file_id"]; // what the text was written on top of: saving a draft of an older version merges
const BY_STATUS = {
  400: "the server could not read it. It may be too large.",
  413: "it is too large.",
  429: "too many requests came at once. Wait a moment, then try again.",
  507: "the server's disk is full.",
};
const AWAY = "MemoryHub does not answer just now. Try again in a moment.";
const BROKEN = "something went wrong on the server. Try again in a moment.";

const root = document.documentElement;
const MINE = `draft:${root.dataset.user}:`;
const guarded = () => [...document.querySelectorAll("form[data-guarded]")];
const retried = new WeakSet(); // forms that were sent again by themselves
let timer;
let leaving = false; // on purpose

// Detect unsaved text.

const changed = (field) =>
  field.type === "checkbox" || field.type === "radio" ? field.checked !== field.defaultChecked
  : field.options ? field.selectedIndex > 0 && [...field.options].some((option) => option.selected !== option.defaultSelected)
  : field.type !== "hidden" && field.defaultValue !== undefined && field.value !== field.defaultValue;
const unsaved = (form) => "unsaved" in form.dataset || [...form.elements].some(changed);
const mayLeave = (forms) => !forms.some(unsaved) || window.confirm(QUESTION);

// Drafts.

const key = (form) => MINE + new URL(form.action).pathname + form.dataset.guarded;
const drafted = (form) => [...form.elements].filter((field) =>
  field.name && !["file", "password", "radio", "submit", "button"].includes(field.type) && (field.type !== "hidden" || BASE.includes(field.name)));
const valueOf = (field) => (field.type === "checkbox" ? field.checked : field.value);

function keep(form) {
  if (!form.isConnected || !root.dataset.user) return;
  if (!unsaved(form)) return localStorage.removeItem(key(form));
  const values = Object.fromEntries(drafted(form).map((field) => [field.name, valueOf(field)]));
  try {
    localStorage.setItem(key(form), `${Date.now()} ${JSON.stringify(values)}`);
  } catch {} // storage is full or switched off: leaving is asked about all the same
}

function drop(form) {
  clearTimeout(timer);
  localStorage.removeItem(key(form));
}

function dropAll(unwanted) {
  Object.keys(localStorage).filter((name) => name.startsWith("draft:") && unwanted(name)).forEach((name) => localStorage.removeItem(name));
}

function offer(form) {
  const draft = localStorage.getItem(key(form));
  if (!draft || form.dataset.offered === draft) return;
  const values = JSON.parse(draft.slice(draft.indexOf(" ")));
  const differs = drafted(form).some((field) => field.name in values && !BASE.includes(field.name) && values[field.name] !== valueOf(field));
  if (!differs || unsaved(form)) return;
  form.dataset.offered = draft;
  const note = clone("draft-offer");
  note.querySelector("time").textContent = new Date(parseInt(draft)).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  note.querySelector("[data-older]").hidden = !("version" in values) || values.version === form.elements.version?.value;
  note.querySelector("[data-restores]").addEventListener("click", () => (!unsaved(form) || window.confirm("Replace what you have written since?")) && (note.remove(), restore(form, values)));
  note.querySelector("[data-discards]").addEventListener("click", () => (note.remove(), drop(form), form.querySelector("textarea, input")?.focus()));
  form.before(note);
}

function restore(form, values) {
  const fields = drafted(form).filter((field) => field.name in values);
  for (const field of fields) {
    if (field.type === "checkbox") field.checked = values[field.name];
    else field.value = values[field.name];
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  fields.find((field) => field.type === "textarea")?.focus();
}

// Messages for failed requests.

const clone = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);
const texts = (form) => [...form.elements].filter((field) => field.name && field.defaultValue !== undefined && !["hidden", "checkbox", "radio", "file"].includes(field.type));

function say(ctx, why, { perhaps = false, logIn = false } = {}) {
  const form = ctx.request.method === "POST" && ctx.sourceElement.matches("form") ? ctx.sourceElement : null;
  const beside = form && texts(form).length > 0;
  const note = clone(beside ? "not-saved" : "did-not-work");
  const what = !form ? "Not loaded" : !beside ? "That did not work" : perhaps ? "Perhaps not saved" : "Not saved";
  note.querySelector("[data-why]").textContent = `${what}: ${why}`;
  note.querySelector("[data-log-in]").hidden = !logIn;
  if (!beside) return document.getElementById("toasts").replaceChildren(note);
  clear(form);
  const button = ctx.request.submitter ?? form.querySelector("button:not([type=button])");
  (button?.closest(".actions, .line") ?? button ?? form.lastElementChild).after(note);
  note.scrollIntoView({ block: "nearest" });
}

// Lock the form while it is being sent: the response would replace anything typed meanwhile.
const freeze = (form, still) => texts(form).forEach((field) => (field.readOnly = still));
const clear = (form) => form.querySelectorAll("[data-not-saved]").forEach((note) => note.remove());

function reason(status, text, page) {
  const own = page.querySelector("[data-refusal]")?.textContent ?? text.match(/^\{.*"detail": ?"([^"\\]+)"/)?.[1];
  return own ?? BY_STATUS[status] ?? ([502, 503, 504].includes(status) ? AWAY : status < 500 ? `the server refused it (${status}).` : BROKEN);
}

// Accept a response only if it has the expected part, and would not discard typed text.

function answers({ request, response, select, sourceElement }, page) {
  if (page.querySelector("[data-logs-in], [data-rescue]") || (select && !page.querySelector(select))) return false;
  if (request.method !== "POST" || !sourceElement.matches("form")) return select ? true : response.status < 400;
  return response.status < 400 || texts(sourceElement).every(({ name }) => page.querySelector(`form [name="${CSS.escape(name)}"]`));
}

function mend(ctx, page) {
  const { sourceElement: source, response, text } = ctx;
  const cause = page.querySelector("[data-rescue]")?.dataset.rescue;
  const user = page.documentElement.dataset.user;
  const logIn = page.querySelector("[data-logs-in]") !== null;
  if (logIn && ctx.select && ctx.request.method === "GET") return window.location.assign(response.raw.url); // which leads back
  if (logIn || (cause && !user)) return say(ctx, "you are logged out.", { logIn: true });
  if (cause && user !== root.dataset.user)
    return say(ctx, `you are logged in as ${page.documentElement.dataset.name} now, but this was written by ${root.dataset.name}. Log in as ${root.dataset.name} again, then save.`);
  if (cause !== "token") return say(ctx, reason(response.status, text, page), { perhaps: [500, 502, 504].includes(response.status) });
  // The same person has logged in again. The request refused for its CSRF token had no effect: send it again, once.
  const { value } = page.querySelector("[name=csrfmiddlewaretoken]");
  document.querySelectorAll("[name=csrfmiddlewaretoken]").forEach((field) => (field.value = value));
  if (!source.matches("form")) return;
  if (retried.has(source)) return say(ctx, "this page is out of date. Try again.");
  retried.add(source);
  source.requestSubmit(ctx.request.submitter);
}

function begin() {
  if (root.dataset.user) {
    const old = Date.now() - DAYS * 86_400_000;
    dropAll((name) => !name.startsWith(MINE) || parseInt(localStorage.getItem(name)) < old);
    guarded().forEach(offer);
    document.addEventListener("htmx:after:swap", () => guarded().forEach(offer));
  }

  document.addEventListener("htmx:before:request", (event) => {
    const { sourceElement: source, target, request } = event.detail.ctx;
    const lost = guarded().filter((form) => target?.contains(form) && !form.contains(source));
    if (!mayLeave(lost)) return event.preventDefault();
    if (request.method !== "POST" || !source.matches("form")) return;
    clear(source);
    freeze(source, true);
  });
  document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => ctx.request.form && freeze(ctx.request.form, false));
  document.addEventListener("htmx:after:request", (event) => {
    const { ctx } = event.detail;
    const page = new DOMParser().parseFromString(ctx.text, "text/html");
    if (!answers(ctx, page)) {
      event.preventDefault();
      return mend(ctx, page);
    }
    retried.delete(ctx.sourceElement);
    if (ctx.response.status < 400 && ctx.request.method === "POST" && ctx.sourceElement.matches("[data-guarded]")) drop(ctx.sourceElement);
  });
  document.addEventListener("htmx:error", ({ detail: { ctx, error } }) => {
    if (!ctx || ctx.text !== undefined || !(ctx.request.method === "GET" || ctx.sourceElement.matches("form"))) return;
    if (error.name === "AbortError") say(ctx, "the server did not answer in time.", { perhaps: true });
    else if (!navigator.onLine) say(ctx, "you are offline.");
    else say(ctx, "MemoryHub cannot be reached. Check your connection.", { perhaps: true });
  });

  document.addEventListener("input", ({ target: { form } }) => {
    leaving = false;
    clearTimeout(timer);
    if (form?.matches("[data-guarded]")) timer = setTimeout(keep, PAUSE, form);
  });
  window.addEventListener("pagehide", () => leaving || guarded().filter(unsaved).forEach(keep));
  window.addEventListener("beforeunload", (event) => !leaving && guarded().some(unsaved) && event.preventDefault());
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-logs-out]")) return;
    leaving = mayLeave(guarded());
    if (leaving) dropAll(() => true);
    else event.preventDefault();
  });

  // Escape first leaves the field, then the form.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]") || event.target.closest("input, textarea, select")) return;
    document.querySelector("form[data-guarded] [data-leaves]")?.click();
  });
  document.addEventListener("click", (event) => {
    const form = event.target.closest("[data-leaves]")?.closest("form");
    if (!form) return;
    leaving = mayLeave([form]);
    if (leaving) return drop(form);
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
}

// Run once: loaded twice, it would ask and send everything twice.
if (!("guarding" in root.dataset)) {
  root.dataset.guarding = "";
  begin();
}
