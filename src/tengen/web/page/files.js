// Saving and opening records, also by dropping a file on the page.

import { el, toast } from "./dom.js";
import { gameId } from "./link.js";

const LARGEST = 10_000_000;

async function openFile(file) {
  if (file.size > LARGEST) {
    toast("The file is larger than 10 MB.");
    return;
  }
  try {
    await openRecord(await file.arrayBuffer());
  } catch {
    toast("Not opened: the file cannot be read.");
  }
}

// Put a record on the board; return whether that was done.
export async function openRecord(data) {
  const answer = await ask(`/games/${gameId()}`, { method: "POST", body: data }, "Not opened");
  if (!answer) return false;
  const { warnings, has_more: hasMore } = await answer.json();
  if (warnings.length) toast(`Opened, though ${warnings[0]}.`);
  if (hasMore) toast("There are several games in this file: this is the first.");
  return true;
}

// Save the game as a file; return whether that was done.
export async function saveGame() {
  const answer = await ask(`/games/${gameId()}.sgf`, {}, "Not saved");
  if (!answer) return false;
  const name = decodeURIComponent(answer.headers.get("Content-Disposition").split("''")[1]);
  const address = URL.createObjectURL(await answer.blob());
  el("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
  return true;
}

// Return the server's answer; null when there is none or it refuses, which is told.
async function ask(path, options, failed) {
  let answer = null;
  try {
    answer = await fetch(path, options);
  } catch {
    toast(`${failed}: there is no connection.`);
    return null;
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({ reason: answer.statusText }));
  toast(`${failed}: ${said.reason}.`);
  return null;
}

// Return what lets one choose a file; `mayLeave` tells whether the present game may go.
export function setUpFiles(mayLeave) {
  const open = (files) => files.length && mayLeave() && openFile(files[0]);
  const input = el("input", { type: "file", id: "file", accept: ".sgf,.gib,.ngf,.ugf,.ugi", class: "unseen", tabindex: -1, "aria-label": "A game record" });
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
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    open(event.dataTransfer.files);
  });
  return () => input.click();
}
