// One message at a time is on its way; it is sent again until the server has answered it.
const PATIENCE_MS = 5000;
const RETRY_MS = [2000, 5000, 10000, 20000];

function makeOutbox(onSilence) {
  let send = () => {};
  let flying = null; // sent and not answered yet
  let waiting = null; // sent after it
  let timer = 0;
  let tries = 0;

  function transmit(message) {
    flying = message;
    clearTimeout(timer);
    send(message);
    timer = setTimeout(again, PATIENCE_MS);
  }
  function again() {
    if (!flying) return;
    onSilence(flying);
    send(flying);
    timer = setTimeout(again, PATIENCE_MS);
  }
  return {
    use: (newSend) => { send = newSend; },
    get flying() { return flying; },
    // A draft is no reason to wait: what comes after it holds all of it.
    get busy() { return Boolean(flying && flying.kind !== "draft"); },
    // `after`: not before what is on its way, even a draft.
    post(message, after = false) {
      tries = 0;
      const whole = { ...message, id: newId() };
      if (!this.busy && !(after && flying)) transmit(whole);
      else if (message.kind !== "draft") waiting = whole;
    },
    // To a server that was started anew.
    resend() {
      if (flying) transmit(flying);
      return Boolean(flying);
    },
    // The answered message, once; null for an answer to something else.
    settle(reply) {
      if (!flying || !reply || reply.id !== flying.id) return null;
      const message = flying;
      flying = null;
      clearTimeout(timer);
      if (waiting) {
        const next = waiting;
        waiting = null;
        transmit(next);
      }
      return message;
    },
    // The same act anew: the store's own id of a submission stays.
    retry(message, now = false) {
      clearTimeout(timer);
      const delay = now ? 0 : RETRY_MS[Math.min(tries, RETRY_MS.length - 1)];
      tries += 1;
      timer = setTimeout(() => { if (!flying) transmit({ ...message, id: newId() }); }, delay);
      return delay;
    },
    // What was to be tried again is out of date.
    dropRetry() {
      if (!flying) clearTimeout(timer);
    },
    stop() {
      clearTimeout(timer);
      flying = waiting = null;
    },
  };
}
