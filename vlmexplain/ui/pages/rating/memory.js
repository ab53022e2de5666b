// What this browser keeps, so that a reload, a crash or a lost connection costs nothing: the
// ticket of each session, answers that no server has confirmed, and what is being filled in.
// It is kept on this device only and never stands in an address.
const MEMORY = "vlmexplain.rating.";
const withoutStorage = new Map(); // a browser that forbids storage loses it with the tab

function keep(name, value) {
  withoutStorage.set(name, value);
  try {
    localStorage.setItem(MEMORY + name, JSON.stringify(value));
  } catch { /* full or forbidden */ }
}

function kept(name) {
  try {
    const text = localStorage.getItem(MEMORY + name);
    if (text !== null) return JSON.parse(text);
  } catch { /* forbidden or damaged */ }
  return withoutStorage.get(name) ?? null;
}

function forget(name) {
  withoutStorage.delete(name);
  try {
    localStorage.removeItem(MEMORY + name);
  } catch { /* forbidden */ }
}

function keepTicket(code, ticket) {
  if (kept(`ticket.${code}`) === ticket && kept("last") === code) return;
  keep(`ticket.${code}`, ticket);
  keep("last", code);
}

// The ticket for the address's code; without a code, that of the session visited last.
function keptTicket(code) {
  const known = code || kept("last") || "";
  return { code: known, ticket: known ? kept(`ticket.${known}`) : null };
}

function forgetTicket(code) {
  forget(`ticket.${code}`);
  if (kept("last") === code) forget("last");
}

function unsent(code) {
  return Object.values(kept(`unsent.${code}`) ?? {});
}

function keepUnsent(message) {
  const name = `unsent.${message.code}`;
  keep(name, { ...kept(name), [message.submission_id]: message });
}

function forgetUnsent(message) {
  const name = `unsent.${message.code}`;
  const { [message.submission_id]: _, ...others } = kept(name) ?? {};
  if (Object.keys(others).length) keep(name, others);
  else forget(name);
}

const draftName = (code, rater, key) => `draft.${code}.${rater}.${key}`;

function forgetDrafts(code, rater) {
  const start = `draft.${code}.${rater}.`;
  const names = [...withoutStorage.keys()];
  try {
    names.push(...Object.keys(localStorage).map((key) => key.slice(MEMORY.length)));
  } catch { /* forbidden */ }
  for (const name of names) if (name.startsWith(start)) forget(name);
}

// Which earlier item this tab looks at; another device's progress must not move it.
function keepPlace(code, position) {
  try {
    if (position === null) sessionStorage.removeItem(`${MEMORY}at.${code}`);
    else sessionStorage.setItem(`${MEMORY}at.${code}`, String(position));
  } catch { /* forbidden */ }
}

function keptPlace(code) {
  try {
    return Number(sessionStorage.getItem(`${MEMORY}at.${code}`)) || null;
  } catch {
    return null;
  }
}

// 128 random bits; crypto.randomUUID is missing on plain http.
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}
