// Ground truth and retrieved image with their boxes, the concepts, and the top-10 strip.
// data: { pictures: [{side, title, note, src, alt, width, height, boxes, credit}], concepts, chosen, names }
const LABEL_GAP_PX = 2;

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  // Streamlit calls this again for new data and tidies up only at the end: one set of listeners.
  parentElement.tidyUp?.();
  const act = (kind, value) => setTriggerValue("act", { kind, value, at: performance.now() });
  let lit = null; // what the pointer or the focus is on; the chosen concept otherwise

  const figures = data.pictures.map((picture) => figure(picture));
  repaint(parentElement, "pictures", [
    el("div", { class: "layout" },
      el("div", { class: "pair", style: pairStyle(data.pictures) }, figures.map((f) => f.node)),
      data.concepts.length ? legend(data) : null),
    data.strip.length ? strip(data, act) : null,
  ]);

  function show() {
    const concept = lit ?? data.chosen;
    figures.forEach((f) => f.show(concept));
    for (const scope of scopes()) {
      for (const node of scope.querySelectorAll("[data-concept]")) {
        node.classList.toggle("lit", node.dataset.concept === concept);
        if (node.tagName === "BUTTON" || node.getAttribute("role") === "button")
          node.setAttribute("aria-pressed", String(node.dataset.concept === data.chosen));
      }
    }
  }

  const target = (event) => event.composedPath().find((n) => n.dataset && n.dataset.concept);
  const over = (event) => {
    const node = target(event);
    const next = node ? node.dataset.concept : null;
    if (next !== lit) {
      lit = next;
      show();
    }
  };
  const click = (event) => {
    const path = event.composedPath();
    const node = path.find((n) => n.dataset && (n.dataset.concept || n.dataset.pair));
    if (!node || node.dataset.passive !== undefined) return;
    if (node.dataset.pair) act("pair", Number(node.dataset.pair));
    else act("concept", node.dataset.concept === data.chosen ? null : node.dataset.concept);
  };
  const key = (event) => {
    if (event.key === "Escape" && data.chosen) act("concept", null);
  };
  const lightUp = (event) => {
    lit = event.detail.concept;
    show();
  };
  document.addEventListener("pointerover", over);
  document.addEventListener("focusin", over);
  document.addEventListener("click", click);
  document.addEventListener("keydown", key);
  document.addEventListener("vlmexplain:light", lightUp);
  const observer = new ResizeObserver(() => figures.forEach((f) => f.place(lit ?? data.chosen)));
  figures.forEach((f) => observer.observe(f.stage));
  // What other parts of the page draw later takes part too.
  const later = setTimeout(show, 400);
  show();

  parentElement.tidyUp = () => {
    document.removeEventListener("pointerover", over);
    document.removeEventListener("focusin", over);
    document.removeEventListener("click", click);
    document.removeEventListener("keydown", key);
    document.removeEventListener("vlmexplain:light", lightUp);
    observer.disconnect();
    clearTimeout(later);
  };
  return () => parentElement.tidyUp();
}

function scopes() {
  const found = [document];
  for (const host of document.querySelectorAll(".stBidiComponent, .stBidiComponent *"))
    if (host.shadowRoot) found.push(host.shadowRoot);
  return found;
}

function pairStyle(pictures) {
  const ratios = pictures.map((p) => p.width / p.height);
  return `--ratios:${ratios.reduce((a, b) => a + b, 0).toFixed(4)}`;
}

function figure(picture) {
  const { width, height, boxes } = picture;
  const maskId = `shade-${picture.side}`;
  const holes = el("g");
  const shade = el(
    "g", { class: "shade" },
    el("mask", { id: maskId },
      el("rect", { x: 0, y: 0, width, height, fill: "white" }), holes),
    el("rect", { x: 0, y: 0, width, height, mask: `url(#${maskId})` }),
  );
  const drawn = boxes.map((box) => {
    const [x, y, w, h] = box.xywh;
    const shape = () => ({ x, y, width: w, height: h });
    return el("g", { class: `box ${box.role}${box.crowd ? " crowd" : ""}` },
      el("rect", { class: "halo", ...shape() }), el("rect", { class: "edge", ...shape() }));
  });
  const labels = boxes.map((box) =>
    el("span", { class: `tag ${box.role}` }, el("i", {}, box.mark), ` ${box.name}`));
  const overlay = el("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, shade, drawn);
  const stage = el("div", { class: "stage", style: `aspect-ratio:${width}/${height}` },
    el("img", { src: picture.src, alt: picture.alt, draggable: "false" }), overlay,
    el("div", { class: "tags", "aria-hidden": "true" }, labels));
  const node = el("figure", { class: picture.side, style: `--ratio:${(width / height).toFixed(4)}` },
    el("div", { class: "title" }, el("strong", {}, picture.title), el("span", {}, picture.note)),
    stage, el("figcaption", {}, credit(picture)));

  let current = null;
  let under = -1;
  function show(concept) {
    current = concept;
    const some = concept !== null && concept !== undefined;
    const here = some && boxes.some((b) => b.concept === concept);
    stage.classList.toggle("dimmed", some);
    stage.classList.toggle("none-here", some && !here);
    holes.replaceChildren(...boxes.filter((b) => b.concept === concept).map(({ xywh: [x, y, w, h] }) =>
      el("rect", { x, y, width: w, height: h, fill: "black" })));
    boxes.forEach((box, i) => drawn[i].classList.toggle("lit", box.concept === concept));
    place(concept);
  }
  function place(concept) {
    const taken = [];
    const size = { w: stage.clientWidth, h: stage.clientHeight };
    if (!size.w) return;
    const order = boxes.map((_, i) => i).sort((a, b) =>
      (boxes[b].concept === concept) - (boxes[a].concept === concept) || (b === under) - (a === under)
      || area(boxes[b]) - area(boxes[a]));
    for (const i of order) {
      const label = labels[i];
      const wanted = concept === null || concept === undefined || boxes[i].concept === concept;
      label.classList.toggle("off", !wanted);
      label.classList.toggle("full", i === under);
      if (!wanted) continue;
      const spot = freeSpot(boxes[i], label, size, width, height, taken);
      label.classList.toggle("off", !spot);
      if (spot) {
        label.style.transform = `translate(${spot.x}px, ${spot.y}px)`;
        taken.push(spot);
      }
    }
  }
  // The smallest box under the pointer is the one meant.
  const hit = (event) => {
    const rect = stage.getBoundingClientRect();
    const px = ((event.clientX - rect.left) / rect.width) * width;
    const py = ((event.clientY - rect.top) / rect.height) * height;
    let best = -1;
    boxes.forEach(({ xywh: [x, y, w, h] }, i) => {
      const inside = px >= x && px <= x + w && py >= y && py <= y + h;
      if (inside && (best < 0 || area(boxes[i]) < area(boxes[best]))) best = i;
    });
    return best;
  };
  stage.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const next = hit(event);
    if (next === under) return;
    under = next;
    setStage(next);
    light(next < 0 ? null : boxes[next].concept);
  });
  stage.addEventListener("pointerdown", (event) => setStage(hit(event)));
  stage.addEventListener("pointerleave", () => {
    under = -1;
    setStage(-1);
    light(null);
  });
  // The page's own click handling reads data-concept from here.
  function setStage(index) {
    if (index < 0) delete stage.dataset.concept;
    else stage.dataset.concept = boxes[index].concept;
  }
  return { node, stage, show, place: (concept) => place(concept ?? current) };
}

function area({ xywh: [, , w, h] }) {
  return w * h;
}

function freeSpot(box, label, size, width, height, taken) {
  const [x, y, w, h] = box.xywh;
  const sx = size.w / width;
  const sy = size.h / height;
  const lw = label.offsetWidth;
  const lh = label.offsetHeight;
  const left = x * sx;
  const right = (x + w) * sx - lw;
  const top = y * sy;
  const bottom = (y + h) * sy - lh;
  const tries = [[left, top - lh], [left, top], [right, top], [left, bottom], [right, bottom], [left, bottom + lh]];
  for (const [tx, ty] of tries) {
    const spot = {
      x: Math.min(Math.max(0, tx), Math.max(0, size.w - lw)),
      y: Math.min(Math.max(0, ty), Math.max(0, size.h - lh)), w: lw, h: lh };
    const clash = taken.some((t) =>
      spot.x < t.x + t.w + LABEL_GAP_PX && t.x < spot.x + spot.w + LABEL_GAP_PX
      && spot.y < t.y + t.h + LABEL_GAP_PX && t.y < spot.y + spot.h + LABEL_GAP_PX);
    if (!clash) return spot;
  }
  return null;
}

function credit(picture) {
  const parts = picture.credit.map(({ text, href }) =>
    href ? el("a", { href, target: "_blank", rel: "noopener noreferrer" }, text) : el("span", {}, text));
  return parts.flatMap((part, i) => (i ? [" · ", part] : [part]));
}

function legend(data) {
  const groups = ["missed", "common", "extra"].map((role) => {
    const inRole = data.concepts.filter((c) => c.role === role);
    const { name, mark } = data.roles[role];
    return el("div", { class: `group ${role}`, role: "group", "aria-label": name },
      el("h4", {}, el("i", {}, mark), ` ${name} `, el("b", {}, String(inRole.length))),
      inRole.length
        ? el("div", { class: "chips" }, inRole.map((c) => chip(c)))
        : el("p", {}, "none"));
  });
  return el("div", { class: "below" }, el("div", { class: "legend" }, groups),
    el("p", { class: "hint" }, data.lost ? el("strong", {}, `${data.lost} `) : null,
      "Point at a concept or a box to light it in both images; choose it to keep it lit (Esc lets go)."));
}

function strip(data, act) {
  const tiles = data.strip.map((image) => [
    image.gap ? el("li", { class: "gap", "aria-hidden": "true" }, "…") : null,
    el("li", {}, el("button", {
      type: "button", class: `tile ${image.ground_truth ? "truth" : image.standing}`, "data-key": `place-${image.place}`,
      "aria-pressed": String(image.place === data.place), "aria-label": image.label, disabled: image.fixed,
      onclick: () => act("place", image.place),
    },
      el("img", { src: image.src, alt: "", loading: "lazy" }),
      el("span", { class: "line" }, el("b", {}, image.place_text, image.tied ? el("small", {}, " tie") : null), el("span", {}, image.score)),
      image.badge ? el("span", { class: "badge", title: image.by }, image.badge, image.by ? el("small", {}, image.by) : null) : null)),
  ]);
  return el("div", { class: "strip" }, el("h4", {}, data.strip_title), el("ol", {}, tiles));
}

function chip(concept) {
  return el("button", {
    type: "button", class: `chip ${concept.role}`, "data-concept": concept.synset, "data-key": `chip-${concept.synset}`,
    "aria-pressed": "false", title: concept.title,
  }, el("span", {}, concept.label, concept.sense ? el("small", {}, concept.sense) : null), el("small", {}, concept.count));
}
