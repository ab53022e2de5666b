// The best pictures of a caption, and of a perturbation under it.
// data: { strips: [{title, tiles: [{image, place, src, score, truth, fresh, label}]}], shown }
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const choose = (image) => setTriggerValue("act", { kind: "other", value: image, at: performance.now() });
  repaint(parentElement, "strips", data.strips.map((strip, s) => el("div", { class: "strip" },
    el("h4", {}, strip.title),
    el("ol", {}, strip.tiles.map((tile) => el("li", {}, el("button", {
      type: "button", class: `tile${tile.truth ? " truth" : ""}${tile.fresh ? " fresh" : ""}`, "data-key": `${s}-${tile.image}`,
      "aria-pressed": String(tile.image === data.shown), "aria-label": tile.label, title: tile.label, disabled: tile.truth, onclick: () => choose(tile.image),
    },
      el("img", { src: tile.src, alt: "", loading: "lazy" }),
      el("span", { class: "line" }, el("b", {}, tile.place), el("span", {}, tile.score)),
      el("span", { class: "badge" }, tile.truth ? "✓ ground truth" : tile.fresh ? "new here" : " "))))))));
}
