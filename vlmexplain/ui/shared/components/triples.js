// Triples of an LGIP result, each opening on the Perturb page.
// data: { rows: [{triple, src, pieces, text, before, after, shift, type, verified, seen}] }
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const open = (triple) => setTriggerValue("act", { kind: "open", value: triple, at: performance.now() });
  repaint(parentElement, "triples", data.rows.map((row) => el("div", { class: "row" },
    el("img", { src: row.src, alt: "", loading: "lazy" }),
    el("div", { class: "text" },
      el("p", {}, row.pieces.map(([kind, text]) => (kind ? el(kind, {}, text) : text))),
      el("p", { class: "about" },
        row.type ? `${row.type === "color" ? "colour" : row.type} flip` : "paraphrase",
        row.verified ? el("b", { class: "good", title: "known to be false of the image, by its annotations" }, " ✓ known to be false") : null,
        row.seen ? null : el("b", {}, " ✂ not seen by the model"))),
    el("div", { class: "numbers" }, el("span", {}, `${row.before} → ${row.after}`), el("b", {}, row.shift)),
    el("button", { type: "button", "data-key": `t${row.triple}`, "aria-label": `Open on the Perturb page: ${row.text}`, onclick: () => open(row.triple) }, "Perturb"))));
}
