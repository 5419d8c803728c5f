// Saving and opening records, also by dropping a file on the page.

import { el, toast } from "./dom.js";
import { gameId } from "./link.js";

const LARGEST = 10_000_000;

export async function openFile(file) {
  if (file.size > LARGEST) {
    toast("The file is larger than 10 MB.");
    return;
  }
  const answer = await fetch(`/games/${gameId()}`, { method: "POST", body: await file.arrayBuffer() });
  const said = await answer.json();
  if (!answer.ok) toast(`Not opened: ${said.reason}.`);
  else if (said.warnings.length) toast(`Opened, though ${said.warnings[0]}.`);
}

export function saveGame() {
  const link = el("a", { href: `/games/${gameId()}.sgf`, download: "tengen.sgf" });
  document.body.append(link);
  link.click();
  link.remove();
}

export function setUpFiles() {
  const input = el("input", { type: "file", id: "file", accept: ".sgf,.gib,.ngf,.ugf,.ugi", class: "unseen", tabindex: -1, "aria-label": "A game record" });
  input.addEventListener("change", () => {
    if (input.files.length) openFile(input.files[0]);
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
    if (event.dataTransfer.files.length) openFile(event.dataTransfer.files[0]);
  });
  return () => input.click();
}
