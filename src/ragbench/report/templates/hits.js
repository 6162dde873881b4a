// Chunks as cards with the evidence in them marked, the lists they stand in, and the context as it was read.
function chunk(number) {
  if (!kept.chunks) {
    kept.chunks = new Map();
    for (const line of lines("data-chunks")) kept.chunks.set(Number(/"n":(\d+)/.exec(line)[1]), line);
  }
  return kept.chunks.has(number) ? JSON.parse(kept.chunks.get(number)) : null;
}

function evidenceIn(place, row) {
  const found = [];
  let whole = false;
  for (const group of row.evidence)
    for (const [doc, start, end, all] of group.items)
      if (doc === place.d) {
        if (all) whole = true;
        else if (start < place.e && place.s < end) found.push([start - place.s, end - place.s]);
      }
  return { found, whole };
}

function chunkCard(number, rank, score, former, row) {
  const place = chunk(number);
  if (!place) return null;
  const { found, whole } = evidenceIn(place, row);
  const cited = (row.blocks || []).filter((block) => block[2].includes(number)).map((block) => block[0]);
  let move = null;
  if (former !== null && former !== undefined) {
    const by = former - rank;
    move = el("span", { class: by > 0 ? "up" : by < 0 ? "down" : "", title: say("d_rank", { before: former, after: rank }) },
      by > 0 ? "↑" + by : by < 0 ? "↓" + -by : "=");
  }
  const routes = (row.routes[number] || []).map(([route, at]) => named("stages", route) + " #" + at).join(", ");
  const header = el("header", {}, el("b", {}, rank), move, el("span", {}, place.d), el("span", {}, place.h.join(" › ")),
    el("span", {}, figure(score)), routes ? el("span", {}, say("d_routes") + " " + routes) : null,
    cited.length ? tag(say("d_block") + " [" + cited.join(", ") + "]") : null,
    found.length || whole ? tag(say("d_evidence_mark"), "good") : null);
  const body = place.t === null
    ? el("div", { class: "text sub" }, say("d_no_text") + " [" + place.s + ", " + place.e + ")")
    : el("div", { class: "text", tabindex: "0", role: "region", "aria-label": place.d }, marked(place.t, found), place.c ? el("span", { class: "sub" }, "… " + say("d_cut")) : null);
  return el("article", { class: "chunk" + (found.length || whole ? " hit" : ""), "data-chunk": number }, header, body);
}


function inSight(list) {
  requestAnimationFrame(() => {
    for (const text of $$(".text", list)) {
      const first = $("mark", text);
      if (first) text.scrollTop = first.offsetTop - Math.min(30, text.clientHeight / 3);
    }
  });
}

function rankings(row) {
  const found = [];
  if (row.after) found.push([say("after"), row.after]);
  found.push([say("before"), row.before.map(([number, score]) => [number, score, null])]);
  for (const [route, request, n, flat] of row.lists) {
    const name = say(row.searched.length > 1 ? "d_hits_of" : "d_hits", { route: named("stages", route), at: request + 1, n });
    found.push([name, flat.filter((_, at) => at % 2 === 0).map((number, at) => [number, flat[2 * at + 1], null])]);
  }
  return found;
}

function ranking(row) {
  const box = el("div", {});
  const list = el("div", { class: "list" });
  const all = rankings(row);
  const show = ([, rows]) => {
    list.replaceChildren(...rows.map(([number, score, former], at) => chunkCard(number, at + 1, score, former, row)).filter(Boolean));
    if (!rows.length) list.append(el("p", { class: "sub" }, say("none")));
    inSight(list);
  };
  if (all.length > 1) {
    const buttons = all.map((one, at) => el("button", { type: "button", "aria-pressed": String(at === 0), click: (event) => {
      show(one);
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === event.currentTarget));
    } }, one[0]));
    box.append(el("div", { class: "switch", role: "group", "aria-label": say("d_show") }, buttons));
  }
  box.append(list);
  show(all[0]);
  return box;
}

function contextRead(row) {
  if (!row.blocks || !row.blocks.length) return null;
  const box = el("details", { class: "context" }, el("summary", {}, say("d_context")));
  box.addEventListener("toggle", () => {
    if (!box.open || box.childElementCount > 1) return;
    for (const [number, doc, , tokens, start, end, text] of row.blocks) {
      const place = chunk(text);
      if (!place) continue;
      const { found, whole } = evidenceIn(place, row);
      const marks = place.x ? [] : found;
      box.append(el("article", { class: "chunk" + (found.length || whole ? " hit" : "") },
        el("header", {}, el("b", {}, "[" + number + "]"), el("span", {}, doc + " " + start + "–" + end), el("span", {}, say("d_tokens", { n: tokens })),
          found.length || whole ? tag(say("d_evidence_mark"), "good") : null, place.x ? tag(say("d_otherwise"), "warn") : null),
        place.t === null ? el("div", { class: "text sub" }, say("d_no_text"))
          : el("div", { class: "text", tabindex: "0", role: "region", "aria-label": "[" + number + "] " + doc }, marked(place.t, marks), place.c ? el("span", { class: "sub" }, "… " + say("d_cut")) : null)));
    }
    inSight(box);
  });
  return box;
}
