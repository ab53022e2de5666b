// What a rater fills in for one item. It lives here and not on the server, so that every press
// shows at once; a copy goes to this browser's memory at once and to the server soon.
const MOST_BUTTONS = 21; // a longer scale is typed

// The form of an item: as kept in this browser when the server has not seen it, else as drafted
// on any device, else as answered.
let formsMade = 0;
function newForm(data, local) {
  const { item } = data;
  const unseen = local && !local.synced && local.version === item.version;
  const base = unseen ? local : item.draft ?? item.answer ?? {};
  const same = local && local.version === item.version;
  return {
    key: item.key, item: item.item, occurrence: item.occurrence, position: item.position, version: item.version,
    rating: base.rating ?? null, preference: base.preference ?? null, classes: new Set(base.classes ?? []), comment: base.comment ?? "",
    submission: (unseen && local.submission) || newId(),
    touched: Boolean(unseen), // since the server last saw it
    used: false, // pressed or typed in since it is on the screen
    restored: Boolean(unseen || item.draft),
    sent: false, // pressed Submit, and the server may or may not have it
    conflict: null,
    serial: (formsMade += 1),
    edition: 0,
    before: (same && local.seconds) || 0, since: document.hidden ? null : performance.now(), shown: performance.now(),
  };
}

function answerOf(form, questions) {
  const classes = questions.classes.map((one) => one.key).filter((key) => form.classes.has(key));
  return { rating: form.rating, preference: form.preference, classes, comment: form.comment };
}

function isComplete(form, questions) {
  return questions.kind === "choice" ? form.preference !== null : form.rating !== null;
}

function isSame(form, answer, questions) {
  const mine = answerOf(form, questions);
  return Boolean(answer) && mine.rating === answer.rating && mine.preference === answer.preference
    && mine.comment === answer.comment && mine.classes.join() === answer.classes.join();
}

// Seconds the item was on a visible page.
function secondsOf(form) {
  return form.before + (form.since === null ? 0 : (performance.now() - form.since) / 1000);
}

function countTime(form) {
  form.before = secondsOf(form);
  form.since = document.hidden ? null : performance.now();
}

function ratingsOf({ lowest, highest }) {
  return Array.from({ length: highest - lowest + 1 }, (_, i) => lowest + i);
}

// Which rating a digit means: 0 is ten, unless 0 is itself on the scale.
function ratingOfDigit(digit, { lowest, highest }) {
  const meant = digit === 0 && lowest > 0 ? 10 : digit;
  return highest <= 10 && meant >= lowest && meant <= highest ? meant : null;
}

// The controls; `change(changes)` tells what was pressed, `paint()` shows how things are.
function formControls(data, form, change, submit) {
  const { questions, item } = data;
  const { scale } = questions;
  const painters = [];
  const mark = (text) => el("kbd", { "aria-hidden": "true" }, text);

  function rateButtons() {
    const buttons = ratingsOf(scale).map((n) => {
      const button = el("button", { type: "button", role: "radio", class: "rate", "data-answers": "", "data-key": `rating-${n}`, "aria-label": String(n), onclick: () => change({ rating: n }) }, String(n));
      painters.push(() => {
        button.setAttribute("aria-checked", String(form.rating === n));
        button.tabIndex = form.rating === n || (form.rating === null && n === scale.lowest) ? 0 : -1;
      });
      return button;
    });
    return el("div", { class: "scale", role: "radiogroup", "aria-label": "Rating", style: `--n:${buttons.length <= 6 ? buttons.length : Math.ceil(buttons.length / Math.ceil(buttons.length / 6))}` }, buttons);
  }
  function rateField() {
    const field = el("input", { type: "number", class: "number", inputmode: "numeric", min: scale.lowest, max: scale.highest, step: 1, "data-key": "rating-field", "aria-label": `Rating, ${scale.lowest} to ${scale.highest}`,
      oninput: () => {
        const n = Number(field.value);
        const good = field.value !== "" && Number.isInteger(n) && n >= scale.lowest && n <= scale.highest;
        change({ rating: good ? n : null });
      },
      onkeydown: (event) => { if (event.key === "Enter" && !event.isComposing) submit(); } });
    painters.push(() => { if (field.getRootNode().activeElement !== field) field.value = form.rating ?? ""; });
    return field;
  }
  function rating() {
    const few = scale.highest - scale.lowest < MOST_BUTTONS;
    return el("div", { class: "rating" },
      el("h3", {}, "How well does the retrieved image answer the query?"),
      few ? rateButtons() : rateField(),
      el("p", { class: "ends" }, el("span", { dir: "auto" }, `${scale.lowest} = ${scale.lowest_label}`), el("span", { dir: "auto" }, `${scale.highest} = ${scale.highest_label}`)));
  }
  function choose(preference, n) {
    const title = preference === "equal" ? "Both fit equally" : `Image ${n + 1} fits better`;
    const button = el("button", { type: "button", role: "radio", class: "choose", "data-answers": "", "data-key": `choose-${n}`, onclick: () => change({ preference }) }, mark(String(preference === "equal" ? 0 : n + 1)), title);
    painters.push(() => {
      button.setAttribute("aria-checked", String(form.preference === preference));
      button.tabIndex = form.preference === preference || (form.preference === null && n === 0) ? 0 : -1;
    });
    return button;
  }
  function choice() {
    return el("div", { class: "choice" },
      el("h3", {}, "Which image fits the query better?"),
      el("div", { class: "sides", role: "radiogroup", "aria-label": "Choice" },
        item.preferences.map(choose), questions.equal ? choose("equal", 2) : null));
  }
  function classes() {
    if (!questions.classes.length) return null;
    const buttons = questions.classes.map((one) => {
      const button = el("button", { type: "button", role: "checkbox", class: "class", "data-answers": "", "data-key": `class-${one.key}`, title: one.meaning || null,
        onclick: () => {
          const marked = new Set(form.classes);
          if (!marked.delete(one.key)) marked.add(one.key);
          change({ classes: marked });
        } }, one.shortcut ? mark(one.shortcut) : null, el("span", { dir: "auto" }, one.label));
      painters.push(() => button.setAttribute("aria-checked", String(form.classes.has(one.key))));
      return button;
    });
    return el("div", { class: "marks" },
      el("h3", {}, "What is wrong? ", el("small", {}, "any number, or none")),
      el("div", { class: "classes", role: "group", "aria-label": "Failure classes" }, buttons));
  }
  function comment() {
    if (!questions.comment) return null;
    const field = el("textarea", { rows: 2, dir: "auto", "data-key": "comment", placeholder: "Comment (optional)", "aria-label": "Comment",
      oninput: () => change({ comment: field.value }),
      onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(); } });
    const count = el("p", { class: "count", role: "status" });
    field.value = form.comment;
    painters.push(() => {
      if (field.value !== form.comment) field.value = form.comment;
      const over = [...form.comment].length - questions.longest_comment;
      count.textContent = over > 0 ? `${over.toLocaleString("en")} characters too long; nothing is cut, please shorten it.` : "";
    });
    return el("div", { class: "comment" }, field, count);
  }
  const node = el("fieldset", { class: "controls" },
    questions.kind === "choice" ? choice() : rating(), classes(), comment());
  return { node, paint: () => painters.forEach((paint) => paint()) };
}
