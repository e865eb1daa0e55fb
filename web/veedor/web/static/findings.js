// Findings: enlarge the still, play the clip, accept, dismiss with a reason, escalate; by mouse or key.
import { isChord, isWriting, otherLanguage, send, unfold, words } from "./page.js";

const enlarged = document.getElementById("enlarged");
const dismissing = document.getElementById("dismissing");
const all = () => [...document.querySelectorAll(".finding")];
const current = () => document.activeElement?.closest(".finding") ?? null;

// What is in doubt is folded under its coup's line: it is unfolded for whoever comes to it.
export function select(finding, how) {
  const folded = finding?.closest("details");
  if (folded) folded.open = true;
  finding?.focus(how);
}

// The list may have been put anew behind a dialog: what had the focus is gone, and a hidden clip would keep every key.
const returnTo = (id) => { const finding = document.getElementById(id); if (finding) select(finding, { preventScroll: true }); else document.activeElement?.blur(); };

function show(finding, still, clip) {
  const picture = enlarged.querySelector("img");
  const video = enlarged.querySelector("video");
  picture.hidden = clip !== undefined;
  video.hidden = clip === undefined;
  if (clip === undefined) picture.src = still;
  else { video.src = clip; video.play().catch(() => {}); }
  enlarged.dataset.of = finding.id;
  enlarged.showModal();
}
const enlarge = (finding) => { const still = finding?.querySelector("img"); if (still) show(finding, still.src); };
const play = (finding) => { if (finding?.dataset.clip) show(finding, undefined, finding.dataset.clip); };
enlarged.addEventListener("close", () => { const video = enlarged.querySelector("video"); video.pause(); video.removeAttribute("src"); video.load(); returnTo(enlarged.dataset.of); });

async function answer(form, decision, reason) {
  const fields = { csrf: form.elements.csrf.value, answer: decision, reason };
  const { id } = form.closest(".finding");
  const said = await send(form.action, fields);
  // On a running live page the stream brings the finding with its decision: that is what tells it is saved.
  const live = document.getElementById("findings") !== null && words.over === undefined;
  if (said.saved && !live) {
    history.replaceState({ unfolded: [...document.querySelectorAll("details[open]")].map((each) => each.id) }, "");
    location.reload();
  }
  const finding = document.getElementById(id);
  if (!said.saved && finding) {
    const told = finding.querySelector(".fault") ?? finding.querySelector("article").appendChild(document.createElement("p"));
    told.className = "fault";
    told.setAttribute("role", "alert");
    told.textContent = said.fault.startsWith(words.notSaved) ? said.fault : `${words.notSaved}: ${said.fault}`;
  }
}

function dismiss(form) {
  const box = dismissing.querySelector("form");
  box.reset();
  const { id } = form.closest(".finding");
  dismissing.querySelector(".what").textContent = form.closest(".finding").querySelector("h3").textContent;
  dismissing.returnValue = "";
  dismissing.onclose = () => {
    returnTo(id);
    const reason = dismissing.dataset.reason ?? "";
    delete dismissing.dataset.reason;
    if (reason) answer(form, "dismissed", reason);
  };
  dismissing.showModal();
  box.querySelector(".reason").focus();
}

function decide(finding, decision) {
  const form = finding?.querySelector("form.answers");
  if (!form) return;
  if (decision === "dismissed") dismiss(form); else answer(form, decision, "");
}

if (dismissing) {
  const give = (reason) => { dismissing.dataset.reason = reason; dismissing.close(); };
  dismissing.addEventListener("click", (event) => {
    const chosen = event.target.closest(".reason");
    if (chosen) give(chosen.querySelector("span").textContent);
  });
  dismissing.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const written = dismissing.querySelector("input").value.trim();
    if (written) give(written); else dismissing.querySelector("input").focus();
  });
  dismissing.addEventListener("keydown", (event) => {
    if (isWriting(event) || isChord(event)) return;
    const chosen = dismissing.querySelector(`.reason[data-key="${CSS.escape(event.key)}"]`);
    if (chosen) { event.preventDefault(); give(chosen.querySelector("span").textContent); }
  });
}
for (const box of document.querySelectorAll("dialog")) {
  box.addEventListener("click", (event) => { if (event.target === box || event.target.closest(".close")) box.close(); });
}
enlarged.querySelector("img").addEventListener("click", () => enlarged.close());

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form.answers");
  if (!form) return;
  event.preventDefault();
  decide(form.closest(".finding"), event.submitter?.value ?? "");
});
document.addEventListener("click", (event) => {
  const finding = event.target.closest(".finding");
  if (!finding) return;
  if (event.target.closest(".play")) play(finding);
  else if (event.target.matches("img")) enlarge(finding);
});

// On a coup's line of what is in doubt, the keys are about the findings under it.
const under = () => document.activeElement?.closest("summary")?.parentElement.querySelector(".finding") ?? null;

function step(by) {
  const findings = all();
  if (!findings.length) return;
  const at = findings.indexOf(current() ?? under()) - (under() && by > 0 ? 1 : 0);
  select(findings[Math.min(Math.max(at + by, 0), findings.length - 1)]);
}
// Without one chosen, a key is about the first that nobody has answered; one that is folded is shown first.
function meant() {
  const finding = current() ?? under() ?? document.querySelector('.finding[data-open="yes"]');
  if (!finding?.closest("details:not([open])")) return finding;
  select(finding);
  return null;
}
unfold(history.state?.unfolded ?? []);

export const keys = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  Enter: () => enlarge(current()),
  v: () => play(meant()),
  a: () => decide(meant(), "accepted"),
  d: () => decide(meant(), "dismissed"),
  e: () => decide(meant(), "escalated"),
  l: otherLanguage,
};
document.addEventListener("keydown", (event) => {
  if (isChord(event) || isWriting(event) || document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && (!current() || event.target !== current())) return;
  const act = keys[event.key] ?? keys[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
});
