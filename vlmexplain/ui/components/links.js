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
  const page = !to.pathname.startsWith("/media/");
  return to.origin === location.origin && page && !to.hash ? to : null;
}

// Scroll to what was chosen, as soon as the page shows it.
function reveal(name, tries = 50) {
  const node = document.getElementsByClassName(name)[0];
  if (node) node.scrollIntoView({ block: "start", behavior: "smooth" });
  else if (tries) setTimeout(() => reveal(name, tries - 1), 100);
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
