// The complete bipartite graph of the left-over concepts: matched edges stand out, with their ps.
// data: { rows: [{left, right}], edges: [{l, r, ps, matched}], pairs: [{...}], chosen, titles }
const ROW_PX = 38;

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const choose = (index) => setTriggerValue("act", { kind: "pair", value: index, at: performance.now() });
  const height = data.rows.length * ROW_PX;

  const lines = data.edges.map((edge) => {
    const y1 = (edge.l + 0.5) * ROW_PX;
    const y2 = (edge.r + 0.5) * ROW_PX;
    const strength = edge.ps === null ? 0 : Math.min(1, edge.ps * 2.2);
    return el("path", {
      d: `M0 ${y1} C 40 ${y1} 60 ${y2} 100 ${y2}`,
      class: `${edge.matched ? "matched" : "edge"}${edge.ps === null ? " none" : ""}${edge.pair === data.chosen && edge.matched ? " chosen" : ""}`,
      style: edge.matched ? null : `opacity:${(0.25 + 0.6 * strength).toFixed(2)}`,
    });
  });
  const svg = el("svg", { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true", style: `height:${height}px` },
    lines);
  const weights = data.pairs.map((pair, i) =>
    el("button", {
      type: "button", class: "weight", "data-key": `edge-${i}`, "aria-pressed": String(i === data.chosen),
      style: `top:${(pair.row + 0.5) * ROW_PX}px`, onclick: () => choose(i),
      "aria-label": `${pair.left} and ${pair.right}: path similarity ${pair.ps}`,
    }, pair.fraction));

  const column = (side) => el("div", { class: `column ${side}` }, data.rows.map((row) => {
    const node = row[side];
    return el("div", { class: "slot" }, node && el("button", {
      type: "button", class: `node ${node.role}${node.matched ? "" : " alone"}`, title: node.title,
      "data-concept": node.synset, "data-key": `node-${side}-${node.synset}`, "aria-pressed": "false",
      onpointerenter: () => trace(side, node.index), onpointerleave: () => trace(null),
      onfocus: () => trace(side, node.index), onblur: () => trace(null),
    }, el("i", { "aria-hidden": "true" }, node.mark), ` ${node.label}`, node.sense ? el("small", {}, node.sense) : null));
  }));

  function trace(side, index) {
    data.edges.forEach((edge, i) => {
      const mine = side === null || (side === "left" ? edge.li : edge.ri) === index;
      lines[i].classList.toggle("faint", !mine);
      lines[i].classList.toggle("traced", side !== null && mine);
    });
  }

  const table = el("table", {},
    el("thead", {}, el("tr", {}, ["Ground truth", "Retrieved", "Steps", "ps", "WordNet path"].map((t, i) =>
      el("th", { scope: "col", class: i === 2 || i === 3 ? "r" : null }, t)))),
    el("tbody", {}, data.pairs.map((pair, i) => el("tr", { class: i === data.chosen ? "chosen" : null },
      el("td", {}, pair.left), el("td", {}, pair.right),
      el("td", { class: "r" }, String(pair.steps)), el("td", { class: "r" }, `${pair.fraction} = ${pair.ps}`),
      el("td", {}, el("button", {
        type: "button", class: "show", "data-key": `row-${i}`, "aria-pressed": String(i === data.chosen), onclick: () => choose(i),
        "aria-label": `Show the WordNet path of ${pair.left} and ${pair.right}`,
      }, i === data.chosen ? "shown" : "show"))))));

  repaint(parentElement, "graph", [
    el("figure", { "aria-label": data.label },
      el("div", { class: "heads" }, el("span", {}, data.titles.left), el("span", {}, data.titles.right)),
      el("div", { class: "net" }, column("left"), el("div", { class: "wires" }, svg, weights), column("right"))),
    el("div", { class: "beside" }, data.pairs.length ? el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Pairs of the graph" }, table) : null,
      data.left_over.map((line) => el("p", {}, line))),
  ]);
}
