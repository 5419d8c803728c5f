// Modal dialogs of the page.

import { el } from "./dom.js";
import { t } from "./translation.js";

/**
 * Create a dialog with a heading; it is removed from the page when it is closed.
 * @param {string} title
 * @param {Node[]} content
 * @param {{id?: string, wide?: boolean}} [options]
 */
export function openDialog(title, content, { id, wide = false } = {}) {
  const dialog = el("dialog", { id, class: wide ? "wide" : null, "aria-label": title, onclose: () => dialog.remove() },
    el("form", { method: "dialog" }, el("h2", {}, title), content));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Ask a question; resolve to whether it was answered with `yes`.
 * @param {string} text
 * @param {{yes?: string, no?: string, isDangerous?: boolean}} [options]
 * @returns {Promise<boolean>}
 */
export function ask(text, { yes = t("page.ok"), no = t("common.cancel"), isDangerous = false } = {}) {
  return new Promise((resolve) => {
    const dialog = el("dialog", { class: "question", role: "alertdialog", "aria-label": text },
      el("form", { method: "dialog" }, el("p", {}, text),
        el("div", { class: "bar end" },
          el("button", { value: "no", class: "quiet" }, no),
          el("button", { value: "yes", class: isDangerous ? "main danger" : "main", autofocus: true }, yes))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
