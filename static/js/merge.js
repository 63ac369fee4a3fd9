// The merge screen of a memory.
//
//   data-merges     a field that two people changed: choosing one fills the result, writing chooses the result

document.addEventListener("change", (event) => {
  const { target } = event;
  const field = target.closest("[data-merges]");
  if (!field || !target.name.startsWith("choice-")) return;
  const name = target.name.slice("choice-".length);
  const source = field.querySelector(`[name="${target.value}-${name}"]`);
  const result = field.querySelector(`[name="${name}"]`);
  if (!source) return;
  if (result.type === "checkbox") result.checked = source.value !== "";
  else result.value = source.value;
});
document.addEventListener("input", (event) => {
  const field = event.target.closest("[data-merges]");
  if (field && !event.target.name.startsWith("choice-")) field.querySelector('[value="result"]').checked = true;
});
