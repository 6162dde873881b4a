// The list of questions: searched, filtered, sorted and shown a page at a time; its figures lead here.
(function () {
  const table = $("#questions-table");
  if (!table) return;
  const PAGE = 200;
  const [ID, TEXT, CATEGORY, DIFFICULTY, LANGUAGE, SPLIT, OUTCOME, RANK, VALUES] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const [GROUP, VARIANT, TURNED, WHY, A, B] = [3, 4, 5, 7, 8, 9];
  const FACETS = { group: GROUP, variant: VARIANT, turned: TURNED, category: CATEGORY, difficulty: DIFFICULTY, language: LANGUAGE, split: SPLIT, outcome: OUTCOME };
  if (!kept.list) {
    kept.list = lines("data-list").map((line) => JSON.parse(line));
    kept.texts = kept.list.map((row) => (row[ID] + " " + row[TEXT]).toLowerCase());
    kept.state = { search: "", measure: "", sort: null, down: false, page: 0 };
  }
  say("yes");
  const listed = words.listed, always = words.columns.map(([name]) => name);
  const state = kept.state, rows = kept.list;
  const search = $("#search"), measure = $("#measure"), selects = $$("select[data-facet]");
  const head = $("thead tr", table), body = table.tBodies[0];
  let order = [];

  const value = (row, name) => row[VALUES][listed.indexOf(name)];
  const columns = () => (state.measure && !always.includes(state.measure) ? [...always, state.measure] : always);
  const outcomeName = (name) => { const found = named("outcomes", name); return Array.isArray(found) ? found[0] : found; };

  const reported = (place, letter, id) => {
    const [name, run, link] = words.runs[place];
    return link ? el("a", { href: link + "#q=" + encodeURIComponent(id), title: name + " · " + run }, letter) : null;
  };
  function turnedCells(row, at) {
    return el("tr", { id: "r" + at, "data-c": row[CATEGORY], "data-o": row[OUTCOME] },
      el("th", { scope: "row", class: "id mono" }, row[ID]),
      el("td", { class: "q" }, row[TEXT]),
      el("td", { class: "w" }, named("groups", row[CATEGORY])),
      el("td", {}, row[VARIANT], row[GROUP] ? el("span", { class: "sub" }, row[GROUP]) : null),
      el("td", { class: "w" }, el("span", { class: "tag " + (row[TURNED] === "won" ? "good" : "bad") }, row[TURNED] === "won" ? say("l_won") : say("l_lost"))),
      el("td", {}, outcomeName(row[OUTCOME])),
      el("td", {}, (row[WHY] && Object.prototype.hasOwnProperty.call(words.said, row[WHY]) ? words.said[row[WHY]] : row[WHY]) || "–"),
      el("td", { class: "traces" }, reported(row[A], "A", row[ID]), " ", reported(row[B], "B", row[ID])));
  }
  function cells(row, at) {
    if (words.runs) return turnedCells(row, at);
    const rank = row[RANK];
    const kind = row[OUTCOME] === "ok" ? "good" : row[OUTCOME] === "" || row[OUTCOME] === "unjudged" ? "" : "bad";
    return el("tr", { id: "r" + at, "data-i": at, "data-c": row[CATEGORY], "data-o": row[OUTCOME] },
      el("th", { scope: "row", class: "id mono" }, el("a", { href: "#q=" + encodeURIComponent(row[ID]), "data-open": at }, row[ID])),
      el("td", { class: "q" }, row[TEXT]),
      el("td", { class: "w" }, named("groups", row[CATEGORY])),
      el("td", { class: "w" }, named("groups", row[DIFFICULTY])),
      el("td", {}, el("span", { class: "tag " + kind }, row[OUTCOME] ? outcomeName(row[OUTCOME]) : "–")),
      el("td", { class: "n" }, rank ? rank : "–"),
      columns().map((name) => el("td", { class: "n" }, figure(value(row, name)))));
  }

  function heads() {
    for (const one of $$("[data-chosen]", head)) one.remove();
    if (state.measure && !always.includes(state.measure))
      head.append(el("th", { scope: "col", class: "n", "data-kind": "number", "data-measure": state.measure, "data-chosen": "", title: state.measure },
        el("button", { type: "button" }, named("measures", state.measure))));
    for (const one of $$("th", head)) {
      if (state.sort !== null && sortOf(one) === state.sort) one.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else one.removeAttribute("aria-sort");
    }
  }
  const sortOf = (one) => one.dataset.measure || String(one.cellIndex);

  function keyOf(row) {
    if (listed.includes(state.sort)) return value(row, state.sort);
    const at = Number(state.sort);
    if (words.runs) return [row[ID], row[TEXT], named("groups", row[CATEGORY]), row[VARIANT] + " " + row[GROUP], row[TURNED], outcomeName(row[OUTCOME]), row[WHY]][at];
    if (at === 5) return row[RANK] || null;
    return [row[ID], row[TEXT], named("groups", row[CATEGORY]), named("groups", row[DIFFICULTY]), row[OUTCOME] ? outcomeName(row[OUTCOME]) : ""][at];
  }
  function sorted(found) {
    if (state.sort === null) return found;
    const language = new Intl.Collator(root.lang, { numeric: true });
    const keyed = found.map((at) => [keyOf(rows[at]), at]);
    keyed.sort(([a, i], [b, j]) => {
      if (a === null || b === null) return (a === null) - (b === null) || i - j;
      const way = typeof a === "number" ? a - b : language.compare(a, b);
      return (state.down ? -way : way) || i - j;
    });
    return keyed.map(([, at]) => at);
  }

  function draw() {
    const pages = Math.max(1, Math.ceil(order.length / PAGE));
    state.page = Math.min(Math.max(0, state.page), pages - 1);
    const first = state.page * PAGE, shown = order.slice(first, first + PAGE);
    heads();
    body.replaceChildren(...shown.map((at) => cells(rows[at], at)));
    $(".pages").hidden = pages < 2;
    $("#page-previous").disabled = state.page === 0;
    $("#page-next").disabled = state.page === pages - 1;
    $("#page-place").textContent = say("l_page_place", { first: first + 1, last: first + shown.length, n: order.length });
  }
  function refilter(page) {
    const wanted = state.search.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const asked = selects.map((one) => [FACETS[one.dataset.facet], one.value]).filter(([, name]) => name);
    const found = [];
    rows.forEach((row, at) => {
      if (asked.every(([place, name]) => row[place] === name) && wanted.every((word) => kept.texts[at].includes(word))) found.push(at);
    });
    order = kept.order = sorted(found);
    state.page = page || 0;
    state.facets = Object.fromEntries(selects.map((one) => [one.dataset.facet, one.value]));
    $("#shown").textContent = say("shown", { shown: order.length, n: rows.length });
    $("#nothing").hidden = order.length > 0;
    draw();
  }
  function reset() {
    Object.assign(state, { search: "", measure: "", sort: null, down: false });
    search.value = "";
    for (const one of selects) one.value = "";
    if (measure) measure.value = "";
  }
  function sortBy(name) {
    Object.assign(state, { measure: name, sort: name, down: words.lower.includes(name) });
    if (measure) measure.value = name;
  }

  let waiting = 0;
  search.addEventListener("input", () => {
    state.search = search.value;
    clearTimeout(waiting);
    if (rows.length <= PAGE) refilter();
    else waiting = setTimeout(refilter, 120);
  });
  for (const one of selects) one.addEventListener("change", () => refilter());
  if (measure) measure.addEventListener("change", () => {
    if (measure.value) sortBy(measure.value);
    else Object.assign(state, { measure: "", sort: null });
    refilter();
  });
  const form = $("#search").form;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => { event.preventDefault(); reset(); refilter(); });
  head.addEventListener("click", (event) => {
    const one = event.target.closest("button") && event.target.closest("th");
    if (!one) return;
    const name = sortOf(one);
    Object.assign(state, { down: state.sort === name && !state.down, sort: name });
    refilter();
  });
  const turn = (by) => { state.page += by; draw(); $(".questions.scripted").scrollTop = 0; };
  $("#page-previous").addEventListener("click", () => turn(-1));
  $("#page-next").addEventListener("click", () => turn(1));
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row && kept.open && !event.target.closest("a") && !String(getSelection())) kept.open(Number(row.dataset.i));
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-open]");
    if (link) { event.preventDefault(); kept.open(Number(link.dataset.open)); return; }
    const way = event.target.closest("[data-filter], [data-sort]");
    if (!way) return;
    event.preventDefault();
    reset();
    const { filter, sort, outcome, turned } = way.dataset;
    for (const [facet, name] of [[filter, way.dataset.value], ["outcome", outcome], ["turned", turned]]) {
      const select = facet && name !== undefined && document.getElementById(facet);
      if (select) select.value = name;
    }
    if (sort && listed.includes(sort)) sortBy(sort);
    refilter();
    $("#questions").scrollIntoView();
    $(".questions.scripted").focus({ preventScroll: true });
  }, until);

  function fromHash() {
    const found = /^#q=(.+)$/.exec(location.hash);
    if (!found || !kept.open) return;
    let id = found[1];
    try { id = decodeURIComponent(id); } catch (error) { /* a hash typed by hand */ }
    const at = rows.findIndex((row) => row[ID] === id);
    if (at >= 0) kept.open(at);
  }
  addEventListener("hashchange", fromHash, until);

  search.value = state.search;
  for (const one of selects) one.value = (state.facets || {})[one.dataset.facet] || "";
  if (measure) measure.value = state.measure;
  refilter(state.page);
  if (kept.speak) { const speak = kept.speak; kept.speak = null; speak(); return; }
  if (!kept.linked) { kept.linked = true; fromHash(); }
})();
