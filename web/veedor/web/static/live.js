// The server renders; this script only puts what has changed in its place.
import { follow, words } from "./page.js";
import { keys, select } from "./findings.js";
import { alarm, toggle } from "./sound.js";

keys.m = toggle;
keys.k = () => document.getElementById("to-keypad")?.click();

let known = new Set();
follow((first) => {
  const accusing = [...document.querySelectorAll('.finding[data-verdict="broken"]')].map((each) => each.dataset.number);
  if (!first && accusing.some((number) => !known.has(number))) alarm();
  known = new Set([...known, ...accusing]);
});

// A page that nobody sees needs no picture; a browser has six connections to one server, and this is one of them.
// Fetched once all else is there: a picture that never ends would keep the page loading for ever.
const picture = document.getElementById("picture");
const look = () => {
  picture.hidden = document.hidden;
  if (document.hidden) picture.removeAttribute("src"); else picture.src = words.picture;
};
document.addEventListener("visibilitychange", look);
if (document.readyState === "complete") look(); else addEventListener("load", look);
if (location.hash.startsWith("#finding-")) select(document.getElementById(location.hash.slice(1)));
