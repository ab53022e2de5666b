// What stands on the page. An item is drawn once; what changes while it stands is painted anew.
// view: { data, form, notice, busy, locked }
const LOCKED = {
  paused: "The session is paused: your answers are kept, and you can go on when it is open again.",
  closed: "The session is closed: your answers are kept, and no more are taken.",
  draft: "The session is not open yet.",
};

function makeScreen(parent, acts) {
  let drawn = ""; // which item, in which state, the elements stand for
  let before = ""; // the item that stood there last
  let spots = null; // the parts that change while it stands
  let controls = null;
  let zoomed = null;
  let helpFor = null; // the questions whose keys are listed

  function bare(text) {
    repaint(parent, "rater", [el("div", { class: "card", role: "status" }, el("p", {}, text))]);
    forgetParts();
  }

  function clear() {
    repaint(parent, "rater", []);
    forgetParts();
  }

  function forgetParts() {
    drawn = before = "";
    spots = controls = helpFor = null;
  }

  function draw(view) {
    const { phase, item, rater, revealing, truth, pictures } = view.data;
    const names = item ? [item.key, item.position, revealing, truth?.src, pictures.map((p) => p.src), view.form.serial] : [];
    const now = JSON.stringify([phase, rater, ...names]);
    if (now !== drawn || phase !== "item") {
      drawn = now;
      zoomed?.close();
      zoomed = null;
      if (phase === "item") drawItem(view);
      else drawCard(view);
    }
    paint(view);
    if (phase === "item") beginAtQuery(`${item.key} ${revealing}`);
  }

  const spot = (attributes = {}) => el("div", attributes);
  const commonSpots = () => ({ header: spot(), notice: spot({ role: "status" }), around: spot() });

  function drawCard({ data }) {
    spots = commonSpots();
    controls = null;
    spots.around.append(card(data, acts));
    repaint(parent, "rater", [spots.header, spots.notice, spots.around, el("div", { class: "over" })]);
  }

  function drawItem({ data, form }) {
    const { item, revealing } = data;
    controls = revealing ? null : formControls(data, form, acts.change, acts.submit);
    spots = { ...commonSpots(), conflict: spot(), lock: spot(), history: spot(), foot: spot() };
    repaint(parent, "rater", [
      spots.header,
      el("div", { class: "layout" },
        el("div", { class: "seen" }, el("div", { class: "ask" }, el("h2", { class: "label" }, "Query"), el("blockquote", { dir: "auto" }, item.query)), picturesOf(data)),
        el("div", { class: "asked" },
          el("div", { class: "place" }, el("h2", {}, `Item ${item.position}`), item.skipped ? el("span", { class: "pill" }, "skipped") : null, item.version ? el("span", { class: "pill" }, "answered") : null,
            el("button", { type: "button", class: "plain keys", "data-key": "help", onclick: acts.help }, "Keys ", el("kbd", {}, "?"))),
          revealing ? el("p", { class: "given" }, "You answered: ", el("b", { dir: "auto" }, item.history.at(-1)?.text ?? "")) : null,
          spots.lock, spots.conflict, controls?.node, spots.history, el("div", { class: "end" }, spots.notice, spots.foot), spots.around)),
      el("div", { class: "over" }),
    ]);
    if (helpFor) showHelp();
  }

  // The next item is read from its query on, however far down the last one was answered.
  function beginAtQuery(now) {
    const ask = parent.querySelector(".ask");
    const { top, bottom } = ask.getBoundingClientRect();
    const covered = parseFloat(getComputedStyle(ask).scrollMarginTop) - 4;
    const inSight = top >= covered && bottom <= window.innerHeight;
    if (before && before !== now && !inSight) ask.scrollIntoView({ block: "start" });
    before = now;
  }

  function picturesOf({ pictures, truth, problem }) {
    if (problem) return el("p", { class: "lost" }, problem);
    const zoom = (picture) => {
      zoomed = zoomDialog(picture);
      parent.querySelector(".over").append(zoomed);
      zoomed.showModal();
    };
    return el("div", { class: "pictures" }, (truth ? [truth, ...pictures] : pictures).map((picture) => figureOf(picture, zoom)));
  }

  // Cheap enough for every press.
  function paint(view) {
    if (!spots) return;
    const { data, form, notice, busy, locked } = view;
    refill(spots.header, [data.progress, data.session, data.name], () => header(data, acts));
    spots.notice.className = `notice ${notice?.kind ?? ""}`;
    refill(spots.notice, notice, () => noticeOf(notice));
    if (data.phase !== "item" || !form || !spots.foot) return;
    controls?.paint();
    if (controls) controls.node.disabled = locked || (busy && notice?.kind === "wait");
    refill(spots.lock, [locked, data.state], () => (locked ? el("p", { class: "lost" }, LOCKED[data.state]) : null));
    refill(spots.conflict, form.conflict, () => (form.conflict ? conflictBox(form.conflict, acts) : null));
    refill(spots.history, [data.item.history, data.revealing], () => (data.revealing ? null : historyOf(data.item)));
    refill(spots.foot, footState(view), () => foot(footState(view), acts));
    refill(spots.around, data.progress.skipped_positions, () => skippedList(data, acts));
  }

  // Made anew only when it says something else, or a button would vanish between being pressed
  // and let go; a button that has the focus keeps it.
  function refill(node, state, make) {
    const now = JSON.stringify(state);
    if (node.state === now) return;
    node.state = now;
    const focused = node.getRootNode().activeElement?.dataset?.key;
    const made = make();
    node.replaceChildren(...[made].flat().filter(Boolean));
    if (focused) node.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  function help(questions) {
    helpFor = helpFor ? null : questions;
    showHelp();
  }

  function showHelp() {
    parent.querySelector(".over")?.replaceChildren(...(helpFor ? [keyHelp(helpFor, closeHelp)] : []));
  }

  function closeHelp() {
    const wasOpen = Boolean(helpFor);
    helpFor = null;
    showHelp();
    return wasOpen;
  }

  return { bare, clear, draw, paint, help, closeHelp, enlarged: () => Boolean(zoomed?.open) };
}
