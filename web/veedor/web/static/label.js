// One picture's labels: outlines over the picture, the chosen object beside it, a key for everything.
import { isChord, otherLanguage, words as page } from "./page.js";
import { askWhose, drawGhosts, drawHandles, drawOther, drawSide, find, made, tell } from "./label_drawing.js";
import { Saver, askState, newId } from "./label_saving.js";
import { box, centre, clockwise, distance, moved, nextEdgeFirst, possible, readingOrder, resized, shortEdgeFirst, turned, withCorner } from "./label_shapes.js";
import { View } from "./label_view.js";
import { CARDS, CHIPS, say, short, told } from "./label_words.js";

const size = { w: Number(page.width), h: Number(page.height) };
const stage = find("stage"), picture = find("picture"), drawing = find("drawing"), help = find("help");
const UNSURE = 0.6, MOST_UNDO = 300, ONE_GO_MS = 900;

// Everything that can be undone is in `now`; objects are never changed, only put in the place of others.
let now = { objects: [], checked: [] };
let chosen = "", corner = -1, pointer = null, finishing = false;
let undone = [], done = [], lastGo = { what: "", at: 0 }, scores = {}, other = null, order = [];
const shapes = new Map();
const view = new View(stage, picture, size, () => {
  drawing.setAttribute("viewBox", `0 0 ${stage.clientWidth} ${stage.clientHeight}`);
  document.querySelector('[data-act="near"]').setAttribute("aria-pressed", String(view.isNear));
  drawGhosts(other, view);
  draw();
});

const get = (id = chosen) => now.objects.find((each) => each.id === id);
const strip = (object) => Object.fromEntries(Object.entries(object).filter(([name, value]) => value !== null && value !== undefined && value !== "" && !(value === false && name !== "id")));

// ---- what is told

const saver = new Saver(tellSaving, askConflict, (newest) => { take(newest.objects, newest.checked); tell(say.elsewhere); });
function tellSaving(state, detail = {}) {
  const at = detail.at ? ` ${detail.at.slice(11, 19)}` : "";
  const text = state === "saved" ? `${say.saved}${at}` : state === "refused" ? (detail.fault ?? say.refused) : say[state];
  if (state === "refused") finishing = false;
  const holder = find("saving");
  holder.dataset.state = state;
  holder.dataset.number = saver.number ?? "";
  holder.textContent = text;
}

async function askConflict(newest, base, mine) {
  if (help.open) help.close();
  const { choice, labels } = await askWhose(newest, base, mine);
  if (labels === null) { take(newest.objects, newest.checked); finishing = false; } else if (choice === "merge") take(labels.objects, labels.checked);
  return labels;
}

// ---- changing

const labels = () => ({ objects: now.objects, checked: now.checked });
function put(next, what = "") {
  const goesOn = what !== "" && lastGo.what === what && Date.now() - lastGo.at < ONE_GO_MS;
  if (!goesOn) { done.push(now); if (done.length > MOST_UNDO) done.shift(); }
  lastGo = { what, at: Date.now() };
  undone = [];
  now = next;
  draw();
  saver.changed(labels(), finishing);
}
// Another's labels in the place of these; undo brings these back.
function take(objects, checked) {
  done.push(now);
  undone = [];
  now = { objects, checked };
  order = [...order.filter((id) => get(id)), ...readingOrder(objects).map((each) => each.id).filter((id) => !order.includes(id))];
  if (!get()) chosen = "";
  draw();
}
function change(fields, what = "") {
  const object = get();
  if (!object) return;
  const next = strip({ ...object, ...fields });
  if (fields.corners_px && !possible(next.corners_px)) { tell(say.wrongShape); return; }
  put({ ...now, objects: now.objects.map((each) => (each.id === chosen ? next : each)) }, what && `${what} ${chosen}`);
}
const shape = (corners, what) => change({ corners_px: corners }, what);
function step(from, to, told) {
  if (!from.length) return;
  to.push(now);
  now = from.pop();
  lastGo = { what: "", at: 0 };
  if (!get()) chosen = "";
  draw();
  if (chosen) focus(); else stage.focus({ preventScroll: true });
  saver.changed(labels());
  tell(told);
}
function setKind(kind) {
  const object = get();
  if (!object || object.kind === kind) return;
  const { id, corners_px, zone, occluded, truncated, extra } = object;
  const kept = { id, kind, corners_px, zone, occluded, truncated, extra };
  if (kind === "card_face") Object.assign(kept, { rank: object.rank, suit: object.suit });
  if (kind === "card_back") kept.back = object.back ?? now.objects.find((each) => each.kind === kind && each.back)?.back;
  if (CHIPS.includes(kind)) Object.assign(kept, { chips: object.chips, count: object.count ?? 1 });
  put({ ...now, objects: now.objects.map((each) => (each.id === chosen ? strip(kept) : each)) });
}
function setRank(rank) { const object = get(); if (object && CARDS.includes(object.kind)) change({ kind: "card_face", back: null, rank }); }
function setSuit(suit) { const object = get(); if (object && CARDS.includes(object.kind)) change({ kind: "card_face", back: null, suit }); }
function setChips(chips) { change({ chips: chips.length ? chips : null, count: chips.length || null, kind: chips.length === 1 && say.chips.find((each) => each.name === chips[0])?.plaque ? "plaque" : chips.length ? "chip_stack" : get().kind }); }
function setCount(count) {
  const object = get(), chips = object?.chips ?? [];
  if (!object || !CHIPS.includes(object.kind) || !(count >= 0 && count <= 1000)) return;
  // Of one kind, more of the same; of several, which they are has to be said again.
  if (chips.length && new Set(chips).size === 1 && count > 0) change({ chips: Array(count).fill(chips[0]), count });
  else change({ chips: chips.length === count && count ? chips : null, count });
}
function putChip(name) {
  const object = get();
  if (!object || !CHIPS.includes(object.kind)) return;
  // Counted and not told apart: all of them are of that kind.
  if (!object.chips && object.count > 1) setChips(Array(object.count).fill(name)); else setChips([...(object.chips ?? []), name]);
}
const unstack = () => { const object = get(); if (object?.chips?.length) setChips(object.chips.slice(0, -1)); };
function remove() {
  if (!chosen) return;
  const at = order.indexOf(chosen), gone = chosen;
  const rest = order.filter((id) => id !== gone && get(id));
  chosen = [...rest.slice(at), ...rest.slice(0, at)].find((id) => !now.checked.includes(id)) ?? rest[Math.min(at, rest.length - 1)] ?? "";
  put({ objects: now.objects.filter((each) => each.id !== gone), checked: now.checked.filter((id) => id !== gone) });
  order = rest;
  if (chosen) choose(chosen); else { draw(); stage.focus({ preventScroll: true }); }
  tell(say.deleted);
}
function add(corners) {
  const like = get() ?? now.objects.find((each) => CARDS.includes(each.kind)) ?? now.objects[0];
  const [x, y] = pointer ?? view.toPicture(view.middle);
  const typical = like?.corners_px ?? box([0, 0], [size.w / 30, size.h / 12]);
  const [cx, cy] = centre(typical);
  const id = newId();
  const kind = like && CARDS.includes(like.kind) ? "card_face" : like?.kind ?? "card_face";
  const outline = corners ? (CARDS.includes(kind) ? shortEdgeFirst(corners) : corners) : moved(typical, x - cx, y - cy);
  order.splice(order.indexOf(chosen) + 1 || order.length, 0, id);
  chosen = id;
  put({ ...now, objects: [...now.objects, strip({ id, kind, corners_px: outline, count: CHIPS.includes(kind) ? 1 : null })] });
  choose(id);
}

// ---- choosing, accepting

function choose(id, { show = true } = {}) {
  chosen = get(id) ? id : "";
  corner = -1;
  draw();
  if (!chosen) return;
  if (show) view.reveal(get().corners_px);
  focus();
}
const focus = () => shapes.get(chosen)?.focus({ preventScroll: true });
function accept() {
  if (!chosen) { nextUnchecked(""); return; }
  if (!now.checked.includes(chosen)) put({ ...now, checked: [...now.checked, chosen] });
  nextUnchecked(chosen);
}
function nextUnchecked(after) {
  const at = order.indexOf(after) + 1;
  const next = [...order.slice(at), ...order.slice(0, at)].find((id) => get(id) && !now.checked.includes(id));
  if (next) choose(next); else tell(say.allLooked);
}
async function finish() {
  if (finishing) return;
  finishing = true;
  if (now.checked.length < now.objects.length) { done.push(now); now = { ...now, checked: now.objects.map((each) => each.id) }; draw(); }
  saver.changed(labels(), true);
  tell(say.finishing);
  await saver.settled();
  if (finishing) location.href = find("skip").href;
}

// What has just been changed is saved first, unless that takes long: then the browser asks.
async function leave(go) {
  await Promise.race([saver.settled(), new Promise((resolve) => setTimeout(resolve, 3000))]);
  go();
}

// ---- drawing

function onStage(event) { const at = stage.getBoundingClientRect(); return [event.clientX - at.left, event.clientY - at.top]; }
const doubtful = (object) => (scores[object.id] ?? 1) < UNSURE || (object.kind === "card_face" && !(object.rank && object.suit));

function draw() {
  const outlines = find("outlines");
  for (const [id, element] of shapes) if (!get(id)) { element.remove(); shapes.delete(id); }
  for (const id of order) {
    const object = get(id);
    if (!object) continue;
    let group = shapes.get(id);
    if (!group) {
      group = made("g", { tabindex: "0", role: "button", "data-id": id });
      made("polygon", {}, group); made("polyline", {}, group); made("text", {}, group);
      shapes.set(id, group);
      const next = order.slice(order.indexOf(id) + 1).map((each) => shapes.get(each)).find(Boolean);
      outlines.insertBefore(group, next ?? null);
    }
    const [polygon, first, text] = group.children, at = view.onScreen(object.corners_px);
    const checked = now.checked.includes(id);
    group.setAttribute("class", `shape ${object.kind} ${checked ? "checked" : ""} ${doubtful(object) && !checked ? "unsure" : ""} ${id === chosen ? "chosen" : ""}`);
    group.setAttribute("aria-label", `${told(object)}${checked ? `, ${say.checked}` : ""}${doubtful(object) && !checked ? `, ${say.unsure}` : ""}`);
    group.setAttribute("aria-pressed", String(id === chosen));
    polygon.setAttribute("points", view.points(object.corners_px));
    first.setAttribute("points", view.points(object.corners_px.slice(0, 2)));
    text.setAttribute("x", Math.min(...at.map((each) => each[0])));
    text.setAttribute("y", Math.min(...at.map((each) => each[1])) - 5);
    text.textContent = short(object);
  }
  drawHandles(get(), view, corner);
  drawSide(get(), title(), picture);
  const looked = now.objects.filter((each) => now.checked.includes(each.id)).length;
  find("progress").textContent = `${looked} ${say.of} ${now.objects.length} ${say.lookedAt}`;
}

function title() {
  const object = get();
  return object ? `${order.filter((id) => get(id)).indexOf(chosen) + 1} ${say.of} ${now.objects.length} · ${told(object)}${corner >= 0 ? ` · ${say.corner} ${corner + 1}` : ""}` : say.none;
}

// ---- another's labels beside these

const onDifference = {
  show: (mine, theirs) => { if (mine) choose(mine.id); else { chosen = ""; view.centreOn(centre(theirs.corners_px)); } },
  use: useTheirs,
};
function useTheirs(mine, theirs) {
  if (!mine) {
    const id = get(theirs.id) ? newId() : theirs.id;
    order.push(id);
    put({ ...now, objects: [...now.objects, { ...theirs, id }] });
    choose(id);
    return;
  }
  choose(mine.id);
  if (theirs) put({ ...now, objects: now.objects.map((each) => (each.id === mine.id ? { ...theirs, id: mine.id } : each)) });
  else remove();
}

// ---- pointer

let drag = null;
drawing.addEventListener("pointerdown", (event) => {
  if (event.button !== 0 && event.button !== 1) return;
  event.preventDefault();
  const handle = event.target.dataset.handle, id = event.target.closest("[data-id]")?.dataset.id;
  const at = onStage(event), start = get();
  if (event.button === 1) drag = { kind: "pan" };
  else if (handle !== undefined) drag = { kind: handle === "turn" ? "turn" : "corner", which: Number(handle), corners: start.corners_px };
  else if (event.shiftKey) drag = { kind: "box", from: view.toPicture(at), frame: made("polygon", { class: "ghost" }, find("handles")) };
  else if (id) { choose(id, { show: false }); drag = { kind: "move", corners: get().corners_px }; }
  else drag = { kind: "pan", empty: true };
  Object.assign(drag, { at, last: at, far: false, name: `drag ${newId()}` });
  drawing.setPointerCapture(event.pointerId);
});
drawing.addEventListener("pointermove", (event) => {
  const at = onStage(event);
  pointer = view.toPicture(at);
  if (!drag) return;
  drag.far ||= distance(at, drag.at) > 3;
  if (!drag.far) return;
  const dx = at[0] - drag.last[0], dy = at[1] - drag.last[1], from = view.toPicture(drag.at);
  drag.last = at;
  lastGo.at = Date.now();  // one drag is one step back, however long it takes
  if (drag.kind === "pan") view.pan(dx, dy);
  else if (drag.kind === "move") shape(moved(drag.corners, pointer[0] - from[0], pointer[1] - from[1]), drag.name);
  else if (drag.kind === "corner") shape(withCorner(drag.corners, drag.which, pointer), drag.name);
  else if (drag.kind === "turn") {
    const c = centre(drag.corners), angle = (point) => Math.atan2(point[1] - c[1], point[0] - c[0]);
    shape(turned(drag.corners, angle(pointer) - angle(from)), drag.name);
  } else drag.frame.setAttribute("points", view.points(box(drag.from, pointer)));
});
function letGo() {
  if (drag?.kind === "box" && drag.far) {
    const outline = clockwise(box(drag.from, pointer));
    if (possible(outline)) add(outline); else draw();
  } else if (drag?.empty && !drag.far) { choose(""); stage.focus({ preventScroll: true }); }
  drag = null;
}
drawing.addEventListener("pointerup", letGo);
drawing.addEventListener("pointercancel", () => { drag = null; draw(); });
drawing.addEventListener("pointerleave", () => { if (!drag) pointer = null; });
stage.addEventListener("wheel", (event) => { event.preventDefault(); view.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), onStage(event)); }, { passive: false });
drawing.addEventListener("focusin", (event) => { const id = event.target.closest("[data-id]")?.dataset.id; if (id && id !== chosen && !drag) choose(id); });

// ---- keys

const kindOf = () => get()?.kind ?? "";
function arrow(dx, dy, event) {
  const by = event.shiftKey ? 10 : 1, object = get();
  if (!object) { view.pan(-dx * by * 20, -dy * by * 20); return; }
  const corners = object.corners_px;
  if (event.ctrlKey || event.metaKey) shape(resized(corners, dx * by, -dy * by), "size");
  else if (corner >= 0) shape(withCorner(corners, corner, [corners[corner][0] + dx * by, corners[corner][1] + dy * by]), `corner ${corner}`);
  else shape(moved(corners, dx * by, dy * by), "move");
}
function rotate(sign, event) { const object = get(); if (object) shape(turned(object.corners_px, (sign * (event.shiftKey ? 15 : 1) * Math.PI) / 180), "turn"); }
function flag(name) { const object = get(); if (object) change({ [name]: !object[name] }); }
function go(id) { const field = find(id); if (field.offsetParent !== null) field.focus(); }
const acts = {
  undo: () => step(done, undone, say.undone), redo: () => step(undone, done, say.redone), add: () => add(), remove, unstack, accept, finish, fit: () => view.fit(), near: () => view.near(get()?.corners_px),
  zoomIn: () => view.zoom(1.3), zoomOut: () => view.zoom(1 / 1.3), help: () => help.showModal(),
};
const keys = {
  Enter: (event) => (event.shiftKey ? finish() : accept()), Escape: () => { if (corner >= 0) { corner = -1; draw(); } else { choose(""); stage.focus({ preventScroll: true }); } },
  ArrowLeft: (event) => arrow(-1, 0, event), ArrowRight: (event) => arrow(1, 0, event), ArrowUp: (event) => arrow(0, -1, event), ArrowDown: (event) => arrow(0, 1, event),
  Delete: remove, Backspace: (event) => (event.shiftKey ? unstack() : remove()), Home: acts.fit, " ": acts.near, "+": acts.zoomIn, "-": acts.zoomOut, "?": acts.help,
  x: remove, m: () => add(), u: acts.undo, y: acts.redo, n: () => find("skip").click(), l: () => leave(otherLanguage),
  f: () => { if (CARDS.includes(kindOf())) setKind(kindOf() === "card_face" ? "card_back" : "card_face"); },
  v: (event) => { if (chosen) { corner = (corner + (event.shiftKey ? 3 : 1) + (corner < 0 && event.shiftKey ? 1 : 0)) % 4; draw(); } },
  r: () => { const object = get(); if (object) shape(nextEdgeFirst(object.corners_px)); },
  o: () => flag("occluded"), w: () => flag("truncated"), g: () => go("kind"), b: () => go("back"), z: () => go("zone"),
};
const RANKS = { a: "A", 1: "A", 0: "T", t: "T", j: "J", q: "Q", k: "K", ...Object.fromEntries([..."23456789"].map((each) => [each, each])) };
const SUITS = { s: "S", h: "H", d: "D", c: "C" };

function keyOf(event) {
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
  if (event.shiftKey && digit && CHIPS.includes(kindOf())) { const button = document.querySelector(`.chips [data-number="${digit}"]`); return button ? () => putChip(button.dataset.chip) : null; }
  // By their place: with shift they are other signs on other keyboards.
  if (event.code === "Comma") return (e) => rotate(-1, e);
  if (event.code === "Period") return (e) => rotate(1, e);
  const name = event.key.toLowerCase();
  if (/^[0-9]$/.test(name) && CHIPS.includes(kindOf())) return () => setCount(Number(name));
  if (RANKS[name] && CARDS.includes(kindOf())) return () => setRank(RANKS[name]);
  if (SUITS[name] && CARDS.includes(kindOf())) return () => setSuit(SUITS[name]);
  return keys[event.key] ?? keys[name] ?? null;
}
document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]") || event.defaultPrevented) return;
  const inField = event.target.closest?.("input, select, textarea");
  if (inField) {
    if (event.key === "Enter" || event.key === "Escape") { event.preventDefault(); inField.blur(); if (chosen) focus(); else stage.focus({ preventScroll: true }); }
    return;
  }
  if ((event.key === "Enter" || event.key === " ") && !event.shiftKey && event.target.closest?.("a, button")) return;
  const isArrow = event.key.startsWith("Arrow");
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !isArrow) {
    const act = { z: event.shiftKey ? acts.redo : acts.undo, y: acts.redo }[event.key.toLowerCase()];
    if (act) { event.preventDefault(); act(); }
    return;
  }
  if (isChord(event) && !(isArrow && event.ctrlKey && !event.altKey)) return;
  // A key held down moves on and on; everything else is one press, one act.
  const act = keyOf(event);
  if (!act || (event.repeat && !isArrow && !["Comma", "Period"].includes(event.code) && !"+-".includes(event.key) && event.key.toLowerCase() !== "u")) return;
  event.preventDefault();
  act(event);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button || button.closest("dialog")) return;
  const { act, rank, suit, chip } = button.dataset;
  if (act) acts[act](event);
  else if (rank) setRank(rank);
  else if (suit) setSuit(suit);
  else if (chip) putChip(chip);
  else return;
  // By mouse, the keys go on with the object; by keyboard, the button keeps them.
  if (event.detail > 0 && chosen && act !== "help") focus();
});
find("skip").addEventListener("click", (event) => { event.preventDefault(); leave(() => { location.href = find("skip").href; }); });
find("kind").addEventListener("change", (event) => setKind(event.target.value));
find("back").addEventListener("change", (event) => change({ back: event.target.value }));
find("zone").addEventListener("change", (event) => change({ zone: event.target.value }));
find("count").addEventListener("input", (event) => { const count = event.target.value.trim(); if (/^[0-9]{1,3}$/.test(count)) setCount(Number(count)); else if (count === "") change({ count: null, chips: null }); });
for (const name of ["occluded", "truncated"]) find(name).addEventListener("change", (event) => change({ [name]: event.target.checked }));
help.addEventListener("click", (event) => { if (event.target === help || event.target.closest(".close")) help.close(); });
help.addEventListener("close", () => { if (chosen) focus(); });

// ---- beginning

async function begin() {
  const [state] = await Promise.all([askState(), picture.decode().catch(() => tell(say.pictureLost))]);
  scores = state.scores;
  other = state.other ?? null;
  order = readingOrder(state.objects).map((each) => each.id);
  now = { objects: state.objects, checked: state.checked };
  saver.begin(state);
  view.fit();
  const left = await saver.recover(state);
  if (left) { done.push(now); now = { objects: left.objects, checked: left.checked }; order = readingOrder(left.objects).map((each) => each.id); tell(say.recovered); }
  nextUnchecked("");
  if (!chosen && now.objects.length) choose(order[0]);
  draw();
  drawOther(other, get, onDifference);
  document.body.dataset.ready = "yes";
}
begin().catch((fault) => { tellSaving("refused", { fault: fault.message }); });
