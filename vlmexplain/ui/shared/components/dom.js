// Shared by the components. Elements are made one by one and strings become text nodes:
// nothing a caption or a name holds is ever parsed as markup.
const SVG_TAGS = new Set(["svg", "g", "rect", "path", "line", "mask", "circle", "title"]);

function el(name, attributes = {}, ...children) {
  const node = SVG_TAGS.has(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

// One inner element that is emptied and filled again; the focus stays on the same control.
function repaint(parent, className, children) {
  let root = [...parent.children].find((child) => child.classList.contains("root"));
  if (!root) {
    root = document.createElement("div");
    root.className = "root";
    parent.appendChild(root);
  }
  const focused = root.getRootNode().activeElement?.dataset?.key;
  root.className = `root ${className}`;
  root.replaceChildren(...children.filter(Boolean));
  if (focused) root.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  return root;
}

// Components tell each other which concept is lit: every element of the page that carries
// data-concept takes part.
function light(concept) {
  document.dispatchEvent(new CustomEvent("vlmexplain:light", { detail: { concept } }));
}
