// The other languages of a page lie in templates; choosing one puts its words in the place of those shown.
(function () {
  const page = $("#page"), button = $("#speak");
  if (!page || !button || !(kept.pages || $$("template[id^=page-]").length)) return;
  if (!kept.pages) {
    kept.pages = new Map([[root.lang.slice(0, 2), page.cloneNode(true)]]);
    for (const one of $$("template[id^=page-]")) {
      kept.pages.set(one.id.slice(5), one.content);
      one.remove(); // so that no id stands twice in the page
    }
  }
  const remembered = () => { try { return localStorage.getItem("ragbench-language"); } catch (error) { return null; } };

  function speak(lang) {
    const sections = $$("#main > header, #main > section");
    const at = sections.filter((one) => one.getBoundingClientRect().top <= 80).pop() || sections[0];
    const box = at.getBoundingClientRect(), share = (80 - box.top) / Math.max(1, box.height);
    stopping.abort();
    page.replaceChildren(...kept.pages.get(lang).cloneNode(true).childNodes);
    root.lang = lang === "zh" ? "zh-CN" : lang;
    const main = $("#main");
    document.title = main.dataset.title;
    $(".skip").textContent = main.dataset.skip;
    start();
    $("#speak").focus({ preventScroll: true });
    const moved = document.getElementById(at.id);
    if (moved && at !== sections[0]) {
      const now = moved.getBoundingClientRect();
      scrollTo({ top: scrollY + now.top + share * now.height - 80, behavior: "instant" });
    }
  }

  const own = root.lang.slice(0, 2);
  const other = [...kept.pages.keys()].find((one) => one !== own);
  button.hidden = false;
  button.addEventListener("click", () => {
    try { localStorage.setItem("ragbench-language", other); } catch (error) { /* a page that may keep nothing */ }
    speak(other);
  });
  kept.speak = kept.spoken || !kept.pages.has(remembered()) || remembered() === own ? null : () => speak(other);
  kept.spoken = true;
})();
