// What every page that follows the server has: a stream of changed parts, and the keyboard.
export const language = document.body.dataset.language;
export const words = document.body.dataset;

export function unfold(ids) {
  for (const id of ids) { const folded = document.getElementById(id); if (folded) folded.open = true; }
}

export function put(id, html) {
  const holder = document.getElementById(id);
  const focused = holder.contains(document.activeElement) ? document.activeElement.id : "";
  const unfolded = [...holder.querySelectorAll("details[open]")].map((each) => each.id);
  holder.innerHTML = html;
  unfold(unfolded);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

// Browsers open a stream again by themselves; `changed` hears which parts are new, `first` whether they are the first.
export function follow(changed) {
  const stream = new EventSource(words.stream);
  const connection = document.getElementById("connection");
  let first = true;
  stream.onopen = () => { connection.textContent = ""; };
  stream.onmessage = (message) => {
    connection.textContent = "";
    for (const [id, html] of Object.entries(JSON.parse(message.data))) put(id, html);
    changed(first);
    first = false;
  };
  stream.onerror = () => {
    connection.textContent = words.lost;
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 3000);
  };
  stream.addEventListener("finished", () => { stream.close(); document.body.dataset.over = "yes"; });
  stream.addEventListener("signed-out", () => { stream.close(); location.href = "/sign-in"; });
}

export const isWriting = (event) => event.target.closest?.("input, select, textarea, video") !== null;
export const isChord = (event) => event.ctrlKey || event.metaKey || event.altKey;

export function otherLanguage() {
  // A page that answers a form is not to be asked for at its own address: what its language link says holds.
  const link = document.querySelector(`.languages [lang="${words.otherLanguage}"]`);
  if (link instanceof HTMLAnchorElement && location.hash) link.hash = location.hash;
  link?.click();
}

// A form's answer: true once the server has it on disk; otherwise the words for the person.
export async function send(address, fields) {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { accept: "application/json" },
      body: new URLSearchParams(fields),
      signal: AbortSignal.timeout(8000),
    });
    const said = await answer.json().catch(() => ({}));
    if (answer.status === 401) { location.href = "/sign-in"; }
    return answer.ok && said.saved ? { saved: true, ...said } : { saved: false, fault: said.fault ?? String(answer.status) };
  } catch {
    return { saved: false, unheard: true, fault: words.lost ?? "" };
  }
}
