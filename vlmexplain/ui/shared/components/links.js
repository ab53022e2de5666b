// Links of the app to itself turn the page inside the running session, which is several times
// quicker than loading everything anew. Without this script they are plain links and still work.
const MAIN = '[data-testid="stMain"]';

function anchor(event) {
  const target = event.composedPath()[0]; // inside a component, the link itself
  return target instanceof Element ? target.closest(".vx a[href], .root a[href]") : null;
}

function ours(link, event) {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  if (link.target === "_blank" || link.hasAttribute("download")) return null;
  const to = new URL(link.getAttribute("href"), document.baseURI);
  const page = !to.pathname.includes("/media/");
  return to.origin === location.origin && page && !to.hash ? to : null;
}

// Scroll to what was chosen, as soon as the page shows it, and again while what stands above it
// is still growing; whoever scrolls meanwhile is left alone.
function reveal(name) {
  let tries = 80, calm = 0, at = null;
  const stop = () => { tries = 0; };
  const hands = ["wheel", "touchstart", "pointerdown", "keydown"];
  hands.forEach((kind) => addEventListener(kind, stop, { capture: true, passive: true }));
  const look = () => {
    const node = document.getElementsByClassName(name)[0];
    const top = node?.getBoundingClientRect().top;
    calm = node && top === at ? calm + 1 : 0;
    if (node && tries && !calm) node.scrollIntoView({ block: "start" });
    at = node?.getBoundingClientRect().top;
    if (tries-- > 0 && calm < 12) setTimeout(look, 100);
    else hands.forEach((kind) => removeEventListener(kind, stop, { capture: true }));
  };
  look();
}

export default function () {
  if (window.vlmexplainLinks) return;
  window.vlmexplainLinks = true;
  if (new URLSearchParams(location.search).has("cases")) reveal("cases");
  document.addEventListener("click", (event) => {
    const link = anchor(event);
    const to = link && ours(link, event);
    if (!to) return;
    event.preventDefault();
    const turns = to.pathname !== location.pathname;
    history.pushState({}, "", to);
    window.dispatchEvent(new PopStateEvent("popstate"));
    if (turns) document.querySelector(MAIN)?.scrollTo(0, 0);
    if (link.dataset.show) reveal(link.dataset.show);
  });
}
