// Shared by all pages: finding and making elements, the words of the page, light and dark, boxes that scroll.
const root = document.documentElement;
root.classList.add("js");
const stopping = new AbortController();
const until = { signal: stopping.signal };
const $ = (selector, from) => (from || document).querySelector(selector);
const $$ = (selector, from) => Array.from((from || document).querySelectorAll(selector));

const theme = $("#theme");
if (theme) theme.addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});

const scrolled = $$(".scroll").map((box) => {
  const hint = document.createElement("p");
  hint.className = "more-hint";
  hint.textContent = (document.querySelector("#main").dataset.more || document.body.dataset.more);
  hint.hidden = true;
  box.before(hint);
  return [box, hint];
});
function cue() {
  for (const [box, hint] of scrolled) {
    const wide = box.scrollWidth > box.clientWidth + 1;
    hint.hidden = !wide;
    if (wide) box.tabIndex = 0; else box.removeAttribute("tabindex");
    box.classList.toggle("more", wide && box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
  }
}
for (const [box] of scrolled) box.addEventListener("scroll", cue, { passive: true });
addEventListener("resize", cue, until);
addEventListener("toggle", cue, { capture: true, signal: stopping.signal });
cue();

function lines(id) {
  kept.lines = kept.lines || {};
  if (!kept.lines[id]) {
    const text = document.getElementById(id).textContent.trim();
    kept.lines[id] = text ? text.split("\n") : [];
  }
  return kept.lines[id];
}
let words = null;
const say = (key, values) => {
  if (!words) {
    const spoken = lines("data-words").map((line) => JSON.parse(line));
    words = spoken.find((one) => one.lang === root.lang.slice(0, 2)) || spoken[0];
  }
  return (words.t[key] || key).replace(/\{(\w+)\}/g, (all, name) => (values && name in values ? String(values[name]) : all));
};
const named = (kind, key) => (say("yes"), Object.prototype.hasOwnProperty.call(words[kind], key) ? words[kind][key] : key);

function el(tag, attributes) {
  const node = document.createElement(tag);
  for (const key in attributes || {}) {
    if (key === "click") node.addEventListener("click", attributes[key]);
    else if (attributes[key] !== null && attributes[key] !== undefined) node.setAttribute(key, attributes[key]);
  }
  for (let at = 2; at < arguments.length; at += 1) {
    const child = arguments[at];
    if (Array.isArray(child)) node.append(...child.filter((one) => one !== null));
    else if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}
const tag = (text, kind) => el("span", { class: "tag " + (kind || "") }, text);
const figure = (value) => (value === null || value === undefined ? "–" : Math.abs(value) < 10 ? value.toFixed(3) : Math.round(value).toLocaleString("en"));

function marked(text, intervals) {
  const points = Array.from(text);
  const joined = [];
  intervals
    .map(([low, high]) => [Math.max(0, low), Math.min(points.length, high)])
    .filter(([low, high]) => low < high)
    .sort((a, b) => a[0] - b[0])
    .forEach(([low, high]) => {
      const last = joined[joined.length - 1];
      if (last && low <= last[1]) last[1] = Math.max(last[1], high);
      else joined.push([low, high]);
    });
  const parts = [];
  let at = 0;
  for (const [low, high] of joined) {
    parts.push(points.slice(at, low).join(""), el("mark", {}, points.slice(low, high).join("")));
    at = high;
  }
  parts.push(points.slice(at).join(""));
  return parts;
}
