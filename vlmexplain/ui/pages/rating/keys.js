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

// acts: see `keyActs`; each is true when it did something. `away` while a picture is enlarged.
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

const shortcutsOf = (questions) => new Set((questions?.classes ?? []).map((one) => one.shortcut.toLowerCase()).filter(Boolean));

// What each key does, for `listenToKeys`. answering() gives the data and the form while answers are taken.
function keyActs(answering, acts, screen, parent) {
  function digit(n) {
    const now = answering();
    if (!now) return false;
    const { questions, item } = now.data;
    if (questions.kind === "choice") {
      const preference = n === 0 || n === 3 ? (questions.equal ? "equal" : null) : item.preferences[n - 1];
      return Boolean(preference) && changed({ preference });
    }
    const field = parent.querySelector("input.number");
    if (field) return typed(field, n);
    const rating = ratingOfDigit(n, questions.scale);
    return rating !== null && changed({ rating });
  }
  function typed(field, n) {
    field.focus();
    field.value = String(n);
    field.dispatchEvent(new Event("input"));
    return true;
  }
  function letter(pressed) {
    const one = answering()?.data.questions.classes.find((c) => c.shortcut.toLowerCase() === pressed);
    if (one) parent.querySelector(`[data-key="class-${one.key}"]`)?.click();
    return Boolean(one);
  }
  function step(by) {
    const now = answering();
    if (!now) return false;
    const { questions, item } = now.data;
    if (questions.kind === "choice") {
      const [left, right] = item.preferences;
      const all = [left, ...(questions.equal ? ["equal"] : []), right];
      const start = now.form.preference ? all.indexOf(now.form.preference) + by : by < 0 ? 0 : all.length - 1;
      return changed({ preference: all[Math.min(Math.max(start, 0), all.length - 1)] });
    }
    const { lowest, highest } = questions.scale;
    const start = now.form.rating ?? (by > 0 ? lowest - 1 : highest + 1);
    return changed({ rating: Math.min(Math.max(start + by, lowest), highest) });
  }
  function changed(changes) {
    acts.change(changes);
    return true;
  }
  // Out of a field, else out of the list of keys.
  function close(event) {
    const field = event.composedPath().find((node) => node.matches?.("textarea, input"));
    if (!field || !parent.contains(field)) return screen.closeHelp();
    field.blur();
    return true;
  }
  const { submit, back, help } = acts;
  return { digit, letter, step, close, submit, back, help, away: screen.enlarged };
}
