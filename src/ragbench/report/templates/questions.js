// The detail of a question: its whole way from what was asked to what was judged.
(function () {
  const dialog = $("#detail");
  if (!dialog) return;
  const why = (text) => (say("yes"), text && Object.prototype.hasOwnProperty.call(words.said, text) ? words.said[text] : text);

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
      given.refused ? el("p", {}, tag(say("d_refused"), "warn"), " " + (why(given.reason) || "")) : null,
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
        group.routes.map(([route, rank]) => tag(named("stages", route) + " " + (rank ? "#" + rank : "· " + say("d_never")), rank ? "" : "warn")),
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
    const scored = (say("yes"), words.scored).map((name, at) => [name, row.scores[at], row.whys[at]]).filter(([, value]) => value !== null);
    if (!scored.length) return null;
    return el("details", {}, el("summary", {}, say("d_scores")), el("table", {}, el("tbody", {},
      scored.map(([measure, value, reason]) => el("tr", {},
        el("th", { scope: "row", title: measure }, named("measures", measure)),
        el("td", { class: "n" + (value === "!" ? " failed" : "") }, value === "!" ? named("states", "failed") : figure(value)),
        el("td", { class: "sub" }, why(reason) || ""))))));
  }

  function understood(row) {
    const forms = row.searched;
    const plain = forms.length === 1 && forms[0][0] === null && !forms[0][2].length;
    if (!row.query && (plain || !forms.length)) return null;
    const [complexity, tier, category, categoryTier, text] = row.query || [];
    const by = (name) => (name ? " " + say("d_by", { tier: named("classes", name) }) : "");
    return el("div", { class: "understood" },
      row.query ? el("h4", {}, say("d_query")) : null,
      row.query ? el("div", { class: "tags" },
        complexity ? tag(say("d_complexity") + ": " + named("classes", complexity) + by(tier)) : null,
        category ? tag(say("d_category") + ": " + named("groups", category) + by(categoryTier), category === row.meta[0] ? "" : "warn") : null) : null,
      text && text !== row.q ? el("p", { class: "text" }, el("span", { class: "k" }, say("d_understood") + " "), text) : null,
      forms.length ? el("h4", {}, say("d_forms")) : null,
      el("ol", { class: "forms" }, forms.map(([searched, form, routes]) => el("li", {},
        el("span", { class: "text" }, searched === null ? row.q : searched), " ",
        tag(searched === null ? say("d_typed") : named("forms", form)), " ",
        routes.map((route) => tag(named("stages", route)))))));
  }

  function proof(row) {
    if (!row.proof) return null;
    const [state, gold, then, answered] = row.proof;
    const outcome = then && named("outcomes", then), put = say("d_gold_" + gold);
    const found = { then: Array.isArray(outcome) ? outcome[0] : outcome, gold: put };
    const ofContext = gold === "context" && (state === "proved" || state === "not_proved");
    const told = state + (ofContext ? "_context" : "") + (ofContext && state === "proved" && then === "ok" ? "_right" : "");
    return el("div", { class: "proof-told" }, el("h4", {}, say("d_proof")),
      el("p", {}, tag(say("d_state_" + state), { proved: "good", not_proved: "warn" }[state]), " " + say("d_proof_" + told, found)),
      answered ? el("p", { class: "sub" }, say("d_proof_answer", found)) : null,
      answered ? el("blockquote", {}, answered) : null);
  }

  const body = $(".dbody", dialog);
  let current = -1;

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
      row.why && row.outcome !== "ok" ? el("p", { class: "sub mono" }, why(row.why)) : null,
      proof(row),
      row.history.length ? el("div", {}, el("h4", {}, say("d_history")), row.history.map(([role, text]) => el("blockquote", {}, role + ": " + text))) : null,
      el("div", { class: "two" },
        el("div", {}, answer(row)),
        row.ref ? el("div", {}, el("h4", {}, say("d_reference")), el("p", { class: "text" }, row.ref)) : null),
      ...claims(row), ...evidence(row), understood(row), rounds(row), packing(row), contextRead(row),
      row.before.length ? el("h4", {}, say("d_retrieved")) : null,
      row.before.length ? ranking(row) : null,
      inDocument(row),
      scores(row),
      Object.keys(row.ms).length ? el("p", { class: "sub" }, say("d_timings") + ": " + Object.entries(row.ms).map(([stage, ms]) => named("stages", stage) + " " + ms).join(" · ")) : null,
    ].filter(Boolean));
    const order = kept.order || [];
    const place = order.indexOf(index);
    $("#previous").disabled = place <= 0;
    $("#next").disabled = place < 0 || place + 1 >= order.length;
    if (!dialog.open) dialog.showModal();
    body.parentElement.scrollTop = 0;
  }
  function step(by) {
    const order = kept.order || [], next = order[order.indexOf(current) + by];
    if (order.includes(current) && next !== undefined) open(next);
  }
  kept.open = open;
  $("#previous").addEventListener("click", () => step(-1));
  $("#next").addEventListener("click", () => step(1));
  $("#close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("keydown", (event) => {
    if (event.target.closest(".text")) return;
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });
})();
