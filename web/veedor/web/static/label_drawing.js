// What stands on and beside the picture besides the outlines: handles, the chosen object's fields, another's labels,
// what is told and asked.
import { merged } from "./label_saving.js";
import { centre, distance } from "./label_shapes.js";
import { drawCrop } from "./label_view.js";
import { CARDS, CHIPS, say, stackWords, told } from "./label_words.js";

const SVG = "http://www.w3.org/2000/svg";

export const find = (id) => document.getElementById(id);

export function made(name, attributes, holder) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  holder?.append(element);
  return element;
}

export function tell(text) {
  find("told").textContent = text;
  find("told").hidden = false;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => { find("told").hidden = true; }, 4000);
}

// Whose labels are to stand, where another's were saved meanwhile; `labels` is null for the other's.
export function askWhose(newest, base, mine) {
  const conflict = find("conflict"), both = merged(base, mine.objects, newest.objects);
  conflict.querySelector(".what").textContent = `${newest.author} · ${say.savedBy} ${newest.number} · ${newest.at.slice(0, 19).replace("T", " ")} UTC`;
  conflict.querySelector('[data-choice="merge"] span').textContent = `${say.merge} (${both.both.length} ${say.both})`;
  return new Promise((resolve) => {
    const choose = (choice) => {
      conflict.close();
      const labels = choice === "merge" ? { objects: both.objects, checked: [...new Set([...mine.checked, ...newest.checked])] } : choice === "mine" ? mine : null;
      resolve({ choice, labels });
    };
    conflict.oncancel = (event) => event.preventDefault();
    conflict.onclick = (event) => { const button = event.target.closest(".reason"); if (button) choose(button.dataset.choice); };
    conflict.onkeydown = (event) => { const button = conflict.querySelector(`[data-key="${CSS.escape(event.key)}"]`); if (button) { event.preventDefault(); choose(button.dataset.choice); } };
    conflict.showModal();
  });
}

export function drawHandles(object, view, corner) {
  const holder = find("handles");
  holder.replaceChildren();
  if (!object) return;
  const at = view.onScreen(object.corners_px), [cx, cy] = centre(at);
  const middle = [(at[0][0] + at[1][0]) / 2, (at[0][1] + at[1][1]) / 2], long = distance(middle, [cx, cy]) || 1;
  const knob = middle.map((part, axis) => part + ((part - [cx, cy][axis]) / long) * 26);
  // Small objects would be hidden by large handles.
  const radius = Math.min(6, Math.max(3, Math.min(distance(at[0], at[1]), distance(at[1], at[2])) / 7));
  made("line", { x1: middle[0], y1: middle[1], x2: knob[0], y2: knob[1] }, holder);
  made("circle", { class: "turn", cx: knob[0], cy: knob[1], r: radius + 1, "data-handle": "turn" }, holder);
  at.forEach(([x, y], i) => made("circle", { class: i === corner ? "corner picked" : "corner", cx: x, cy: y, r: radius, "data-handle": i }, holder));
}

export function drawSide(object, title, picture) {
  const crop = find("crop");
  find("fields").hidden = !object;
  find("title").textContent = title;
  crop.hidden = !object;
  if (!object) return;
  drawCrop(crop, picture, object.corners_px);
  find("kind").value = object.kind;
  find("face").hidden = !CARDS.includes(object.kind);
  find("back-row").hidden = object.kind !== "card_back";
  find("chips-row").hidden = !CHIPS.includes(object.kind);
  for (const button of document.querySelectorAll("[data-rank]")) button.setAttribute("aria-pressed", String(button.dataset.rank === object.rank));
  for (const button of document.querySelectorAll("[data-suit]")) button.setAttribute("aria-pressed", String(button.dataset.suit === object.suit));
  pick(find("back"), object.back ?? "");
  pick(find("zone"), object.zone ?? "");
  if (document.activeElement !== find("count")) find("count").value = object.count ?? "";
  find("stack").textContent = object.chips ? stackWords(object.chips) : "";
  find("occluded").checked = object.occluded ?? false;
  find("truncated").checked = object.truncated ?? false;
}

function pick(select, value) {
  if (![...select.options].some((each) => each.value === value)) select.add(new Option(value, value));
  select.value = value;
}

export function drawGhosts(other, view) {
  find("ghosts").replaceChildren();
  for (const each of other?.objects ?? []) made("polygon", { class: "ghost", points: view.points(each.corners_px) }, find("ghosts"));
}

// What two people do not agree on: `show` and `use` get one's own object and the other's, either may be missing.
export function drawOther(other, get, { show, use }) {
  const list = find("differences");
  list.hidden = !other;
  if (!other) return;
  list.querySelector("h3").textContent = `${say.disagree} ${other.author}`;
  const lines = other.differences.map((each) => {
    const [mine, theirs] = [get(each.own), other.objects.find((one) => one.id === each.other)];
    const line = document.createElement("li"), shown = document.createElement("button"), used = document.createElement("button");
    shown.type = used.type = "button";
    shown.textContent = `${say.on[each.on]}: ${mine ? told(mine) : "–"} / ${theirs ? told(theirs) : "–"}`;
    shown.onclick = () => show(mine, theirs);
    used.textContent = say.useTheirs;
    used.onclick = () => use(mine, theirs);
    line.append(shown, used);
    return line;
  });
  if (!lines.length) lines.push(Object.assign(document.createElement("li"), { textContent: say.noDisagreement }));
  list.querySelector("ol").replaceChildren(...lines);
}
