// Opening game records (file dialog, drag and drop) and saving the game.

import { gameId } from "./connection.js";
import { el, toast } from "./dom.js";
import { droppedFiles, fileChooser, isCollection } from "./imports.js";
import { serverText } from "./server_texts.js";
import { t } from "./translation.js";

const MAX_BYTES = 10_000_000; // larger files are collections

// Open the first game of a file; offer to list the others.
async function openFile(file, list) {
  try {
    await openRecord(await file.arrayBuffer(), () => list([file]));
  } catch {
    toast(t("files.not_opened", { reason: t("files.unreadable") }));
  }
}

// Load a record into the current game; return whether it succeeded.
export async function openRecord(data, listAll = null) {
  const response = await request(`/games/${gameId()}`, { method: "POST", body: data }, "files.not_opened");
  if (!response) return false;
  const { warnings, has_more: hasMore } = await response.json();
  if (warnings.length) toast(t("files.warning", { warning: warnings[0] }));
  if (hasMore) toast(t("files.several"), listAll ? { [t("files.list_all")]: listAll, [t("common.close")]: () => {} } : {}, { isOffer: true });
  return true;
}

// Download the game as SGF; return whether it succeeded.
export async function saveGame() {
  const response = await request(`/games/${gameId()}.sgf`, {}, "files.not_saved");
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
    toast(t(failure, { reason: t("files.no_connection") }));
    return null;
  }
  if (response.ok) return response;
  const { reason } = await response.json().catch(() => ({ reason: response.statusText }));
  toast(t(failure, { reason: serverText(reason) }));
  return null;
}

// Set up the file dialog and drag and drop; return a function that opens the file dialog. `confirmLeave`
// returns whether the current game may be replaced, `list` shows files in the library.
export function setUpFiles(confirmLeave, list) {
  const open = async (files) => {
    if (!files.length) return;
    if (isCollection(files) || files[0].size > MAX_BYTES) list(files);
    else if (await confirmLeave()) openFile(files[0], list);
  };
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.dataset.drop = t("files.drop");
  });
  addEventListener("dragleave", () => delete document.body.dataset.drop);
  addEventListener("drop", async (event) => {
    event.preventDefault();
    delete document.body.dataset.drop;
    open(await droppedFiles(event.dataTransfer));
  });
  return fileChooser("file", false, open);
}
