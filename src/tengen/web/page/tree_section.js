// The section with the variation tree and the comment of the current move.

import { button, el } from "./dom.js";
import { t } from "./translation.js";

const TYPING_PAUSE_MS = 500; // a comment is sent after a pause of this length

export class TreeSection {
  constructor(app) {
    this.app = app;
    this.name = "tree";
    this.title = t("tree.title");
    this.comment = el("textarea", { id: "comment", rows: 3, placeholder: t("tree.comment_hint"), "aria-label": t("tree.comment") });
    this.comment.addEventListener("input", () => this.scheduleComment());
    this.comment.addEventListener("change", () => this.sendComment());
    this.comment.addEventListener("blur", () => this.hasMoved() && this.show());
    addEventListener("pagehide", () => this.sendComment());
    this.promote = button(t("tree.promote"), () => app.send("promote", { node: app.state.node }), null, "promote", { icon: "arrow-up", kind: "quiet small" });
    this.bar = el("div", { class: "bar" }, this.promote, button(t("tree.delete"), () => app.deleteBranch(), null, "delete-branch", { icon: "trash-2", kind: "quiet small" }));
    this.element = el("div", {}, app.tree.element, this.comment, this.bar);
  }

  // While typing, the text belongs to the node where typing began.
  show() {
    this.promote.disabled = this.app.tree.isMainLine(this.app.state.node);
    if (document.activeElement !== this.comment) this.showComment(this.app.state);
  }

  showComment({ comment, node }) {
    this.comment.value = comment;
    this.sent = this.comment.value; // with line ends as the browser normalizes them
    this.commentAddress = this.app.pendingComments.address(node);
  }

  // Send while typing, since a page that is closed may not get another chance.
  scheduleComment() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.sendComment(), TYPING_PAUSE_MS);
  }

  sendComment() {
    clearTimeout(this.timer);
    if (!this.commentAddress || this.comment.value === this.sent) return;
    this.sent = this.comment.value;
    this.app.pendingComments.add(this.commentAddress, this.sent);
  }

  // Whether the displayed position is not the one of the comment.
  hasMoved() {
    const { state, game } = this.app;
    return state.node !== this.commentAddress?.node || game.id !== this.commentAddress.game;
  }
}
