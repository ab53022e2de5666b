// The pictures of an item: side by side at any width, larger when pressed.
// picture: { title, src, width, height, boxes: [{xywh, name}], credit: [{text, href}], problem }
const NARROWEST = 0.6, WIDEST = 1.8; // a panorama must not make its neighbour tiny

function figureOf(picture, zoom) {
  const ratio = picture.width / picture.height;
  const shown = Math.min(Math.max(ratio, NARROWEST), WIDEST);
  return el("figure", { style: `--ratio:${shown.toFixed(4)}` },
    el("div", { class: "title" }, picture.title),
    picture.problem
      ? el("p", { class: "lost" }, picture.problem)
      : el("button", { type: "button", class: "stage", style: `aspect-ratio:${shown.toFixed(4)}`, "data-key": `zoom-${picture.title}`,
          "aria-label": `${picture.title}: enlarge`, "data-answers": "", onclick: () => zoom(picture) }, stageOf(picture)),
    picture.credit.length ? el("figcaption", {}, creditOf(picture)) : null);
}

function stageOf(picture) {
  const { width, height, boxes } = picture;
  const edges = boxes.map(({ xywh: [x, y, w, h] }) => {
    const shape = { x, y, width: w, height: h };
    return [el("rect", { class: "halo", ...shape }), el("rect", { class: "edge", ...shape })];
  });
  const percent = (part, whole) => `${((100 * part) / whole).toFixed(2)}%`;
  const names = boxes.map(({ xywh: [x, y, w], name }) =>
    el("span", { class: "name", dir: "auto", style: `left:${percent(x, width)};top:${percent(y, height)};max-width:${percent(w, width)}` }, name));
  return el("span", { class: "picture", style: `--own:${(width / height).toFixed(5)}` },
    el("img", { src: picture.src, alt: picture.title, draggable: "false" }),
    boxes.length ? el("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, edges) : null,
    boxes.length ? el("span", { class: "names" }, names) : null);
}

function creditOf(picture) {
  const parts = picture.credit.map(({ text, href }) =>
    href ? el("a", { href, target: "_blank", rel: "noopener noreferrer" }, text) : el("span", {}, text));
  return parts.flatMap((part, i) => (i ? [" · ", part] : [part]));
}

function zoomDialog(picture) {
  const dialog = el("dialog", { class: "zoom", "aria-label": picture.title, onclick: () => dialog.close(), onclose: () => dialog.remove() },
    el("div", { class: "title" }, picture.title),
    el("div", { class: "large", style: `--own:${(picture.width / picture.height).toFixed(5)}` }, stageOf(picture)),
    el("button", { type: "button" }, "Close"));
  return dialog;
}

// Pictures of the next item, fetched while this one is judged; held, or the browser may drop them.
const heldPictures = new Map();
function preload(addresses) {
  for (const address of addresses) {
    if (heldPictures.has(address)) continue;
    const image = new Image();
    image.src = address;
    heldPictures.set(address, image);
  }
  while (heldPictures.size > 12) heldPictures.delete(heldPictures.keys().next().value);
}
