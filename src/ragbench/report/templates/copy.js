// Commands are copied by a click; where the clipboard is closed to a page, the command is selected instead.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const code = button.previousElementSibling, was = button.dataset.was || button.textContent;
  button.dataset.was = was;
  const range = document.createRange();
  range.selectNodeContents(code);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  const done = () => { button.textContent = button.dataset.done; setTimeout(() => { button.textContent = was; }, 1600); };
  if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(done, () => {});
}, until);
