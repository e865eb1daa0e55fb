// What has changed is kept in this browser at once and at the server within a second; nothing counts as saved before
// the server has said so. An attempt that may have arrived is sent again as it was, under its key.
import { words as page } from "./page.js";

const SOON_MS = 500, SLOWEST_MS = 5000, TIMEOUT_MS = 8000, LOOK_MS = 20000;
const prefix = `veedor-label ${page.who} ${page.picture} ${page.second} `;
const random = () => [...crypto.getRandomValues(new Uint8Array(12))].map((each) => each.toString(16).padStart(2, "0")).join("");
const place = prefix + random();
// The server and this page write an object's fields in different orders.
const ordered = (value) => Array.isArray(value) ? value.map(ordered)
  : value && typeof value === "object" ? Object.fromEntries(Object.keys(value).sort().map((name) => [name, ordered(value[name])])) : value;
const same = (a, b) => JSON.stringify(ordered(a)) === JSON.stringify(ordered(b));
export const newId = () => `n${random().slice(0, 10)}`;

export async function askState() {
  const asked = new URLSearchParams({ second: page.second, with: page.with });
  const answer = await fetch(`${page.base}/state?${asked}`, { headers: { accept: "application/json" }, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw Object.assign(new Error((await answer.json().catch(() => ({}))).fault ?? String(answer.status)), { status: answer.status });
  return answer.json();
}

// Three ways into one: by object, what changed against what both came from; mine where both have changed.
export function merged(base, mine, theirs) {
  const by = (objects) => new Map(objects.map((each) => [each.id, each]));
  const [from, my, their] = [by(base), by(mine), by(theirs)];
  const objects = [], both = [];
  for (const id of new Set([...from.keys(), ...their.keys(), ...my.keys()])) {
    const [was, me, them] = [from.get(id), my.get(id), their.get(id)];
    const iChanged = !same(was, me), theyChanged = !same(was, them);
    if (iChanged && theyChanged && !same(me, them)) both.push(id);
    const kept = iChanged ? me : them;
    if (kept) objects.push(kept);
  }
  return { objects, both };
}

export class Saver {
  // `tell(state, detail)` shows how it stands; `asks(newest, base, labels)` when somebody else has saved, and gives
  // labels to save instead, or null for theirs; `takes(newest)` when another tab has saved and nothing waits here.
  constructor(tell, asks, takes) {
    Object.assign(this, { tell, asks, takes, csrf: page.csrf, pending: null, attempt: null, sending: false, wait: SOON_MS, deciding: false, waiting: [] });
    this.tabs = typeof BroadcastChannel === "function" ? new BroadcastChannel(prefix) : null;
    this.tabs?.addEventListener("message", () => this.look());
    addEventListener("beforeunload", (event) => { if (this.unsaved) { event.preventDefault(); event.returnValue = ""; } });
    addEventListener("online", () => this.soon(0));
    addEventListener("focus", () => { if (this.unsaved) this.soon(0); else this.look(); });
    document.addEventListener("visibilitychange", () => { if (document.hidden && this.unsaved) this.soon(0); });
    setInterval(() => { if (!document.hidden) this.look(); }, LOOK_MS);
    navigator.locks?.request(place, () => new Promise(() => {}));
  }

  get unsaved() { return this.pending !== null || this.attempt !== null; }

  begin(state) {
    this.number = state.number;
    this.base = state.objects;
    this.csrf = state.csrf ?? this.csrf;
    this.tell("saved", { at: state.number ? state.at : "" });
  }

  // labels: {objects, checked}; `done` when they are finished.
  changed(labels, done = false) {
    this.pending = { labels, done };
    this.keep();
    if (!this.sending && !this.deciding) this.tell("unsaved");
    this.soon(done ? 0 : SOON_MS);
  }

  // Resolves once everything that was changed up to now is saved.
  settled() { return new Promise((resolve) => { this.waiting.push(resolve); if (this.unsaved) this.soon(0); else this.done(); }); }
  done() { for (const resolve of this.waiting.splice(0)) resolve(); }

  // No change waits longer because another one follows.
  soon(ms) {
    const due = Date.now() + ms;
    if (!this.unsaved || (this.timer && this.due <= due)) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => { this.timer = 0; this.send(); }, ms);
  }

  async send() {
    if (this.sending || this.deciding || !this.unsaved) return;
    if (this.attempt === null) {
      this.attempt = { ...this.pending, key: random(), basedOn: this.number };
      this.pending = null;
      this.keep();
    }
    this.sending = true;
    this.tell("saving");
    const { status, said } = await this.post();
    this.sending = false;
    if (status === 200 && said.saved) this.arrived(said);
    else if (status === 409) await this.clash(said.newest);
    else if (status === 401 || status === 403) await this.comeBack(said);
    else if (status >= 400 && status < 500) this.refused(said);
    else this.later("offline");
  }

  async post() {
    const { labels, done, key, basedOn } = this.attempt;
    const fields = { csrf: this.csrf, second: page.second, state: done ? "done" : "draft", based_on: basedOn, key, labels: JSON.stringify(labels) };
    try {
      const answer = await fetch(`${page.base}/labels`, {
        method: "POST", headers: { accept: "application/json" }, body: new URLSearchParams(fields), signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: answer.status, said: await answer.json().catch(() => ({})) };
    } catch { return { status: 0, said: {} }; }
  }

  arrived(said) {
    this.number = said.number;
    this.base = this.attempt.labels.objects;
    this.attempt = null;
    this.wait = SOON_MS;
    this.keep();
    this.tabs?.postMessage(this.number);
    if (this.pending) { this.tell("unsaved"); this.soon(0); return; }
    this.tell("saved", said);
    this.done();
  }

  later(how, detail) {
    this.tell(how, detail);
    this.wait = Math.min(this.wait * 2, SLOWEST_MS);
    this.soon(this.wait);
  }

  // The session has ended, or this page's token is old: another token, if it is still the same person.
  async comeBack(said) {
    try {
      const state = await askState();
      if (state.who !== page.who) { this.later("someoneElse"); return; }
      if (state.csrf === this.csrf) { this.refused(said); return; }
      this.csrf = state.csrf;
      this.soon(0);
    } catch (fault) { this.later(fault.status === 401 ? "signedOut" : "offline"); }
  }

  // Not for lack of a connection: sending the same again would bring the same answer. The next change tries anew.
  refused(said) {
    this.pending = this.pending ?? { labels: this.attempt.labels, done: false };
    this.attempt = null;
    this.keep();
    this.tell("refused", said);
  }

  async clash(newest) {
    this.deciding = true;
    const mine = this.pending ?? this.attempt;
    this.tell("conflict");
    const chosen = await this.asks(newest, this.base, mine.labels);
    this.deciding = false;
    this.number = newest.number;
    this.base = newest.objects;
    this.attempt = null;
    this.pending = chosen === null ? null : { labels: chosen, done: mine.done };
    this.keep();
    if (this.pending) this.soon(0);
    else { this.tell("saved", newest); this.done(); }
  }

  // Has another tab or person saved meanwhile? With changes of one's own the next save finds out.
  async look() {
    if (this.unsaved || this.sending || this.deciding || this.number === undefined) return;
    try {
      const newest = await askState();
      this.csrf = newest.who === page.who ? newest.csrf : this.csrf;
      if (this.unsaved || this.sending || newest.number <= this.number) return;
      this.begin(newest);
      this.takes(newest);
    } catch { /* the next save tells it */ }
  }

  keep() {
    try {
      if (this.unsaved) localStorage.setItem(place, JSON.stringify({ attempt: this.attempt, pending: this.pending, number: this.number, base: this.base, at: Date.now() }));
      else localStorage.removeItem(place);
    } catch { this.tell("noLocal"); }
  }

  // What a tab has left that is no more: crashed, closed in spite of the warning, or out with the light.
  async recover(state) {
    const left = [];
    let names = [];
    try { names = Object.keys(localStorage).filter((each) => each.startsWith(prefix) && each !== place); } catch { return null; }
    for (const name of names) {
      const free = navigator.locks ? await navigator.locks.request(name, { ifAvailable: true }, async (lock) => lock !== null) : true;
      if (!free) continue;
      try { left.push({ name, ...JSON.parse(localStorage.getItem(name)) }); } catch { /* not ours */ }
    }
    left.sort((a, b) => b.at - a.at);
    const [newest] = left;
    if (!newest) return null;
    const forget = () => { for (const each of left) localStorage.removeItem(each.name); };
    const mine = newest.pending ?? newest.attempt;
    if (!mine || same(mine.labels.objects, state.objects)) { forget(); return null; }
    const arrived = newest.attempt !== null && newest.attempt.key === state.key;
    if (arrived || newest.number === state.number) {
      this.changed(mine.labels);
      forget();
      return mine.labels;
    }
    this.pending = { labels: mine.labels, done: false };
    this.keep();
    forget();
    this.base = newest.base;
    await this.clash(state);
    return this.pending?.labels ?? null;
  }
}
