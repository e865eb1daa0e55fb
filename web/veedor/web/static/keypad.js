// One key, one entry: nothing counts as entered before the server has said so.
import { follow, isChord, isWriting, otherLanguage, send, words } from "./page.js";

const said = document.getElementById("said");
let correcting = "";
let hand = document.querySelector(".choose")?.dataset.hand ?? "";

follow(() => mark());

function tell(text, kind) {
  said.className = `said ${kind}`;
  said.textContent = text;
}

function mark() {
  for (const entry of document.querySelectorAll(".entry")) entry.classList.toggle("correcting", entry.dataset.entry === correcting);
}

async function post(address, fields, button) {
  button?.classList.add("pressed");
  tell("…", "");
  // Sent again with the same mark it is one entry all the same.
  const press = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const sent = { csrf: words.csrf, press, ...fields };
  let answer = await send(address, sent);
  if (answer.unheard) answer = await send(address, sent);
  button?.classList.remove("pressed");
  if (answer.unheard) tell(words.unheard, "bad");
  else if (!answer.saved) tell(answer.fault.startsWith(words.notSaved) ? answer.fault : `${words.notSaved}: ${answer.fault}`, "bad");
  else tell(answer.told ? `${words.saved}: ${answer.told}` : words.withdrawn, "good");
  return !answer.unheard && answer.saved;
}

function enter(fields, button) {
  const address = correcting ? `${words.enter}/${correcting}` : words.enter;
  correcting = "";
  mark();
  return post(address, fields, button);
}

function press(button) {
  const needs = button.dataset.needs;
  if (!needs) { enter({ key: button.dataset.key }, button); return; }
  const box = document.getElementById(`needs-${needs}`);
  const form = box.querySelector("form");
  // What was refused is there again to be put right; of what was taken nothing is left.
  if (form.dataset.refused !== button.dataset.key) form.reset();
  box.querySelector("h2").textContent = button.querySelector("span").textContent;
  form.onsubmit = async (event) => {
    event.preventDefault();
    box.close();
    const saved = await enter({ key: button.dataset.key, ...Object.fromEntries(new FormData(form)) }, button);
    form.dataset.refused = saved ? "" : button.dataset.key;
  };
  box.showModal();
}
for (const box of document.querySelectorAll("dialog")) {
  box.addEventListener("click", (event) => { if (event.target === box || event.target.closest(".close")) box.close(); });
}

function choose(name) {
  hand = name;
  for (const each of document.querySelectorAll(".choose")) each.setAttribute("aria-pressed", String(each.dataset.hand === hand));
}
function stepHand(by) {
  const hands = [...document.querySelectorAll(".choose")].map((each) => each.dataset.hand);
  if (hands.length) choose(hands[(hands.indexOf(hand) + by + hands.length) % hands.length]);
}

const last = () => document.querySelector('.entry[data-standing="yes"]')?.dataset.entry;
function withdraw(number) { if (number) post(`${words.enter}/${number}`, { withdraw: "1" }); }
function correct(number) {
  if (!number) return;
  correcting = correcting === number ? "" : number;
  tell(correcting ? words.correcting : "", "asks");
  mark();
}

document.addEventListener("click", (event) => {
  const key = event.target.closest(".key");
  const chosen = event.target.closest(".choose");
  const wrong = event.target.closest(".correct");
  if (key) press(key);
  else if (chosen) choose(chosen.dataset.hand);
  else if (wrong) correct(wrong.closest(".entry").dataset.entry);
});
document.addEventListener("submit", (event) => {
  const entry = event.target.closest(".entry");
  if (entry) { event.preventDefault(); withdraw(entry.dataset.entry); }
});

const keys = {
  ArrowLeft: () => stepHand(-1), ArrowRight: () => stepHand(1), u: () => withdraw(last()), k: () => correct(last()),
  Escape: () => { correcting = ""; tell("", ""); mark(); }, l: otherLanguage,
};
document.addEventListener("keydown", (event) => {
  // A key held down is one entry, not thirty.
  if (event.repeat || isChord(event) || isWriting(event) || document.querySelector("dialog[open]")) return;
  const name = event.key.toLowerCase();
  const button = /^[0-9]$/.test(name)
    ? document.querySelector(`.column[data-hand="${CSS.escape(hand)}"] .point[data-point="${name}"]`)
    : /^[a-z]$/.test(name) ? document.querySelector(`.key[data-hot="${name}"]`) : null;
  if (button) { event.preventDefault(); press(button); return; }
  const act = keys[event.key] ?? keys[name];
  if (act) { event.preventDefault(); act(); }
});
