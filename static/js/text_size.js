// The size of the text in a file's editor.
//
//   data-draft       the text area
//   data-measured    where its size is shown, beside a meter

function measure() {
  const text = document.querySelector("[data-draft]");
  const measured = document.querySelector("[data-measured]");
  if (!text || !measured) return;
  const size = new Blob([text.value]).size;
  const meter = measured.querySelector("meter");
  meter.value = size;
  measured.querySelector("[data-size]").textContent = `${Math.ceil(size / 1024).toLocaleString("en")} of ${meter.max / 1024} KB`;
  measured.hidden = false;
}
measure();
document.addEventListener("input", measure);
document.addEventListener("htmx:after:swap", measure);
