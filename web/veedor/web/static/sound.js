// Two short tones for an alert. A browser plays nothing before the page was touched once: the button says so.
const button = document.getElementById("sound");
let context;
let on = localStorage.getItem("veedor-sound") !== "off";

function show() {
  const blocked = on && context?.state !== "running";
  button.setAttribute("aria-pressed", String(on));
  button.classList.toggle("blocked", blocked);
  button.textContent = !on ? button.dataset.off : blocked ? button.dataset.blocked : button.dataset.on;
}

function wake() {
  context ??= new AudioContext();
  context.onstatechange = show;
  if (context.state === "suspended") context.resume().then(show, () => {});
  show();
}

export function toggle() {
  on = !on;
  localStorage.setItem("veedor-sound", on ? "on" : "off");
  wake();
}

export let played = 0;
export function alarm() {
  if (!on || context?.state !== "running") return;
  played += 1;
  button.dataset.played = String(played);
  for (const [at, hertz] of [[0, 880], [0.22, 660], [0.44, 880]]) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    const start = context.currentTime + at;
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0.0001, start);
    volume.gain.exponentialRampToValueAtTime(0.35, start + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.2);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + 0.22);
  }
}

button.addEventListener("click", () => {
  // Where sound is wanted and was only held back, touching the button is enough.
  if (on && context?.state !== "running") wake(); else toggle();
});
document.addEventListener("pointerdown", (event) => { if (!button.contains(event.target)) wake(); });
document.addEventListener("keydown", () => { if (context?.state !== "running") wake(); });
wake();
