// The table of questions and the detail of each.
(function () {
  const table = $("#questions-table");
  if (!table) return;

  let chunkLines = null;
  function chunk(number) {
    if (!chunkLines) {
      chunkLines = new Map();
      for (const line of lines("data-chunks")) chunkLines.set(Number(/"n":(\d+)/.exec(line)[1]), line);
    }
    return chunkLines.has(number) ? JSON.parse(chunkLines.get(number)) : null;
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
      : el("div", { class: "text", tabindex: "0" }, marked(place.t, found), place.c ? el("span", { class: "sub" }, "… " + say("d_cut")) : null);
    return el("article", { class: "chunk" + (found.length || whole ? " hit" : ""), "data-chunk": number }, header, body);
  }

  function ranking(row) {
    const box = el("div", {});
    const list = el("div", { class: "list" });
    const show = (after) => {
      const rows = after ? row.after : row.before;
      list.replaceChildren(...rows.map(([number, score, former], at) => chunkCard(number, at + 1, score, after ? former : null, row)).filter(Boolean));
      requestAnimationFrame(() => {
        for (const text of $$(".text", list)) {
          const first = $("mark", text);
          if (first) text.scrollTop = first.offsetTop - Math.min(30, text.clientHeight / 3);
        }
      });
    };
    if (row.after) {
      const buttons = [true, false].map((after) => el("button", { type: "button", "aria-pressed": String(after), click: (event) => {
        show(after);
        for (const one of buttons) one.setAttribute("aria-pressed", String(one === event.currentTarget));
      } }, say(after ? "after" : "before")));
      box.append(el("div", { class: "switch", role: "group" }, buttons));
    }
    box.append(list);
    show(Boolean(row.after));
    return box;
  }

  function inDocument(row) {
    if (row.b === null) return null;
    const box = el("details", { class: "indoc" }, el("summary", {}, say("b_run")));
    box.addEventListener("toggle", () => {
      if (!box.open || box.childElementCount > 1) return;
      const drawn = JSON.parse(lines("data-borders")[row.b]);
      box.append(bordersOf(drawn, [{ set: 0, laid: drawn.v[0], name: "" }]));
    });
    return box;
  }

  function answer(row) {
    if (row.error) return [el("h4", {}, say("d_error")), el("p", { class: "text failed" }, row.error)];
    if (!row.answer) return [el("h4", {}, say("d_answer")), el("p", { class: "sub" }, say("d_no_answer"))];
    const given = row.answer;
    const points = Array.from(given.text);
    const parts = [];
    let at = 0;
    for (const [, end, block] of given.cites.slice().sort((a, b) => a[1] - b[1])) {
      if (end > at) { parts.push(points.slice(at, end).join("")); at = end; }
      if (points.slice(end, end + 12).join("").trimStart().startsWith("[" + block + "]")) continue;
      parts.push(el("sup", { title: block === null ? say("d_bad_cite") : say("d_cites", { n: block }), class: block === null ? "failed" : "" }, block === null ? "[?]" : "[" + block + "]"));
    }
    parts.push(points.slice(at).join(""));
    return [el("h4", {}, say("d_answer")), el("p", { class: "text" }, parts),
      given.refused ? el("p", {}, tag(say("d_refused"), "warn"), " " + (given.reason || "")) : null,
      given.clarifies ? el("p", {}, tag(say("d_clarified"), "warn")) : null];
  }

  function rounds(row) {
    if (!(row.rounds || []).length) return null;
    return el("details", { class: "rounds" }, el("summary", {}, say("d_rounds", { n: row.rounds.length })), row.rounds.map((one, at) =>
      el("div", {}, el("h5", {}, say("d_round", { n: at + 1 })), el("p", { class: "text" }, one.searched.join(" · ")),
        el("div", { class: "tags" }, one.found.map((number) => { const place = chunk(number); return place ? tag(place.d + " " + place.s + "–" + place.e) : null; })),
        one.answer === null ? null : el("blockquote", {}, one.answer || "–", " ",
          tag(one.note ? say("d_not_passed", { why: one.note }) : say("d_passed"), one.note ? "warn" : "good")))));
  }

  const kinds = { supported: "good", contradicted: "bad", not_enough: "warn", error: "bad" };

  function judged(claims) {
    return claims.map(([text, state, score, block, [before, sentence, after]]) =>
      el("div", { class: "claim" }, state === null ? null : tag(named("states", state), kinds[state]), " " + text,
        score === null ? null : el("span", { class: "k" }, " " + figure(score)),
        sentence ? el("blockquote", { class: "sub" }, (block === null ? "" : "[" + block + "] ") + before, el("mark", {}, sentence), after) : null));
  }

  function claims(row) {
    const parts = [];
    if (row.judge && row.judge[1]) parts.push(el("p", { class: "failed" }, say("d_judge_error", { error: row.judge[1] })));
    if (row.claims.length) parts.push(el("h4", {}, say("d_claims") + (row.judge ? " · " + row.judge[0] : "")), ...judged(row.claims));
    if (row.flagged) {
      const told = say("d_flagged", { n: row.flagged.claims.length, of: row.flagged.of });
      parts.push(el("div", { class: "flagged" }, el("h4", {}, told), judged(row.flagged.claims)));
    }
    return parts;
  }

  function evidence(row) {
    if (!row.meta[3]) return [el("p", { class: "sub" }, say("d_unanswerable"))];
    if (!row.evidence.length) return [];
    const lost = row.evidence.filter((group) => !group.after || group.packed === false);
    const kept = row.evidence.filter((group) => !lost.includes(group));
    const show = (group) => el("div", {},
      el("div", { class: "tags" }, tag(group.name || "–"),
        tag(say("d_rank", { before: group.before || "–", after: group.after || "–" }), group.after ? "" : "bad"),
        group.packed === null ? null : tag(say(group.packed ? "d_in_context" : "d_not_in_context"), group.packed ? "good" : "bad")),
      group.items.map(([doc, start, end, whole, quote]) => el("blockquote", {}, quote || (whole ? doc : doc + " [" + start + ", " + end + ")"),
        quote ? el("span", { class: "sub" }, doc) : null)));
    return [
      lost.length ? el("div", { class: "missing" }, el("h4", {}, say("d_missing")), lost.map(show)) : el("p", { class: "sub" }, say("d_found_all")),
      kept.length ? el("div", {}, el("h4", {}, say("d_evidence")), kept.map(show)) : null,
    ];
  }

  function packing(row) {
    if (!row.packed) return null;
    const dropped = row.packed.dropped || [];
    return el("div", { class: "packed" }, el("h4", {}, say("d_packed", row.packed)),
      el("div", { class: "tags" }, row.blocks.map(([number, doc, , tokens, start, end]) => tag("[" + number + "] " + doc + " " + start + "–" + end + " · " + tokens))),
      dropped.length ? el("details", { class: "dropped" }, el("summary", {}, say("d_dropped") + ": " + dropped.length),
        dropped.map(([number, reason]) => {
          const place = chunk(number);
          if (!place) return null;
          const { found, whole } = evidenceIn(place, row);
          return el("div", {}, tag(say("d_drop_" + reason), reason === "duplicate" ? "" : "warn"), " " + place.d + " " + place.s + "–" + place.e,
            found.length || whole ? tag(say("d_evidence_mark"), reason === "duplicate" ? "good" : "bad") : null);
        })) : null);
  }

  function scores(row) {
    if (!row.scores.length) return null;
    return el("details", {}, el("summary", {}, say("d_scores")), el("table", {}, el("tbody", {},
      row.scores.map(([measure, status, value, why]) => el("tr", {},
        el("th", { scope: "row", title: measure }, named("measures", measure)),
        el("td", { class: "n" + (status === "failed" ? " failed" : "") }, status === "failed" ? named("states", "failed") : figure(value)),
        el("td", { class: "sub" }, why))))));
  }

  const dialog = $("#detail");
  const body = $(".dbody", dialog);
  const rows = $$("tbody tr", table);
  let current = -1;
  const visible = () => $$("tbody tr", table).filter((row) => !row.hidden);

  function open(index) {
    const line = lines("data-questions")[index];
    if (!line) return;
    current = index;
    const row = JSON.parse(line);
    $(".dhead .mono", dialog).textContent = row.id;
    const [category, difficulty, language, answerable] = row.meta;
    const outcome = row.outcome && named("outcomes", row.outcome);
    body.replaceChildren(...[
      el("h3", { id: "detail-title" }, row.q),
      el("div", { class: "tags" }, outcome ? tag(Array.isArray(outcome) ? outcome[0] : outcome, row.outcome === "ok" ? "good" : "bad") : null,
        [category, difficulty, language, answerable ? "answerable" : "unanswerable"].map((name) => tag(named("groups", name)))),
      Array.isArray(outcome) && row.outcome !== "ok" ? el("p", { class: "sub" }, outcome[1] + " " + outcome[2]) : null,
      row.why && row.outcome !== "ok" ? el("p", { class: "sub mono" }, row.why) : null,
      row.history.length ? el("div", {}, el("h4", {}, say("d_history")), row.history.map(([role, text]) => el("blockquote", {}, role + ": " + text))) : null,
      el("div", { class: "two" },
        el("div", {}, answer(row)),
        row.ref ? el("div", {}, el("h4", {}, say("d_reference")), el("p", { class: "text" }, row.ref)) : null),
      ...claims(row), ...evidence(row), packing(row),
      row.before.length ? el("h4", {}, say("d_retrieved")) : null,
      row.searched.some((text) => text !== row.q) ? el("p", { class: "sub" }, say("d_searched") + ": " + row.searched.join(" · ")) : null,
      rounds(row),
      row.before.length ? ranking(row) : null,
      inDocument(row),
      scores(row),
      Object.keys(row.ms).length ? el("p", { class: "sub" }, say("d_timings") + ": " + Object.entries(row.ms).map(([stage, ms]) => named("stages", stage) + " " + ms).join(" · ")) : null,
    ].filter(Boolean));
    const order = visible().map((one) => Number(one.dataset.i));
    const place = order.indexOf(index);
    $("#previous").disabled = place <= 0;
    $("#next").disabled = place < 0 || place + 1 >= order.length;
    if (!dialog.open) dialog.showModal();
    body.parentElement.scrollTop = 0;
  }
  function step(by) {
    const order = visible().map((one) => Number(one.dataset.i));
    const next = order[order.indexOf(current) + by];
    if (next !== undefined) open(next);
  }
  $("#previous").addEventListener("click", () => step(-1));
  $("#next").addEventListener("click", () => step(1));
  $("#close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("keydown", (event) => {
    if (event.target.closest(".text")) return;
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-open]");
    if (link) { event.preventDefault(); open(Number(link.dataset.open)); return; }
    const filter = event.target.closest("[data-filter]");
    if (filter) {
      event.preventDefault();
      reset();
      const select = $("#" + filter.dataset.filter);
      if (select) select.value = filter.dataset.value;
      refilter();
      $("#questions").scrollIntoView();
    }
  });
  table.tBodies[0].addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row && !event.target.closest("a") && !String(getSelection())) open(Number(row.dataset.i));
  });

  const search = $("#search"), category = $("#category"), outcome = $("#outcome"), count = $("#shown");
  const texts = rows.map((row) => (row.cells[0].textContent + " " + row.cells[1].textContent).toLowerCase());
  function refilter() {
    const wanted = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, at) => {
      const keep = (!category.value || row.dataset.c === category.value) && (!outcome || !outcome.value || row.dataset.o === outcome.value) &&
        wanted.every((word) => texts[at].includes(word));
      row.hidden = !keep;
      if (keep) shown += 1;
    });
    count.textContent = say("shown", { shown, n: rows.length });
    $("#nothing").hidden = shown > 0;
  }
  function reset() { search.value = ""; category.value = ""; if (outcome) outcome.value = ""; refilter(); }
  search.addEventListener("input", refilter);
  for (const one of [category, outcome]) if (one) one.addEventListener("change", refilter);
  $("#reset").addEventListener("click", reset);
  refilter();

  $$("th button", table).forEach((button) => button.addEventListener("click", () => {
    const head = button.closest("th");
    const down = head.getAttribute("aria-sort") === "ascending";
    $$("th", table).forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const at = head.cellIndex, numeric = head.dataset.kind === "number";
    const key = (row) => {
      const cell = row.cells[at];
      if (!numeric) return cell.textContent.trim();
      return cell.dataset.v === "" ? null : Number(cell.dataset.v);
    };
    const keyed = rows.map((row) => [key(row), row]);
    keyed.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      const order = numeric ? a - b : a.localeCompare(b, root.lang, { numeric: true });
      return down ? -order : order;
    });
    table.tBodies[0].append(...keyed.map(([, row]) => row));
  }));

  function fromHash() {
    const found = /^#q=(.+)$/.exec(location.hash);
    if (!found) return;
    let id = found[1];
    try { id = decodeURIComponent(id); } catch (error) { /* a hash typed by hand */ }
    const row = rows.find((one) => one.cells[0].textContent.trim() === id);
    if (row) open(Number(row.dataset.i));
  }
  addEventListener("hashchange", fromHash);
  fromHash();
})();
