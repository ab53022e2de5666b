// What stands around the controls: whose visit, how far, what the keys are, what was answered.
// acts: what the buttons do, see rater.js.
function progressBar(label, done, total) {
  const share = total ? Math.min(100, (100 * done) / total) : 0;
  return el("div", { class: "bar" },
    el("span", {}, `${label} `, el("b", {}, `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`)),
    el("i", { role: "progressbar", "aria-label": label, "aria-valuenow": done, "aria-valuemax": total }, el("i", { style: `width:${share.toFixed(1)}%` })));
}

function header(data, acts) {
  const { progress } = data;
  return el("header", {},
    el("div", { class: "who" },
      el("b", { dir: "auto" }, data.session), el("span", { class: "name" }, "rating as ", el("bdi", {}, data.name)),
      el("button", { type: "button", class: "plain", "data-key": "leave", onclick: acts.leave }, "Leave")),
    el("div", { class: "bars" },
      progressBar("You", progress.own_answered, progress.own_total),
      progressBar("All raters", progress.session_answers, progress.session_wanted)));
}

function skippedList(data, acts) {
  const positions = data.progress.skipped_positions;
  if (!positions.length) return null;
  return el("div", { class: "skipped" }, "Skipped: ",
    positions.map((n) => el("button", { type: "button", class: "plain", "data-key": `skipped-${n}`, onclick: () => acts.look(n), "aria-label": `Go to skipped item ${n}` }, String(n))));
}

function historyOf(item) {
  if (!item.history.length) return null;
  const when = (at) => new Date(at * 1000).toLocaleString([], { dateStyle: "short", timeStyle: "short" });
  return el("details", { class: "history" },
    el("summary", {}, `Your answer, version ${item.version}`),
    el("ol", {}, item.history.map((past) => el("li", { value: past.version }, el("span", { dir: "auto" }, past.text), el("small", {}, ` ${when(past.at)}`)))));
}

function keyHelp(questions, close) {
  const { scale, kind } = questions;
  const rows = kind === "choice"
    ? [["1", "the first image fits better"], ["2", "the second image fits better"], questions.equal ? ["0", "both fit equally"] : null]
    : [scale.highest <= 10
        ? [scale.lowest > 0 && scale.highest === 10 ? `${Math.max(scale.lowest, 1)}–9, 0` : `${scale.lowest}–${Math.min(scale.highest, 9)}`,
          scale.lowest > 0 && scale.highest === 10 ? "the rating; 0 is ten" : "the rating"]
        : null];
  const all = [...rows, ["← →", kind === "choice" ? "choose" : "rating down, up"],
    ...questions.classes.filter((one) => one.shortcut).map((one) => [one.shortcut, one.label]),
    ["Enter", "submit, and on to the next"], ["Backspace", "back to earlier answers"],
    questions.comment ? ["Tab, Esc", "into a field, out of it"] : null, ["?", "this list"]].filter(Boolean);
  return el("div", { class: "help", role: "dialog", "aria-label": "Keys" },
    el("h3", {}, "Keys"),
    el("dl", {}, all.map(([key, meaning]) => [el("dt", {}, el("kbd", {}, key)), el("dd", { dir: "auto" }, meaning)])),
    el("p", {}, "Keys do nothing while you type in a field."),
    el("button", { type: "button", class: "plain", onclick: close }, "Close"));
}

// A page without an item: nothing to do now, or for good.
function card(data, acts) {
  const { progress } = data;
  const answered = `${progress.own_answered.toLocaleString("en")} ${progress.own_answered === 1 ? "answer" : "answers"}`;
  const said = {
    waiting: ["Nothing for you at this moment", `Other raters hold the last ${data.n_waiting === 1 ? "item" : `${data.n_waiting} items`}. This page looks again by itself.`],
    done: ["Done, thank you", `You gave ${answered}. All of them are kept; you can still change them.`],
    stopped: [data.text, data.remedy],
  }[data.phase];
  return el("div", { class: "card", role: "status" },
    el("h2", {}, said[0]), el("p", {}, said[1]),
    data.phase === "stopped" && data.state !== "closed" ? el("p", { class: "quiet" }, "This page goes on by itself when it is open.") : null,
    data.phase === "stopped" ? el("p", { class: "quiet" }, `You gave ${answered}.`) : null,
    el("div", { class: "foot" },
      progress.last_position_1based ? el("button", { type: "button", "data-key": "back", onclick: acts.back }, "Look at your answers ", el("kbd", {}, "⌫")) : null),
    skippedList(data, acts));
}

function noticeOf(notice) {
  if (!notice) return null;
  const button = notice.act ? el("button", { type: "button", "data-key": "notice", onclick: notice.act[1] }, notice.act[0]) : null;
  return [el("span", {}, notice.text), button];
}

function conflictBox(conflict, acts) {
  return el("div", { class: "conflict", role: "alert" },
    el("p", {}, el("b", {}, "Answered meanwhile in another tab or on another device: "), el("span", { dir: "auto" }, conflict.text)),
    el("p", {}, "What you filled in here is below. Which one counts?"),
    el("div", { class: "row" },
      el("button", { type: "button", "data-key": "keep-theirs", onclick: acts.keepTheirs }, "Keep that answer"),
      el("button", { type: "button", "data-key": "keep-mine", onclick: acts.replaceTheirs }, "Replace it with mine")));
}

function footState({ data, form, busy, locked }) {
  const { item, questions, revealing } = data;
  return {
    position: item.position, answered: item.version > 0, skipped: item.skipped, revealing, locked, busy,
    edited: item.version > 0 && !isSame(form, item.answer, questions), complete: isComplete(form, questions),
  };
}

function foot(now, acts) {
  const { answered, busy, edited, locked } = now;
  const button = (key, text, shortcut, on, off, more = {}) => el("button", { type: "button", "data-key": key, disabled: off, onclick: on, ...more }, text, shortcut ? el("kbd", { "aria-hidden": "true" }, shortcut) : null);
  if (now.revealing)
    return el("div", { class: "foot" },
      button("back", "Change", "⌫", acts.back, busy),
      button("submit", "Next", "↵", acts.submit, busy, { class: "main" }));
  const does = answered ? (edited ? "Save change" : "To the next item") : "Submit";
  const refused = locked && (edited || !answered);
  return el("div", { class: "foot" },
    button("back", "Back", "⌫", acts.back, now.position === 1 || busy),
    answered || now.skipped ? button("on", "Forward", "", acts.on, busy) : button("skip", "Skip", "", acts.skip, busy || locked),
    answered && !edited ? null : button("draft", "Save draft", "", acts.saveDraft, busy || locked),
    button("submit", busy ? "Saving…" : does, "↵", acts.submit, busy || refused, { class: "main", "aria-disabled": !now.complete && !answered ? "true" : null }));
}
