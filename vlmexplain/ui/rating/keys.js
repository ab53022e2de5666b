// Keys act only when nobody is typing: no field has the focus, no input method composes, no
// modifier is held, and the key is not repeating.
const TYPING = "input, textarea, select, [contenteditable]:not([contenteditable=false])";

function isTyping(event) {
  if (event.isComposing || event.keyCode === 229) return true;
  return event.composedPath().some((node) => node.matches?.(TYPING));
}

// The letter pressed, whatever the keyboard's language: d on a Russian keyboard too.
function letterOf(event, known) {
  const letter = event.key.length === 1 ? event.key.toLowerCase() : "";
  if (known.has(letter)) return letter;
  const place = /^Key([A-Z])$/.exec(event.code ?? "");
  const latin = /^[a-z]$/.test(letter);
  return place && letter && !latin ? place[1].toLowerCase() : letter;
}

function digitOf(event) {
  if (/^[0-9]$/.test(event.key)) return Number(event.key);
  const place = /^Digit([0-9])$/.exec(event.code ?? "");
  return place && !event.shiftKey ? Number(place[1]) : null; // digits that need Shift, as in French
}

// acts: what to do, each true when it did something; `away` while a picture is enlarged.
function listenToKeys(acts, letters) {
  function press(event) {
    if (event.key === "Tab") clicked = false;
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (acts.away() || document.querySelector("[data-testid=stDialog], [role=dialog][aria-modal=true]")) return;
    if (event.key === "Escape" && acts.close(event)) return done(event);
    if (isTyping(event) || event.repeat) return;
    if (act(event)) done(event);
  }
  function act(event) {
    if (event.key === "?") return acts.help();
    if (event.key === "Enter") return !onOtherControl(event) && acts.submit();
    if (event.key === "Backspace") return acts.back();
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") return acts.step(event.key === "ArrowRight" ? 1 : -1);
    const digit = digitOf(event);
    if (digit !== null) return acts.digit(digit);
    const letter = letterOf(event, letters());
    return letters().has(letter) && acts.letter(letter);
  }
  // Streamlit has keys of its own (r, c), which must not fire as well.
  function done(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  // Enter submits from a rating or a class, as in any form. Other buttons it presses when they were
  // reached by Tab; one that was clicked, such as the guidelines, does not swallow it.
  let clicked = false;
  const click = () => { clicked = true; };
  const onOtherControl = (event) => !clicked && event.composedPath().some((node) =>
    node.matches?.("a, summary, button, [role=button], [role=tab]") && node.dataset.answers === undefined);
  window.addEventListener("keydown", press, true);
  window.addEventListener("pointerdown", click, true);
  return () => {
    window.removeEventListener("keydown", press, true);
    window.removeEventListener("pointerdown", click, true);
  };
}
