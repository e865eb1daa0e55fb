"use strict";
// The server renders; this script only puts what has changed in its place and follows the keyboard.
const language = document.body.dataset.language;
const enlarged = document.getElementById("enlarged");

function replace(id, html) {
  const holder = document.getElementById(id);
  const focused = holder.contains(document.activeElement) ? document.activeElement.id : "";
  holder.innerHTML = html;
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

const stream = new EventSource(`/state?lang=${language}`);
stream.onmessage = (message) => {
  for (const [id, html] of Object.entries(JSON.parse(message.data))) replace(id, html);
};
stream.addEventListener("finished", () => stream.close());

function enlarge(finding) {
  const still = finding?.querySelector("img");
  if (!still) return;
  enlarged.querySelector("img").src = still.src;
  enlarged.showModal();
}

function step(by) {
  const all = [...document.querySelectorAll(".finding")];
  const at = all.indexOf(document.activeElement);
  all[Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
}

const keys = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  Enter: () => enlarge(document.activeElement.closest(".finding")),
  l: () => { location.search = `?lang=${document.body.dataset.otherLanguage}`; },
};
document.addEventListener("keydown", (event) => {
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key] ?? keys[event.key.toLowerCase()];
  if (!act || enlarged.open || (event.key === "Enter" && !document.activeElement.closest(".finding"))) return;
  event.preventDefault();
  act();
});
document.getElementById("findings").addEventListener("click", (event) => enlarge(event.target.closest(".finding")));
enlarged.addEventListener("click", () => enlarged.close());
