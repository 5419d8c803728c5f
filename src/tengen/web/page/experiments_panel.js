// The Experiments tab: matches, tuning runs and lab reports, updated while it is open.

import { el, percent } from "./dom.js";

const POLL_MS = 4000;
const KINDS = { match: "Match", tuning: "Tuning", lab: "Lab report" };

export class ExperimentsPanel {
  constructor(app) {
    this.app = app;
    this.name = "experiments";
    this.title = "Experiments";
    this.icon = "flask-conical";
    this.list = el("div", { id: "experiments" }, el("p", { class: "quiet-text" }, "Loading…"));
    this.element = el("div", { class: "panel" }, this.list);
    setInterval(() => {
      if (app.panel === this && !document.hidden) this.request();
    }, POLL_MS);
  }

  request() {
    this.app.send("list_experiments");
  }

  show() {
    if (!this.isRequested) this.request();
    this.isRequested = true;
  }

  receive({ entries }) {
    this.list.replaceChildren(...(entries.length ? entries.map(card) : [el("p", { class: "quiet-text" },
      "No matches, tuning runs or lab reports in this folder. To choose another one, start with ", el("code", {}, "tengen play --experiments FOLDER"), ".")]));
  }
}

function card({ kind, title, path, report, changed, done, lines }) {
  const when = new Date(1000 * changed).toLocaleString([], { dateStyle: "short", timeStyle: "short" });
  const count = done === null ? "" : ` · ${done} ${kind === "match" ? "games" : "pairs"}`;
  return el("article", { class: "card" },
    el("h3", {}, title), el("p", { class: "quiet-text" }, `${KINDS[kind]} · ${path}${count} · ${when}`),
    lines.length ? el("table", {}, el("tbody", {}, lines.map(({ name, score, rate }) => el("tr", {},
      el("th", { scope: "row" }, name), el("td", {}, score), el("td", {}, rate === null ? "" : rateBar(rate)))))) : null,
    report ? el("a", { href: `/reports/${report.split("/").map(encodeURIComponent).join("/")}`, target: "_blank", rel: "noopener" }, "Open report") : null);
}

function rateBar(rate) {
  return el("span", { class: "rate", title: percent(rate) }, el("i", { style: `width:${100 * rate}%` }));
}
