// The review's lists and forms by keys: search, rows, coups, decisions.
import { isChord, isWriting, otherLanguage } from "./page.js";

const data = document.body.dataset;
const go = (address) => { if (address) location.href = address; };
const rows = () => [...document.querySelectorAll("tr[data-href] th a")];
const findings = () => [...document.querySelectorAll(".finding")];
const current = () => document.activeElement?.closest(".finding") ?? findings()[0] ?? null;

function step(by) {
  const all = rows();
  if (!all.length) return false;
  const at = all.indexOf(document.activeElement);
  all[Math.min(Math.max(at + by, 0), all.length - 1)].focus();
  return true;
}

function decide(key) {
  const finding = current();
  const button = finding?.querySelector(`button[data-key="${key}"]`);
  if (!button) return false;
  const reason = finding.querySelector("textarea");
  // Dismissing and ruling want words: the key goes to where they are written, the button or Ctrl+Enter sends.
  if (key !== "a" && !reason.value.trim()) { finding.dataset.meant = key; reason.focus(); } else button.click();
  return true;
}

const keys = {
  "/": () => { const line = document.getElementById("q"); if (!line) location.href = "/review/search"; else line.focus(); return true; },
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  j: () => { go(data.previous); return Boolean(data.previous); },
  k: () => { go(data.next); return Boolean(data.next); },
  w: () => { const link = document.getElementById("what-if"); link?.click(); return link !== null; },
  a: () => decide("a"),
  d: () => decide("d"),
  r: () => decide("r"),
  l: () => { otherLanguage(); return true; },
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey && event.key === "Enter" && event.target.matches("textarea")) {
    const finding = event.target.closest(".finding");
    finding?.querySelector(`button[data-key="${finding.dataset.meant ?? "r"}"]`)?.click();
  }
  if (event.key === "Escape" && isWriting(event)) event.target.blur();
  if (isChord(event) || isWriting(event)) return;
  const act = keys[event.key] ?? keys[event.key.toLowerCase()];
  if (act?.()) event.preventDefault();
});
// A click anywhere on a row is a click on its link.
document.addEventListener("click", (event) => {
  const row = event.target.closest("tr[data-href]");
  if (row && !event.target.closest("a, button, input, select") && !String(getSelection())) go(row.dataset.href);
});
// What somebody has written and not sent is not lost by a slip.
let dirty = false;
document.addEventListener("input", (event) => { if (event.target.matches(".verdict textarea, .saving input")) dirty = true; });
document.addEventListener("submit", () => { dirty = false; });
addEventListener("beforeunload", (event) => { if (dirty) event.preventDefault(); });
