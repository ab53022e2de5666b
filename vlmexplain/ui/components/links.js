// Links of the app to itself turn the page inside the running session, which is several times
// quicker than loading everything anew. Without this script they are plain links and still work.
const MAIN = '[data-testid="stMain"]';

function ours(event) {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest(".vx a[href]") : null;
  if (!link || link.target === "_blank" || link.hasAttribute("download")) return null;
  const to = new URL(link.getAttribute("href"), document.baseURI);
  const page = !to.pathname.startsWith("/media/");
  return to.origin === location.origin && page && !to.hash ? to : null;
}

export default function () {
  if (window.vlmexplainLinks) return;
  window.vlmexplainLinks = true;
  document.addEventListener("click", (event) => {
    const to = ours(event);
    if (!to) return;
    event.preventDefault();
    const turns = to.pathname !== location.pathname;
    history.pushState({}, "", to);
    window.dispatchEvent(new PopStateEvent("popstate"));
    if (turns) document.querySelector(MAIN)?.scrollTo(0, 0);
  });
}
