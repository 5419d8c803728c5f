// Opening game records (file dialog, drag and drop) and saving the game.

import { gameId } from "./connection.js";
import { el, toast } from "./dom.js";

const MAX_BYTES = 10_000_000;

async function openFile(file) {
  if (file.size > MAX_BYTES) {
    toast("The file is larger than 10 MB.");
    return;
  }
  try {
    await openRecord(await file.arrayBuffer());
  } catch {
    toast("Not opened: the file cannot be read.");
  }
}

// Load a record into the current game; return whether it succeeded.
export async function openRecord(data) {
  const response = await request(`/games/${gameId()}`, { method: "POST", body: data }, "Not opened");
  if (!response) return false;
  const { warnings, has_more: hasMore } = await response.json();
  if (warnings.length) toast(`Opened with a warning: ${warnings[0]}.`);
  if (hasMore) toast("The file contains several games; the first one is shown.");
  return true;
}

// Download the game as SGF; return whether it succeeded.
export async function saveGame() {
  const response = await request(`/games/${gameId()}.sgf`, {}, "Not saved");
  if (!response) return false;
  const name = decodeURIComponent(response.headers.get("Content-Disposition").split("''")[1]);
  const url = URL.createObjectURL(await response.blob());
  el("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
  return true;
}

// Return the server's response; on failure show the reason and return null.
async function request(path, options, failure) {
  let response = null;
  try {
    response = await fetch(path, options);
  } catch {
    toast(`${failure}: no connection.`);
    return null;
  }
  if (response.ok) return response;
  const { reason } = await response.json().catch(() => ({ reason: response.statusText }));
  toast(`${failure}: ${reason}.`);
  return null;
}

// Set up file input and drag and drop; return a function that opens the file dialog.
// `confirmLeave` returns whether the current game may be replaced.
export function setUpFiles(confirmLeave) {
  const open = (files) => files.length && openFile(files[0]);
  const input = el("input", { type: "file", id: "file", accept: ".sgf,.gib,.ngf,.ugf,.ugi", class: "visually-hidden", tabindex: -1, "aria-label": "Game record" });
  input.addEventListener("change", () => {
    open(input.files);
    input.value = "";
  });
  document.body.append(input);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const files = [...event.dataTransfer.files];
    if (files.length && await confirmLeave()) open(files);
  });
  return () => input.click();
}
