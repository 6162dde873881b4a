// Evidence in its document with the borders of the chunks: drawn for a question of a comparison and of a run.
function bordersOf(row, columns) {
  const sets = {};
  const setOf = (at) => (sets[at] = sets[at] || JSON.parse(lines("data-border-sets")[at]));
  const many = (value) => Number(value).toLocaleString("en");

  function begin(number, win, column) {
    const set = setOf(column.set), [start, end, tokens, trail] = set.c[number];
    const rank = column.laid.k[number];
    const size = (tokens === null ? "" : say("b_tokens", { n: many(tokens) }) + " · ") + say("b_characters", { n: many(end - start) });
    return el("div", { class: "begin", "data-begin": number, "data-at": start }, el("b", {}, "#" + number), " ",
      rank ? tag(say("b_rank", { n: rank }), "good") : null, rank ? " " : null, el("span", {}, size),
      start < win.s ? el("span", {}, " · " + say("b_before", { n: many(win.s - start) })) : null,
      set.h[trail] ? el("span", { class: "trail" }, set.h[trail]) : null);
  }
  function end(number, win, column) {
    const at = setOf(column.set).c[number][1];
    return el("div", { class: "end", "data-end": number, "data-at": at },
      at > win.e ? say("b_goes_on", { name: "#" + number, n: many(at - win.e) }) : say("b_end", { name: "#" + number }));
  }
  function parentBegin([start, stop], win) {
    return el("div", { class: "parent", "data-parent": start }, say("b_parent", { n: many(stop - start) }) +
      (start < win.s ? " · " + say("b_before", { n: many(win.s - start) }) : ""));
  }
  function parentEnd([, stop], win) {
    return el("div", { class: "parent", "data-parent-end": stop },
      stop > win.e ? say("b_parent_on", { n: many(stop - win.e) }) : say("b_parent_end"));
  }
  function stretch(segment, win, points) {
    const chunks = segment.c || [];
    const kind = chunks.length > 1 ? " over" : chunks.length ? " c" + (chunks[0] % 2) : " bare";
    const marks = win.m.map(([low, high]) => [low - segment.s, high - segment.s]);
    const note = chunks.length > 1 ? say("b_overlap", { names: chunks.map((one) => "#" + one).join(", ") }) : chunks.length ? "" : say("b_uncovered");
    return el("div", { class: "seg" + kind + (segment.p ? " inparent" : ""), "data-s": segment.s, "data-e": segment.e },
      note ? el("small", {}, note) : null,
      el("div", { class: "text" }, marked(points.slice(segment.s - win.s, segment.e - win.s).join(""), marks)));
  }
  function outcome(key) {
    if (!key) return null;
    const name = named("outcomes", key);
    return tag(Array.isArray(name) ? name[0] : name, key === "ok" ? "good" : key === "unjudged" ? "" : "bad");
  }
  function column(win, at, points, one) {
    const drawn = [];
    for (const segment of row.c[one.set][at]) {
      const edge = [...(segment.x || []).map((number) => end(number, win, one)), ...(segment.px || []).map((pair) => parentEnd(pair, win)),
        ...(segment.pb || []).map((pair) => parentBegin(pair, win)), ...(segment.b || []).map((number) => begin(number, win, one))];
      if (edge.length) drawn.push(el("div", { class: "edge" + (segment.b ? " starts" : "") }, edge));
      if (segment.s < segment.e) drawn.push(stretch(segment, win, points));
    }
    return el("div", { class: "bcol", "data-set": one.set }, one.name ? el("p", { class: "bname" }, one.name, outcome(one.laid.o)) : null, drawn, fates(win.g, one));
  }
  function fates(groups, one) {
    const kinds = { intact: "good", split: "warn", unreachable: "bad" };
    return el("div", { class: "bfate" }, groups.map((group) => {
      const fate = one.laid.f[group], rank = one.laid.r[group], read = one.laid.p[group];
      return el("p", { "data-fate": fate, "data-rank": rank }, row.g[group] ? row.g[group] + " " : null, tag(say("b_" + fate), kinds[fate]), " ",
        tag(rank ? say("b_found", { n: rank }) : say(read ? "b_read" : "b_never"), rank || read ? "good" : "bad"));
    }));
  }
  const place = (win) => win.d + (win.s > 0 || win.e < win.n ? " · " + say("b_place", { s: many(win.s), e: many(win.e), n: many(win.n) }) : "");
  return el("div", { class: "borders" },
    row.w.length ? null : el("p", { class: "sub" }, say("b_whole_only")),
    row.w.map((win, at) => {
      const points = win.t === null ? [] : Array.from(win.t);
      return el("section", { class: "bwin" }, el("h4", { class: "mono" }, place(win)),
        win.t === null ? el("p", { class: "sub" }, say("d_no_text")) : el("div", { class: "bcols" }, columns.map((one) => column(win, at, points, one))));
    }),
    row.more ? el("p", { class: "sub" }, say("b_more", { n: row.more })) : null);
}

(function () {
  const drawing = $("#border-drawing");
  if (!drawing) return;
  const head = JSON.parse(lines("data-borders")[0]);
  const question = $("#border-question"), sides = [$("#border-a"), $("#border-b")], note = $("#border-note");

  function draw() {
    const row = JSON.parse(lines("data-borders")[1 + Number(question.value)]);
    const chosen = sides.map((side) => Number(side.value));
    const columns = chosen.map((at) => ({ set: head.sets[at], laid: row.v[at], name: head.names[at] }));
    $("#border-asked").textContent = row.q;
    note.textContent = chosen[0] === chosen[1] ? say("b_one") : columns[0].set === columns[1].set ? say("b_same_pair") : "";
    note.hidden = !note.textContent;
    drawing.replaceChildren(bordersOf(row, columns));
    const order = $$("option", question).map((one) => one.value), at = order.indexOf(question.value);
    $("#border-previous").disabled = at <= 0;
    $("#border-next").disabled = at + 1 >= order.length;
  }
  function step(by) {
    const order = $$("option", question).map((one) => one.value);
    question.value = order[order.indexOf(question.value) + by];
    draw();
  }
  head.pair.forEach((at, side) => { sides[side].value = String(at); });
  for (const control of [question, ...sides]) control.addEventListener("change", draw);
  $("#border-previous").addEventListener("click", () => step(-1));
  $("#border-next").addEventListener("click", () => step(1));
  draw();
})();
