// Streamlit makes each change of the address a step of the browser's history. While someone types
// a caption, its pauses are no steps: the address is replaced, and Back leads to what was there
// before the typing.
function onlyTyped(from, to) {
  const [before, after] = [new URLSearchParams(from.search), new URLSearchParams(to.search)];
  if (from.pathname !== to.pathname || !before.get("caption") || !after.get("caption")) return false;
  if (before.get("caption") === after.get("caption")) return false;
  for (const params of [before, after]) {
    params.delete("caption");
    params.sort();
  }
  return before.toString() === after.toString();
}

export default function () {
  if (window.vlmexplainTyping) return;
  window.vlmexplainTyping = true;
  const push = history.pushState;
  history.pushState = function (state, title, url) {
    const typed = url != null && onlyTyped(location, new URL(url, location.href));
    return typed ? history.replaceState(state, title, url) : push.call(history, state, title, url);
  };
}
