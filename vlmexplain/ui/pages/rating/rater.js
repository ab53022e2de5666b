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
  let notice = null; // { kind, text, act }
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
    screen.draw(view());
    preload(next.preload ?? []);
    lookLater();
  }

  // The database does not answer: what stands is left standing.
  function inTrouble(next) {
    if (!data) screen.bare(next.text);
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
    screen.bare("Opening…");
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
    clearTimeout(autosaving);
    clearTimeout(looking);
    screen.clear();
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

  const view = () => ({ data, form, notice, busy: outbox.busy, locked: data.state !== "open" });
  const paint = () => { if (data) screen.paint(view()); };

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
    screen.help(data.questions);
    return true;
  }

  function back() {
    if (inside() && data.revealing) return look(place());
    if (!data?.progress?.last_position_1based) return true;
    return step("back");
  }

  const acts = { leave, look, back, submit, help, skip, saveDraft, change, keepTheirs, replaceTheirs, on: () => step("on") };
  const screen = makeScreen(parent, acts);

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
  const answering = () => (inside() && !locked() && !data.revealing ? { data, form } : null);
  const stopKeys = listenToKeys(keyActs(answering, acts, screen, parent), () => shortcutsOf(data?.questions));

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
