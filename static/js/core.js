// data-guards    a form that one is asked about before words in it are lost

const guarded = document.querySelector("[data-guards]");
const words = () => guarded?.elements.content.value;
const begun = words();
let sent = false;
guarded?.addEventListener("submit", () => (sent = true));
addEventListener("beforeunload", (event) => words() !== begun && !sent && event.preventDefault());
