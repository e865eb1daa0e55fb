// The coup's video in pieces, each picture at its exact presentation time, with what was seen drawn over it.
import { isChord, isWriting } from "./page.js";

const data = document.body.dataset;
const video = document.getElementById("video");
const overlay = document.getElementById("overlay");
const seen = document.getElementById("seen");
const clock = document.getElementById("clock");
const playhead = document.getElementById("playhead");
const SVG = "http://www.w3.org/2000/svg";
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];
const span = document.getElementById("timeline").dataset.span.split(" ").map(Number);
let sight = null;
let piece = 0;
let frame = 0;
let speed = SPEEDS.indexOf(1);
let outlines = true;
let wanted = null;  // a moment asked for while the piece that has it is on its way

const svg = (name, attributes, text = "") => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
};
// The last index whose time is not after `t`.
const before = (times, t) => {
  let low = 0, high = times.length;
  while (low < high) { const middle = (low + high) >> 1; if (times[middle] <= t) low = middle + 1; else high = middle; }
  return low - 1;
};
// The moment of a piece's own first picture: it may begin at a keyframe before what it was asked for.
const firstOf = (number) => sight.pieces[number][2];
const pieceOf = (t) => {
  const found = sight.pieces.findIndex(([, stop]) => t < stop - 1e-6);
  return found < 0 ? sight.pieces.length - 1 : found;
};
const wall = (t) => {
  if (!data.zero) return `${Math.floor(t / 60)}:${(t % 60).toFixed(2).padStart(5, "0")}`;
  const [h, m, s] = data.zero.split(":").map(Number);
  const all = h * 3600 + m * 60 + s + t;
  const two = (n) => String(Math.floor(n)).padStart(2, "0");
  return `${two(all / 3600 % 24)}:${two(all / 60 % 60)}:${(all % 60).toFixed(2).padStart(5, "0")}`;
};

function load(number) {
  piece = number;
  video.src = `${data.coup}/video/${number}.mp4`;
  clock.textContent = data.loading;
}
// To the picture that is on at `t`; playing goes on if it was going.
function seek(t) {
  if (!sight) { wanted = t; return; }
  const to = Math.max(0, before(sight.times, t + 1e-4));
  const at = sight.times[to] ?? t;
  frame = to;
  const number = pieceOf(at);
  if (number !== piece || video.readyState < 1) {
    wanted = at;
    if (number !== piece || video.error) load(number);
    return;
  }
  wanted = null;
  const next = sight.times[to + 1] ?? at + 0.04;
  // Inside the picture's own stretch: on its edge a browser may show the one before.
  video.currentTime = Math.max(0, at - firstOf(piece) + Math.min((next - at) / 3, 0.01));
  show(to);
}
function show(number) {
  frame = number;
  const t = sight.times[number];
  if (t === undefined) return;
  clock.textContent = `${wall(t)} · ${data.pictureWord} ${number + 1}/${sight.times.length}`;
  video.dataset.t = t;
  const share = Math.min(Math.max((t - span[0]) / (span[1] - span[0]), 0), 1);
  const x = span[2] + share * (span[3] - span[2]);
  playhead.setAttribute("x1", x);
  playhead.setAttribute("x2", x);
  playhead.setAttribute("visibility", "visible");
  const look = before(sight.looks.map(([at]) => at), t + 1e-4);
  draw(look < 0 ? [] : sight.looks[look][1].map((row) => sight.objects[row]));
}
function draw(objects) {
  overlay.replaceChildren();
  seen?.replaceChildren();
  overlay.dataset.count = objects.length;
  for (const [kind, corners, label, x, y, turn] of objects) {
    if (outlines) {
      const points = [0, 2, 4, 6].map((at) => `${corners[at]},${corners[at + 1]}`).join(" ");
      overlay.append(svg("polygon", { class: `seen-${kind}`, points }));
      if (label) {
        const top = Math.min(corners[1], corners[3], corners[5], corners[7]);
        const middle = (corners[0] + corners[2] + corners[4] + corners[6]) / 4;
        overlay.append(svg("text", { class: `seen-label${/[♥♦]/.test(label) ? " red" : ""}`, x: middle, y: top - 6 }, label));
      }
    }
    if (!seen) continue;
    if (kind === "card" || kind === "back") {
      const group = svg("g", { transform: `translate(${x} ${-y}) rotate(${-turn})` });
      group.append(svg("rect", { class: `felt-card${kind === "back" ? " felt-back" : ""}`, x: -31.5, y: -44, width: 63, height: 88, rx: 5 }));
      if (kind === "card") group.append(svg("text", { class: `felt-rank${/[♥♦]/.test(label) ? " red" : ""}` }, label));
      seen.append(group);
    } else if (kind === "chip" || kind === "plaque") {
      seen.append(svg("circle", { class: "felt-pile", cx: x, cy: -y, r: 20 }));
    } else if (kind === "hand") {
      seen.append(svg("circle", { class: "felt-hand", cx: x, cy: -y, r: 52 }));
    }
  }
}

function follow() {
  const told = (_, meta) => {
    if (sight && wanted === null) show(Math.max(0, before(sight.times, firstOf(piece) + meta.mediaTime + 0.002)));
    video.requestVideoFrameCallback(told);
  };
  if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(told);
  else video.addEventListener("timeupdate", () => { if (sight && wanted === null) show(Math.max(0, before(sight.times, firstOf(piece) + video.currentTime))); });
}
let going = false;  // whether playing goes on into the next piece
const play = () => { going = video.paused; if (going) video.play().catch(() => {}); else video.pause(); };
function by(pictures) { video.pause(); going = false; if (sight) seek(sight.times[Math.min(Math.max(frame + pictures, 0), sight.times.length - 1)]); }
const jump = (seconds) => { if (sight) seek((sight.times[frame] ?? 0) + seconds); };
function pace(change) {
  speed = Math.min(Math.max(speed + change, 0), SPEEDS.length - 1);
  video.defaultPlaybackRate = video.playbackRate = SPEEDS[speed];
  document.getElementById("speed").textContent = `${SPEEDS[speed]}×`;
}
function switchOutlines() {
  outlines = !outlines;
  document.getElementById("overlay-switch").setAttribute("aria-pressed", outlines);
  if (sight) show(frame);
}
// Findings of this coup by their time; beyond the last one the next coup that has any.
function finding(direction) {
  const marks = [...document.querySelectorAll(".finding[data-t]")].map((each) => [Number(each.dataset.t), each]).sort((a, b) => a[0] - b[0]);
  const now = sight?.times[frame] ?? 0;
  const next = direction > 0 ? marks.find(([t]) => t > now + 0.05) : marks.findLast(([t]) => t < now - 0.05);
  if (next) { seek(next[0]); next[1].focus({ preventScroll: true }); return; }
  const address = direction > 0 ? data.nextFinding : data.previousFinding;
  if (address) location.href = address;
}
const acts = {
  play, back: () => by(-1), step: () => by(1), slower: () => pace(-1), faster: () => pace(1), overlay: switchOutlines,
  "previous-finding": () => finding(-1), "next-finding": () => finding(1),
};
const keys = {
  " ": play, ",": () => by(-1), ".": () => by(1), ArrowLeft: () => jump(-1), ArrowRight: () => jump(1),
  "[": () => pace(-1), "]": () => pace(1), o: switchOutlines, n: () => finding(1), p: () => finding(-1),
};

function moment() {
  const found = /^#t=([0-9.]+)$/.exec(location.hash);
  if (found) return Number(found[1]);
  const marked = document.getElementById(location.hash.slice(1))?.dataset?.t;
  return marked === undefined ? null : Number(marked);
}
if (video) {
  video.removeAttribute("controls");  // without this script they are all there is
  document.addEventListener("keydown", (event) => {
    // Space on a button or link is that button's own.
    if (isChord(event) || isWriting(event) || (event.key === " " && event.target.closest("button, a, summary"))) return;
    const act = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button) acts[button.dataset.do]();
    const link = event.target.closest('a[href^="#t="]');
    if (link && link.getAttribute("href") === location.hash) seek(moment());
  });
  addEventListener("hashchange", () => { const t = moment(); if (t !== null) { video.pause(); going = false; seek(t); document.getElementById("screen").scrollIntoView({ block: "nearest" }); } });
  video.addEventListener("loadedmetadata", () => {
    video.playbackRate = SPEEDS[speed];
    if (wanted !== null && sight) seek(wanted);
    if (going) video.play().catch(() => {});
    // The next piece is made while this one is looked at.
    if (sight && piece + 1 < sight.pieces.length) fetch(`${data.coup}/video/${piece + 1}.mp4`, { headers: { range: "bytes=0-0" } }).catch(() => {});
  });
  video.addEventListener("ended", () => {
    // On with the picture after the last one shown: a piece may hold a few of the next one's.
    const next = sight?.times[frame + 1];
    if (going && next !== undefined && piece + 1 < sight.pieces.length) { wanted = next; load(Math.max(piece + 1, pieceOf(next))); } else going = false;
  });
  video.addEventListener("error", () => { clock.textContent = data.noVideo; });
  for (const row of document.querySelectorAll("[data-spot]")) {
    const spot = document.getElementById(row.dataset.spot);
    if (!spot) continue;
    const light = (on) => () => spot.classList.toggle("lit", on);
    row.addEventListener("mouseenter", light(true)); row.addEventListener("mouseleave", light(false));
    row.addEventListener("focusin", light(true)); row.addEventListener("focusout", light(false));
  }
  follow();
  fetch(`${data.coup}/sight.json`).then((answer) => answer.json()).then((found) => {
    sight = found;
    overlay.setAttribute("viewBox", `0 0 ${sight.size[0]} ${sight.size[1]}`);
    overlay.dataset.ready = "yes";
    seek(wanted ?? moment() ?? Number(data.first));
  }).catch(() => { clock.textContent = data.noVideo; });
}
