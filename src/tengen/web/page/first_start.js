// The progress shown while the server compiles its engine, on the first start only.

import { $, el } from "./dom.js";
import { t } from "./translation.js";

export class FirstStart {
  constructor(app) {
    this.progress = el("progress", { max: 1, value: 0, "aria-label": t("first_start.title") });
    this.kernel = el("p", { class: "quiet-text" });
    this.element = el("div", { id: "first-start", class: "card", role: "status", hidden: true },
      el("h2", {}, t("first_start.title")), el("p", {}, t("first_start.text")), this.progress, this.kernel);
    $("stage").append(this.element);
    app.on("preparation", (message) => this.show(message));
    app.on("welcome", () => { this.element.hidden = true; });
  }

  show({ compiled, total, kernel }) {
    this.element.hidden = false;
    this.progress.value = Math.min(compiled / total, 1);
    this.kernel.textContent = kernel ? t("first_start.kernel", { count: compiled, name: kernel }) : "";
  }
}
