// The confusion network: arrows between concepts; numbers and names are links.
// data: { width, height, nodes: [{x, y, label, title, strong, href}],
//         edges: [{x1, y1, x2, y2, count, width, bent, title, href}] }

export default function (component) {
  const { data, parentElement } = component;
  const { width, height } = data;
  const curves = data.edges.map(curve);
  const links = [];
  const lines = data.edges.map((edge, i) => el("path", {
    d: `M${edge.x1} ${edge.y1} Q ${curves[i].cx} ${curves[i].cy} ${edge.x2} ${edge.y2}`,
    class: "line", style: `stroke-width:${edge.width}px`,
    onclick: () => links[i].click(), onpointerenter: () => trace(i), onpointerleave: () => trace(null),
  }));
  const heads = data.edges.map((edge, i) => el("path", { d: arrow(edge, curves[i]), class: "head" }));
  const svg = el("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, lines, heads);

  data.edges.forEach((edge, i) => {
    const [x, y] = at(edge, curves[i], 0.5);
    links.push(el("a", {
      href: edge.href, class: "count", title: edge.title, "aria-label": edge.title, "data-key": `edge-${i}`,
      style: place(x, y), onpointerenter: () => trace(i), onpointerleave: () => trace(null),
      onfocus: () => trace(i), onblur: () => trace(null),
    }, edge.count));
  });
  const names = data.nodes.map((node, i) => el("a", {
    href: node.href, class: `name${node.strong ? " strong" : ""}`, title: node.title, "data-key": `node-${i}`,
    style: place(node.x, node.y),
    onpointerenter: () => traceNode(node), onpointerleave: () => trace(null),
  }, node.label));

  function place(x, y) {
    return `left:${((100 * x) / width).toFixed(3)}%;top:${((100 * y) / height).toFixed(3)}%`;
  }

  function show(mine) {
    data.edges.forEach((edge, i) => {
      for (const part of [lines[i], heads[i], links[i]]) {
        part.classList.toggle("faint", mine !== null && !mine(edge, i));
        part.classList.toggle("traced", mine !== null && mine(edge, i));
      }
    });
  }
  function trace(index) { show(index === null ? null : (_, i) => i === index); }
  function traceNode(node) {
    show((edge) => (edge.x1 === node.x && edge.y1 === node.y) || (edge.x2 === node.x && edge.y2 === node.y));
  }

  repaint(parentElement, "network", [
    el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": `Confusion network of ${data.nodes.length} concepts` },
      el("div", { class: "stage", style: `aspect-ratio:${width}/${height}` }, svg, names, links)),
  ]);
}

function curve(edge) {
  const [dx, dy] = [edge.x2 - edge.x1, edge.y2 - edge.y1];
  const bend = edge.bent ? 0.2 : 0.08;
  return { cx: (edge.x1 + edge.x2) / 2 - bend * dy, cy: (edge.y1 + edge.y2) / 2 + bend * dx };
}

function at(edge, { cx, cy }, t) {
  const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
  return [a * edge.x1 + b * cx + c * edge.x2, a * edge.y1 + b * cy + c * edge.y2];
}

// A triangle on the curve, so that it is not hidden by the names at its ends.
function arrow(edge, control) {
  const [x, y] = at(edge, control, 0.7);
  const [px, py] = at(edge, control, 0.66);
  const length = Math.hypot(x - px, y - py) || 1;
  const [ux, uy] = [(x - px) / length, (y - py) / length];
  const size = 5 + edge.width;
  const corner = (along, across) => `${(x + along * ux - across * uy).toFixed(1)} ${(y + along * uy + across * ux).toFixed(1)}`;
  return `M${corner(size, 0)} L${corner(-size * 0.7, size * 0.75)} L${corner(-size * 0.7, -size * 0.75)} Z`;
}
