// The panel of experiments: matches, tunings and lab reports, as they come in.

import { el } from "./dom.js";
import { percent } from "./look.js";

const POLL_MS = 4000;
const KINDS = { match: "Match", tuning: "Tuning", lab: "Lab report" };

export class ExperimentsPanel {
  constructor(app) {
    this.app = app;
    this.title = "Experiments";
    this.list = el("div", { id: "experiments" }, el("p", { class: "quiet-text" }, "Looking…"));
    this.element = el("div", { class: "panel" }, this.list);
    setInterval(() => {
      if (app.tab === this && !document.hidden) this.ask();
    }, POLL_MS);
  }

  ask() {
    this.app.send("experiments");
  }

  show() {
    if (!this.asked) this.ask();
    this.asked = true;
  }

  take({ entries }) {
    this.list.replaceChildren(...(entries.length ? entries.map(card) : [el("p", { class: "quiet-text" },
      "No match, tuning or lab report is in this folder. Start with ", el("code", {}, "tengen play --experiments FOLDER"), ".")]));
  }
}

function card({ kind, title, path, report, changed, done, lines }) {
  const when = new Date(1000 * changed).toLocaleString([], { dateStyle: "short", timeStyle: "short" });
  const count = done === null ? "" : kind === "match" ? ` · ${done} games` : ` · ${done} duels`;
  return el("article", { class: "card" },
    el("h3", {}, title), el("p", { class: "quiet-text" }, `${KINDS[kind]} · ${path}${count} · ${when}`),
    lines.length ? el("table", {}, el("tbody", {}, lines.map(({ name, score, rate }) => el("tr", {},
      el("th", { scope: "row" }, name), el("td", {}, score), el("td", {}, rate === null ? "" : bar(rate)))))) : null,
    report ? el("a", { href: `/reports/${report.split("/").map(encodeURIComponent).join("/")}`, target: "_blank", rel: "noopener" }, "Open the report") : null);
}

function bar(rate) {
  return el("span", { class: "rate", title: percent(rate) }, el("i", { style: `width:${100 * rate}%` }));
}
