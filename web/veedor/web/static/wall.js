// The wall: calm, and a tone when a table has an alert that it had not.
import { follow, isChord, isWriting, otherLanguage } from "./page.js";
import { alarm, toggle } from "./sound.js";

const alerts = () => new Map([...document.querySelectorAll(".tile")].map((tile) => [tile.dataset.table, Number(tile.dataset.alert)]));
let known = alerts();
follow((first) => {
  const now = alerts();
  if (!first && [...now].some(([table, number]) => number > (known.get(table) ?? 0))) alarm();
  for (const [table, number] of now) known.set(table, Math.max(number, known.get(table) ?? 0));
});

function step(by) {
  const tiles = [...document.querySelectorAll(".tile > a")];
  const at = tiles.indexOf(document.activeElement);
  tiles[Math.min(Math.max(at + by, 0), tiles.length - 1)]?.focus();
}
const keys = {
  ArrowRight: () => step(1), ArrowDown: () => step(1), ArrowLeft: () => step(-1), ArrowUp: () => step(-1),
  m: toggle, l: otherLanguage,
};
document.addEventListener("keydown", (event) => {
  const act = isChord(event) || isWriting(event) ? undefined : keys[event.key] ?? keys[event.key.toLowerCase()];
  if (act) { event.preventDefault(); act(); }
});
