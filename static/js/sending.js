// data-sends="ids"    a form whose files are sent while a bar shows how much has left; of the page that comes back, these
//                     parts are put in place

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-sends]")) return;
  event.preventDefault();
  send(event.target);
});

function send(form) {
  const request = new XMLHttpRequest();
  const progress = document.querySelector("progress[data-sent]");
  request.open("POST", form.action);
  request.upload.addEventListener("progress", (event) => (progress.value = (100 * event.loaded) / event.total));
  // guard.js shows errors, as for other requests.
  const ctx = { sourceElement: form, request: { method: "POST" }, select: "#toasts" };
  const tell = (name, detail) => form.dispatchEvent(new CustomEvent(name, { bubbles: true, cancelable: true, detail: { ctx, ...detail } }));
  request.addEventListener("loadend", () => (progress.hidden = true));
  request.addEventListener("error", () => tell("htmx:error", { error: new Error("The request failed.") }));
  request.addEventListener("load", () => {
    Object.assign(ctx, { response: { status: request.status }, text: request.responseText });
    if (tell("htmx:after:request")) show(form, request);
  });
  progress.hidden = false;
  request.send(new FormData(form));
}

function show(form, request) {
  const page = new DOMParser().parseFromString(request.responseText, "text/html");
  const ids = form.dataset.sends.split(" ");
  if (ids.some((id) => !document.getElementById(id) || !page.getElementById(id))) return window.location.reload();
  for (const id of ids) {
    const now = page.getElementById(id);
    document.getElementById(id).replaceWith(now);
    window.htmx.process(now);
  }
  if (request.responseURL !== window.location.href) {
    window.history.pushState(null, "", request.responseURL);
    window.addEventListener("popstate", () => window.location.reload());
  }
  document.title = page.title;
  document.querySelector(`#${form.id} [type=file]`)?.focus();
  document.dispatchEvent(new CustomEvent("htmx:after:swap"));
}
