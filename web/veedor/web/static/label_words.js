// What an object is called, in the page's language.
export const say = JSON.parse(document.getElementById("words").textContent);
export const CARDS = ["card_face", "card_back"], CHIPS = ["chip_stack", "plaque"];

export function stackWords(chips) {
  const runs = [];
  for (const name of chips) { const last = runs.at(-1); if (last?.name === name) last.count += 1; else runs.push({ name, count: 1 }); }
  const value = (name) => say.chips.find((each) => each.name === name)?.value ?? name;
  return runs.map((each) => `${each.count} × ${value(each.name)}`).join(" + ");
}

export function told(object) {
  const kind = say.kinds[object.kind];
  if (object.kind === "card_face") return `${object.rank === "T" ? "10" : object.rank ?? "?"}${say.suits[object.suit] ?? "?"}`;
  if (CHIPS.includes(object.kind)) return object.chips ? stackWords(object.chips) : `${kind} × ${object.count ?? "?"}`;
  return kind;
}

// On the picture there is little room: a card's name, what a stack is worth.
export function short(object) {
  if (object.kind === "card_face") return told(object);
  if (!CHIPS.includes(object.kind)) return "";
  if (!object.chips) return object.count ? `${object.count}×?` : "?";
  return stackWords(object.chips).replaceAll(" × ", "×").replaceAll(/\b1×/g, "").replaceAll(" + ", "+");
}
