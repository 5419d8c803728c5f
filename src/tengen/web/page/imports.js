// Imports of files to the library or to the game database, with progress and cancel.

import { button, el, toast } from "./dom.js";
import { serverText } from "./server_texts.js";
import { packFiles } from "./tar.js";
import { t } from "./translation.js";

const RECORD_FILES = ".sgf,.mgt,.gib,.ngf,.ugf,.ugi";
const COLLECTION_FILES = `${RECORD_FILES},.zip,.tar,.gz,.tgz,.bz2,.tbz2,.xz,.txz`;
const IS_RECORD = /\.(sgf|mgt|gib|ngf|ugf|ugi)$/i;
const IS_ARCHIVE = /\.(zip|tar(\.(gz|bz2|xz))?|tgz|tbz2?|txz)$/i;
const SENT_SHARE = 0.3; // of the progress bar, for sending the file

/** @param {File[]} files */
export function isCollection(files) {
  return files.length > 1 || IS_ARCHIVE.test(files[0]?.name ?? "");
}

/** Sends files to a target of the server and shows the progress of their import. */
export class ImportBar {
  /** @param {string} target `library` or `database` */
  constructor(app, target, onDone) {
    this.app = app;
    this.target = target;
    this.onDone = onDone;
    this.request = null;
    this.progress = el("progress", { max: 1, value: 0, "aria-label": t("import.progress") });
    this.text = el("span", { role: "status" });
    this.element = el("div", { class: "import", hidden: true }, this.progress,
      el("div", { class: "bar" }, this.text, el("span", { class: "spacer" }), button(t("common.cancel"), () => this.cancel(), null, `cancel-${target}`, { icon: "x", kind: "small" })));
    app.on("import", (message) => message.target === target && this.receive(message));
    app.on("welcome", () => { if (!this.request) this.element.hidden = true; });
  }

  /**
   * Send one file, or several as an archive.
   * @param {File[]} files
   */
  send(files) {
    const records = files.length > 1 ? files.filter((file) => IS_RECORD.test(file.name) || IS_ARCHIVE.test(file.name)) : files;
    if (!records.length) {
      toast(t("import.no_records"));
      return;
    }
    const folder = records[0].webkitRelativePath.split("/")[0] || t("import.files", { count: records.length });
    const [body, name] = records.length > 1 ? [packFiles(records), `${folder}.tar`] : [records[0], records[0].name];
    this.show(0, t("import.sending", { name }));
    const request = this.request = new XMLHttpRequest();
    request.open("POST", `/imports/${this.target}?name=${encodeURIComponent(name)}`);
    request.upload.onprogress = ({ loaded, total }) => this.show(SENT_SHARE * (loaded / (total || 1)), t("import.sending", { name }));
    request.onerror = () => this.fail(t("connection.lost"));
    request.onload = () => {
      this.request = null;
      if (request.status >= 400) this.fail(t("files.not_opened", { reason: serverText(reasonOf(request.responseText)) }));
    };
    request.onabort = () => this.hide();
    request.send(body);
  }

  show(share, text) {
    this.element.hidden = false;
    this.progress.value = share;
    this.text.textContent = text;
  }

  hide() {
    this.request = null;
    this.element.hidden = true;
  }

  fail(text) {
    this.hide();
    toast(text);
  }

  cancel() {
    if (this.request) this.request.abort();
    else this.app.send("cancel_import", { target: this.target });
  }

  receive({ name, share, games, read, is_running: isRunning, is_cancelled: isCancelled, problem }) {
    if (isRunning) {
      this.show(SENT_SHARE + (1 - SENT_SHARE) * share, t("import.reading", { name, count: games }));
      return;
    }
    this.hide();
    if (problem) toast(t("files.not_opened", { reason: serverText(problem) }));
    else if (!isCancelled) toast(t(this.target === "library" ? "import.listed" : "import.added", { name, count: games, read }));
    this.onDone();
  }
}

function reasonOf(text) {
  try {
    return JSON.parse(text).reason;
  } catch {
    return text;
  }
}

/**
 * Return a function that lets the user choose files, or a folder, and passes them on.
 * @param {string} id of the input
 * @param {boolean} isFolder
 * @param {(files: File[]) => void} onFiles
 */
export function fileChooser(id, isFolder, onFiles) {
  const input = /** @type {HTMLInputElement} */ (el("input", { type: "file", id, multiple: true, webkitdirectory: isFolder, accept: isFolder ? null : COLLECTION_FILES, hidden: true }));
  input.addEventListener("change", () => {
    const files = [...input.files];
    input.value = "";
    if (files.length) onFiles(files);
  });
  document.body.append(input);
  return () => input.click();
}

/**
 * Return the files that were dropped, with those of folders.
 * @param {DataTransfer} transfer
 * @returns {Promise<File[]>}
 */
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  return (await Promise.all(entries.map(filesOf))).flat();
}

async function filesOf(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
    return [Object.assign(file, { path: entry.fullPath.slice(1) })];
  }
  const reader = entry.createReader();
  const found = [];
  for (let batch = null; !batch || batch.length;) {
    batch = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    found.push(...batch);
  }
  return (await Promise.all(found.map(filesOf))).flat();
}
