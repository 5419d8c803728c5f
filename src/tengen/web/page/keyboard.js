// Keyboard shortcuts and the dialog that lists them.

import { openDialog } from "./dialogs.js";
import { el } from "./dom.js";
import { t } from "./i18n.js";

export class Keyboard {
  constructor(app) {
    this.app = app;
    this.actions = {};
    this.texts = new Map(); // description by keys, as listed
    this.addAll();
    addEventListener("keydown", (event) => this.handle(event));
  }

  /**
   * Add a shortcut, or several keys with one description: add("↑ ↓", "...", [action, action]).
   * @param {string} key
   * @param {string} text
   * @param {(() => void) | Record<string, () => void>} action
   */
  add(key, text, action) {
    this.texts.set(key, text);
    Object.assign(this.actions, typeof action === "function" ? { [key]: action } : action);
  }

  addAll() {
    const { app } = this;
    this.add("← →", t("previous move, next move"), { ArrowLeft: () => app.step("back"), ArrowRight: () => app.step("forward") });
    this.add("↑ ↓", t("previous variation, next variation"), { ArrowUp: () => app.step("previous"), ArrowDown: () => app.step("next") });
    this.add("PgUp PgDn", t("ten moves back, ten moves forward"), { PageUp: () => app.leap(-10), PageDown: () => app.leap(10) });
    this.add("Home End", t("first move, last move"), { Home: () => app.goTo(app.tree.root), End: () => app.goTo(app.tree.end(app.state.node)) });
    this.add("b", t("focus the board: arrow keys move the cursor, Enter plays, Esc leaves"), () => app.stage.focusBoard());
    this.add("p", t("pass"), () => app.play("pass"));
    this.add("u", t("undo"), () => app.send("undo"));
    this.add("h", t("hint"), () => app.send("hint"));
    this.add("g", t("engine move"), () => app.send("engine_move"));
    this.add("s", t("score"), () => app.send("score"));
    this.add("Enter Esc", t("accept the score, resume play"), {
      Enter: () => app.state.phase === "scoring" && app.state.both_passed && app.send("accept_score"),
      Escape: () => (app.state.phase === "scoring" ? app.send("resume_play") : app.closeEstimate()),
    });
    this.add("n", t("new game"), () => app.openNewGame());
    this.add("o", t("open a file"), () => app.openFile());
    this.add("w", t("save"), () => app.save());
  }

  handle(event) {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    const isPressing = event.target.closest?.("button, a, summary") && (event.key === "Enter" || event.key === " ");
    if (isTyping || isPressing || event.ctrlKey || event.metaKey || event.altKey || !this.app.state) return;
    const action = this.actions[event.key];
    if (!action || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    action();
  }

  showHelp() {
    openDialog(t("Keyboard shortcuts"), [
      el("dl", {}, [...this.texts].map(([keys, text]) => [el("dt", {}, keys.split(" ").map((one) => el("kbd", {}, one))), el("dd", {}, text)])),
      el("button", { class: "main" }, t("Close"))], { id: "keys" });
  }
}
