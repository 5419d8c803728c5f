// Keyboard shortcuts and the dialog that lists them.

import { el } from "./dom.js";

const SHORTCUTS = [
  ["← →", "previous move, next move"], ["↑ ↓", "previous variation, next variation"], ["Home End", "first move, last move"],
  ["b", "focus the board: arrow keys move the cursor, Enter plays, Esc leaves"],
  ["p", "pass"], ["u", "undo"], ["h", "hint"], ["g", "engine move"], ["s", "score"],
  ["Enter Esc", "accept the score, resume play"],
  ["a", "analyze the position"], ["n", "new game"], ["o", "open a file"], ["w", "save"],
  ["1 2 3 4", "Play, Analysis, Review, Experiments"], ["?", "this list"],
];

export function setUpKeyboard(app, helpButton) {
  const dialog = el("dialog", { id: "keys", "aria-label": "Keyboard shortcuts" },
    el("form", { method: "dialog" }, el("h2", {}, "Keyboard shortcuts"),
      el("dl", {}, SHORTCUTS.map(([key, text]) => [el("dt", {}, key.split(" ").map((one) => el("kbd", {}, one))), el("dd", {}, text)])),
      el("button", { class: "main" }, "Close")));
  document.body.append(dialog);
  const help = () => dialog.showModal();
  helpButton.addEventListener("click", help);
  const actions = {
    ArrowLeft: () => app.step("back"), ArrowRight: () => app.step("forward"),
    ArrowUp: () => app.step("previous"), ArrowDown: () => app.step("next"),
    Home: () => app.goTo(app.tree.root), End: () => app.goTo(app.tree.end(app.state.node)),
    b: () => app.focusBoard(), p: () => app.play("pass"), u: () => app.send("undo"), h: () => app.send("hint"),
    g: () => app.send("engine_move"), s: () => app.send("score"), n: () => app.openNewGame(), o: () => app.chooseFile(),
    w: () => app.save(), a: () => app.toggleAnalysis(), "?": help,
    Enter: () => app.state.phase === "scoring" && app.state.both_passed && app.send("accept_score"),
    Escape: () => (app.state.phase === "scoring" ? app.send("resume_play") : app.closeEstimate()),
  };
  for (const number of [1, 2, 3, 4]) actions[number] = () => app.openTab(number - 1);
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    const isPressing = event.target.closest?.("button, a") && (event.key === "Enter" || event.key === " ");
    if (isTyping || isPressing || event.ctrlKey || event.metaKey || event.altKey || !app.state) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
