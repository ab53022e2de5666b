// The rater's page: one item, its controls, and the talk with the server.
// data: see view.py. Every message carries the ticket, so that a server that was started anew
// while someone rates can serve it.
const AUTOSAVE_MS = 1500;
const CALM_MS = 500; // a second press meant for what was there before

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  parentElement.rater ??= makeRater(parentElement);
  const rater = parentElement.rater;
  rater.take(data, (message) => setTriggerValue("act", message));
  return () => {
    rater.stop();
    delete parentElement.rater;
  };
}

function makeRater(parent) {
  let data = null; // what the server said last
  let form = null; // what the rater fills in
  let drawn = ""; // which item, in which state, the elements stand for
  let controls = null;
  let spots = null; // the parts that change while an item stands
  let notice = null; // { kind, text, act }
  let helping = false;
  let zoomed = null;
  let autosaving = 0;
  let looking = 0;
  let ticket = "";
  let code = "";

  const outbox = makeOutbox((message) => say("wait", message.kind === "submit"
    ? "No answer from the server yet. Your answer is kept in this browser and is being sent again."
    : "No answer from the server yet; trying again. What you filled in is kept in this browser."));
  const inside = () => data?.phase === "item" && form;
  const locked = () => data.state !== "open";

  // ---- what arrives
  function take(next, send) {
    outbox.use(send);
    code = next.code || code;
    if (next.phase === "opening") return open(next);
    const before = data;
    if (next.phase === "trouble") {
      return inTrouble(next);
    }
    data = next;
    ticket = next.ticket ?? "";
    if (next.phase === "join") return outside(next);
    keepTicket(code, ticket);
    settle(next.reply);
    adopt(before);
    draw();
    preload(next.preload ?? []);
    lookLater();
  }

  // The database does not answer: what stands is left standing.
  function inTrouble(next) {
    if (!data) bare(next);
    const message = outbox.settle(next.reply);
    if (message && next.reply.refused) return refused(message, next.reply);
    if (message?.kind === "submit") forgetUnsent(message);
    if (outbox.flying) return;
    const again = { kind: "look", ticket, code, position: next.reply?.done === "submit" ? null : place() };
    outbox.retry(again);
    say("bad", `${next.text} ${next.remedy}`, ["Try again", () => outbox.retry(again, true)]);
  }

  function open(next) {
    if (outbox.resend()) return say("wait", "Connected again. Sending what was on its way.");
    if (data && ticket) return look(place());
    const found = keptTicket(next.code);
    code = found.code;
    bare({ text: "Opening…" });
    if (!found.ticket) return outbox.post({ kind: "nothing" });
    ticket = found.ticket;
    const [first] = unsent(code);
    if (first) outbox.post({ ...first, kind: "submit" });
    else outbox.post({ kind: "resume", ticket, code, position: keptPlace(code) });
  }

  function outside(next) {
    const settled = outbox.settle(next.reply);
    outbox.stop();
    if (settled?.kind === "submit") forgetUnsent(settled);
    if (data && next.reply?.done === "leave") forgetDrafts(code, data.rater);
    if (code && (next.reply?.refused === "ticket" || next.reply?.done === "leave")) forgetTicket(code);
    data = form = null;
    drawn = "";
    clearTimeout(autosaving);
    clearTimeout(looking);
    repaint(parent, "rater", []);
  }

  function settle(reply) {
    const message = outbox.settle(reply);
    if (!message) return;
    if (reply.refused) return refused(message, reply);
    if (notice?.kind !== "good") notice = null;
    if (message.kind === "submit") {
      forgetUnsent(message);
      forget(draftName(code, data.rater, `${message.item}.${message.occurrence}`));
      if (form?.key === `${message.item}.${message.occurrence}`) form = null;
      say("good", reply.version > 1 ? `Answer ${message.position} changed (version ${reply.version}).` : `Answer ${message.position} saved.`);
    } else if (message.kind === "skip") say("good", `Item ${message.position} skipped; you find it again below.`);
    else if (message.kind === "draft" && form?.key === `${message.item}.${message.occurrence}`) {
      if (message.edition === form.edition) {
        form.touched = false;
        keepLocal(true);
      }
      say("quiet", "Draft saved.");
    } else if (reply.nowhere) say("quiet", "This is your first item.");
    const [left] = unsent(code);
    if (left && message.kind !== "draft" && !outbox.flying) outbox.post(left);
  }

  function refused(message, reply) {
    const text = `${reply.text} ${reply.remedy}`;
    if (reply.refused === "store") {
      outbox.retry(message);
      const what = message.kind === "submit" ? "Not saved yet. Your answer is kept in this browser and is sent again by itself. " : "";
      return say("bad", what + text, ["Send again now", () => outbox.retry(message, true)]);
    }
    if (message.kind === "submit") forgetUnsent(message);
    if (reply.refused === "conflict") {
      notice = null;
      if (data.phase !== "item") return say("bad", text);
      const { classes, ...others } = message.answer;
      form ??= Object.assign(newForm(data, null), others, { classes: new Set(classes), touched: true, used: true });
      return clash(reply.version);
    }
    if (message.kind !== "draft" || reply.refused === "not-open") say("bad", text);
  }

  function clash(version) {
    form.conflict = { text: data.item.history.at(-1)?.text ?? "" };
    form.version = version;
  }

  // The form stays while its item stands, whatever else arrives.
  function adopt() {
    if (data.phase !== "item") {
      form = null;
      return;
    }
    const { item } = data;
    keepPlace(code, item.version || item.skipped ? item.position : null);
    const name = draftName(code, data.rater, item.key);
    if (form?.key === item.key && form.version === item.version) return;
    if (form?.key === item.key && (form.used || form.restored) && form.version < item.version && !isSame(form, item.answer, data.questions)) {
      return clash(item.version);
    }
    form = newForm(data, kept(name));
    if (form.restored && !isSame(form, item.answer, data.questions)) {
      const filled = item.version ? "What you changed and did not submit is filled in." : "Your draft is filled in.";
      if (notice?.kind === "good") notice.text += ` ${filled}`;
      else say("quiet", filled);
    }
    if (form.touched) autosave();
  }

  // ---- what is drawn
  function say(kind, text, act = null) {
    notice = { kind, text, act };
    paint();
  }

  function bare(next) {
    repaint(parent, "rater", [el("div", { class: "card", role: "status" }, el("p", {}, next.text))]);
    drawn = "";
  }

  function draw() {
    const { phase, item } = data;
    const names = item ? [item.key, item.position, data.revealing, data.truth?.src, data.pictures.map((p) => p.src), form.serial] : [];
    const now = JSON.stringify([phase, data.rater, ...names]);
    if (now !== drawn || phase !== "item") {
      drawn = now;
      zoomed?.close();
      zoomed = null;
      if (phase === "item") drawItem();
      else drawCard();
    }
    paint();
  }

  function drawCard() {
    spots = { header: el("div"), notice: el("div", { class: "notice", role: "status" }), around: el("div") };
    controls = null;
    spots.around.append(card(data, acts));
    repaint(parent, "rater", [spots.header, spots.notice, spots.around, el("div", { class: "over" })]);
  }

  function drawItem() {
    const { item, pictures, truth, questions } = data;
    controls = data.revealing ? null : formControls(data, form, change, submit);
    spots = {
      header: el("div"), notice: el("div", { class: "notice", role: "status" }), conflict: el("div"),
      lock: el("div"), history: el("div"), foot: el("div"), around: el("div"),
    };
    const zoom = (picture) => {
      zoomed = zoomDialog(picture);
      parent.querySelector(".over").append(zoomed);
      zoomed.showModal();
    };
    const figures = pictures.map((picture) => figureOf(picture, null, zoom));
    const both = truth ? [figureOf(truth, null, zoom), ...figures] : figures;
    repaint(parent, "rater", [
      spots.header,
      el("div", { class: "layout" },
        el("div", { class: "seen" },
          el("div", { class: "ask" }, el("h2", { class: "label" }, "Query"), el("blockquote", { dir: "auto", "data-key": "query" }, item.query)),
          data.problem ? el("p", { class: "lost" }, data.problem) : el("div", { class: "pictures" }, both)),
        el("div", { class: "asked" },
          el("div", { class: "place" }, el("h2", {}, `Item ${item.position}`), item.skipped ? el("span", { class: "pill" }, "skipped") : null, item.version ? el("span", { class: "pill" }, "answered") : null,
            el("button", { type: "button", class: "plain keys", "data-key": "help", onclick: acts.help }, "Keys ", el("kbd", {}, "?"))),
          data.revealing ? el("p", { class: "given" }, "You answered: ", el("b", { dir: "auto" }, item.history.at(-1)?.text ?? "")) : null,
          spots.lock, spots.conflict, controls?.node, spots.history, el("div", { class: "end" }, spots.notice, spots.foot), spots.around)),
      el("div", { class: "over" }),
    ]);
    if (!helping) return;
    helping = false;
    help();
  }

  // What changes without the item changing; cheap enough for every press.
  function paint() {
    if (!spots || !data) return;
    refill(spots.header, [data.progress, data.session, data.name], () => header(data, acts));
    spots.notice.className = `notice ${notice?.kind ?? ""}`;
    spots.notice.replaceChildren(...(notice ? [el("span", {}, notice.text), notice.act ? el("button", { type: "button", "data-key": "notice", onclick: notice.act[1] }, notice.act[0]) : null].filter(Boolean) : []));
    if (!inside() || !spots.foot) return;
    controls?.paint();
    if (controls) controls.node.disabled = locked();
    spots.lock.replaceChildren(...(locked() ? [el("p", { class: "lost" }, { paused: "The session is paused: your answers are kept, and you can go on when it is open again.", closed: "The session is closed: your answers are kept, and no more are taken.", draft: "The session is not open yet." }[data.state])] : []));
    spots.conflict.replaceChildren(...(form.conflict ? [conflictBox()] : []));
    refill(spots.history, [data.item.history, data.revealing], () => (data.revealing ? null : historyOf(data.item)));
    refill(spots.foot, footState(), foot);
    refill(spots.around, data.progress.skipped_positions, () => skippedList(data, acts));
  }

  // Made anew only when it says something else, or a button would vanish between being pressed
  // and let go; a button that has the focus keeps it.
  function refill(node, state, make) {
    const now = JSON.stringify(state);
    if (node.state === now) return;
    node.state = now;
    const focused = node.getRootNode().activeElement?.dataset?.key;
    const child = make();
    node.replaceChildren(...(child ? [child] : []));
    if (focused) node.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  function conflictBox() {
    return el("div", { class: "conflict", role: "alert" },
      el("p", {}, el("b", {}, "Answered meanwhile in another tab or on another device: "), el("span", { dir: "auto" }, form.conflict.text)),
      el("p", {}, "What you filled in here is below. Which one counts?"),
      el("div", { class: "row" },
        el("button", { type: "button", "data-key": "keep-theirs", onclick: keepTheirs }, "Keep that answer"),
        el("button", { type: "button", "data-key": "keep-mine", onclick: replaceTheirs }, "Replace it with mine")));
  }

  const footState = () => ({
    position: data.item.position, version: data.item.version, skipped: data.item.skipped, revealing: data.revealing, locked: locked(),
    busy: outbox.busy, edited: !isSame(form, data.item.answer, data.questions), complete: isComplete(form, data.questions),
  });

  function foot() {
    const { item } = data;
    const busy = outbox.busy;
    const first = item.position === 1;
    const button = (key, text, shortcut, on, off, more = {}) => el("button", { type: "button", "data-key": key, disabled: off, onclick: on, ...more }, text, shortcut ? el("kbd", { "aria-hidden": "true" }, shortcut) : null);
    if (data.revealing)
      return el("div", { class: "foot" },
        button("back", "Change", "⌫", acts.back, busy),
        button("submit", "Next", "↵", acts.submit, busy, { class: "main" }));
    const edited = item.version && !isSame(form, item.answer, data.questions);
    return el("div", { class: "foot" },
      button("back", "Back", "⌫", acts.back, first || busy),
      item.version || item.skipped
        ? button("on", "Forward", "", () => step("on"), busy)
        : button("skip", "Skip", "", skip, busy || locked()),
      item.version && !edited ? null : button("draft", "Save draft", "", saveDraft, busy || locked()),
      button("submit", busy ? "Saving…" : item.version ? (edited ? "Save change" : "To the next item") : "Submit", "↵", acts.submit, busy || (locked() && (edited || !item.version)), { class: "main", "aria-disabled": !isComplete(form, data.questions) && !item.version ? "true" : null }));
  }

  // ---- what the rater does
  function change(changes) {
    if (!inside() || locked() || data.revealing) return;
    if (outbox.busy) return; // what is being saved is what was submitted
    Object.assign(form, changes);
    form.touched = form.used = true;
    form.edition += 1;
    if (form.sent) supersede();
    if (notice?.act || notice?.kind !== "wait") notice = null;
    keepLocal(false);
    autosave();
    paint();
  }

  // Changed after a Submit that did not get through: another answer, by another id.
  function supersede() {
    outbox.dropRetry();
    forgetUnsent({ code, submission_id: form.submission });
    Object.assign(form, { submission: newId(), sent: false });
  }

  function keepLocal(synced) {
    keep(draftName(code, data.rater, form.key), { ...answerOf(form, data.questions), version: form.version, submission: form.submission, seconds: secondsOf(form), synced });
  }

  function autosave() {
    clearTimeout(autosaving);
    autosaving = setTimeout(() => {
      if (!inside() || !form.touched || form.conflict || locked()) return;
      if (outbox.flying) autosave();
      else saveDraft();
    }, AUTOSAVE_MS);
  }

  function saveDraft() {
    clearTimeout(autosaving);
    if (tooLong()) return;
    outbox.post({ kind: "draft", ...about(), edition: form.edition });
    paint();
  }

  const about = () => ({ ticket, code, position: form.position, item: form.item, occurrence: form.occurrence, answer: answerOf(form, data.questions) });

  function tooLong() {
    const over = [...form.comment].length > data.questions.longest_comment;
    if (over) say("bad", "The comment is too long; nothing is cut, please shorten it.");
    return over;
  }

  function submit() {
    if (!inside() || outbox.busy) return false;
    const hasty = !form.used && performance.now() - form.shown < CALM_MS;
    if (hasty) return true;
    if (data.revealing) return look(null);
    const { questions, item } = data;
    if (item.version && !form.conflict && isSame(form, item.answer, questions)) return look(null);
    if (locked()) return true;
    if (!isComplete(form, questions)) {
      say("bad", questions.kind === "choice" ? "Choose one image first." : "Choose a rating first.");
      return true;
    }
    if (form.conflict) {
      say("bad", "First choose above which answer counts.");
      return true;
    }
    if (tooLong()) return true;
    clearTimeout(autosaving);
    const message = { kind: "submit", ...about(), submission_id: form.submission, version: form.version, seconds: form.version ? null : secondsOf(form) };
    form.sent = true;
    keepUnsent(message);
    parent.querySelector("textarea")?.blur();
    outbox.post(message);
    paint();
    return true;
  }

  function keepTheirs() {
    forget(draftName(code, data.rater, form.key));
    const { answer } = data.item;
    Object.assign(form, { rating: answer.rating, preference: answer.preference, classes: new Set(answer.classes), comment: answer.comment, conflict: null, touched: false, used: true, submission: newId() });
    saveDraft(); // in place of a draft that this tab may have saved
    outbox.post({ kind: "look", ticket, code, position: null }, true);
  }

  function replaceTheirs() {
    Object.assign(form, { conflict: null, submission: newId(), used: true });
    submit();
  }

  function skip() {
    if (!inside() || outbox.busy || locked()) return;
    clearTimeout(autosaving);
    afterDraft({ kind: "skip", ...about() });
  }

  const place = () => (data?.phase === "item" ? data.item.position : null);

  function look(position) {
    clearTimeout(looking);
    outbox.post({ kind: "look", ticket, code, position });
    paint();
    return true;
  }

  function step(kind) {
    if (!data?.progress || outbox.busy) return true;
    afterDraft({ kind, ticket, code, position: place() });
    return true;
  }

  // What was begun is saved on the way to another item.
  function afterDraft(message) {
    if (inside() && form.touched && !form.conflict && !locked()) saveDraft();
    outbox.post(message, true);
    paint();
  }

  function leave() {
    if (unsent(code).length) return say("bad", "An answer has not reached the server yet; it would be lost. Wait until it is saved.");
    if (inside() && form.touched && !locked()) return say("bad", "Save or submit what you filled in first.", ["Save draft", saveDraft]);
    outbox.post({ kind: "leave", ticket, code });
  }

  function help() {
    if (!data?.questions) return false;
    helping = !helping;
    parent.querySelector(".over")?.replaceChildren(...(helping ? [keyHelp(data.questions, help)] : []));
    return true;
  }

  function back() {
    if (inside() && data.revealing) return look(place());
    if (!data?.progress?.last_position_1based) return true;
    return step("back");
  }

  const acts = { leave, look, back, submit, help };

  function lookLater() {
    clearTimeout(looking);
    const idle = data.phase === "waiting" || (data.state !== "closed" && data.state !== "open");
    if (!idle) return;
    looking = setTimeout(() => {
      if (document.hidden || outbox.flying) lookLater();
      else look(place());
    }, data.look_again_s * 1000);
  }

  // ---- the keyboard and the clock
  const stopKeys = listenToKeys({
    away: () => Boolean(zoomed?.open),
    digit(n) {
      if (!inside() || locked() || data.revealing) return false;
      const { questions, item } = data;
      if (questions.kind === "choice") {
        const chosen = n === 0 || n === 3 ? (questions.equal ? "equal" : undefined) : item.preferences[n - 1];
        if (chosen) change({ preference: chosen });
        return Boolean(chosen);
      }
      const field = parent.querySelector("input.number");
      if (field) {
        field.focus();
        field.value = String(n);
        field.dispatchEvent(new Event("input"));
        return true;
      }
      const rating = ratingOfDigit(n, questions.scale);
      if (rating !== null) change({ rating });
      return rating !== null;
    },
    letter(letter) {
      if (!inside() || locked() || data.revealing) return false;
      const one = data.questions.classes.find((c) => c.shortcut.toLowerCase() === letter);
      parent.querySelector(`[data-key="class-${one.key}"]`)?.click();
      return true;
    },
    step(by) {
      if (!inside() || locked() || data.revealing) return false;
      const { questions, item } = data;
      if (questions.kind === "choice") {
        const all = [item.preferences[0], ...(questions.equal ? ["equal"] : []), item.preferences[1]];
        const now = all.indexOf(form.preference);
        change({ preference: all[now < 0 ? (by < 0 ? 0 : all.length - 1) : Math.min(Math.max(now + by, 0), all.length - 1)] });
        return true;
      }
      const { lowest, highest } = questions.scale;
      const start = form.rating ?? (by > 0 ? lowest - 1 : highest + 1);
      change({ rating: Math.min(Math.max(start + by, lowest), highest) });
      return true;
    },
    submit,
    back,
    help,
    close(event) {
      const field = event.composedPath().find((node) => node.matches?.("textarea, input"));
      if (field && parent.contains(field)) {
        field.blur();
        return true;
      }
      return helping && help();
    },
  }, () => new Set((data?.questions?.classes ?? []).map((one) => one.shortcut.toLowerCase()).filter(Boolean)));

  function seen() {
    if (form) countTime(form);
    if (inside() && form.touched) keepLocal(false);
    if (document.hidden && inside() && form.touched && !outbox.flying && !locked() && !form.conflict) saveDraft();
  }
  document.addEventListener("visibilitychange", seen);
  window.addEventListener("pagehide", seen);

  function stop() {
    outbox.stop();
    stopKeys();
    clearTimeout(autosaving);
    clearTimeout(looking);
    document.removeEventListener("visibilitychange", seen);
    window.removeEventListener("pagehide", seen);
  }
  return { take, stop };
}
