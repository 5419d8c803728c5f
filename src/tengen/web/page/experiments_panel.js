// The Experiments tab: matches, tuning runs and lab reports; starts matches and lab experiments.

import { button, el, icon, percent, replaceChildren } from "./dom.js";
import { ExperimentDialogs } from "./experiment_dialogs.js";
import { serverText } from "./server_texts.js";
import { t } from "./translation.js";

const POLL_MS = 4000, RUNNING_POLL_MS = 1500;
const EXAMPLE = { name: "third_line", file: "my_ideas.py", games: 20, visits: 100 };
const EXAMPLE_CODE = `def third_line(position):
    """Prefer the third line."""
    scores = np.full((position.rows, position.columns), np.nan)
    …
    scores[edge_distance == 2] = 1.0  # good
    scores[edge_distance == 0] = 0.0  # bad
    return scores`;

export class ExperimentsPanel {
  constructor(app) {
    this.app = app;
    this.name = "experiments";
    this.title = t("tab.experiments");
    this.icon = "flask-conical";
    this.found = null;
    this.dialogs = new ExperimentDialogs(app);
    this.introduction = el("details", { class: "card introduction" });
    this.list = el("div", { id: "experiments" }, el("p", { class: "quiet-text" }, t("experiments.loading")));
    this.element = el("div", { class: "panel" },
      el("div", { class: "bar" }, button(t("experiments.new_match"), () => this.dialogs.openMatch(this.found), null, "new-match", { icon: "swords", kind: "main" }),
        button(t("experiments.new_lab"), () => this.dialogs.openLab(this.found), null, "new-lab", { icon: "flask-conical" })),
      this.introduction, this.list);
    app.on("experiments_changed", () => app.panel === this && this.request());
    app.on("match_games", ({ collection }) => app.library.showCollection(collection));
    app.on("tab", (name) => name === this.name && this.poll());
  }

  poll() {
    clearTimeout(this.timer);
    if (this.app.panel !== this) return;
    if (!document.hidden && this.app.state) this.request();
    const isRunning = this.found?.entries.some(({ job }) => job?.is_running);
    this.timer = setTimeout(() => this.poll(), isRunning ? RUNNING_POLL_MS : POLL_MS);
  }

  request() {
    this.app.send("list_experiments");
  }

  show() {
    if (!this.found && !this.isRequested) this.request();
    this.isRequested = true;
  }

  // Redraw only what has changed, so that the focus stays.
  receive(message) {
    const key = JSON.stringify(message);
    if (key === this.key) return;
    this.key = key;
    const isFirst = !this.found;
    this.found = message;
    const focused = document.activeElement?.id;
    this.showIntroduction();
    if (isFirst) this.introduction.toggleAttribute("open", !message.entries.length);
    replaceChildren(this.list, message.entries.map((entry) => this.card(entry)));
    if (focused) document.getElementById(focused)?.focus();
  }

  // Explain the tab with an example that can be run.
  showIntroduction() {
    replaceChildren(this.introduction, el("summary", {}, t("experiments.how")),
      el("p", {}, t("experiments.about", { folder: this.found.folder })), el("p", {}, t("experiments.source", { file: EXAMPLE.file })),
      el("pre", { tabindex: 0 }, EXAMPLE_CODE), el("p", {}, t("experiments.example", { count: EXAMPLE.games })),
      el("div", { class: "bar" }, button(t("experiments.run_example"), () => this.runExample(), null, "run-example", { icon: "play" })));
  }

  runExample() {
    const { app } = this;
    const prior = { preset: "classic", function: `${EXAMPLE.file}:${EXAMPLE.name}` };
    this.introduction.removeAttribute("open");
    app.send("write_example");
    app.send("start_experiment", { request: { kind: "match", name: this.dialogs.freeName("third_line", this.found), first: prior, second: { preset: "classic" }, size: "9", games: EXAMPLE.games, visits: EXAMPLE.visits } });
  }

  card(entry) {
    const { kind, title, path, report, changed, done, games, lines, job } = entry;
    const when = changed ? new Date(1000 * changed).toLocaleString(document.documentElement.lang, { dateStyle: "short", timeStyle: "short" }) : null;
    const count = done === null ? null : games ? t("experiments.games_of", { count: done, games }) : t(kind === "match" ? "experiments.games" : "experiments.pairs", { count: done });
    const isMatch = kind === "match";
    const link = isMatch ? `/match-reports/${encodePath(path)}` : report && `/reports/${encodePath(report)}`;
    return el("article", { class: "card", "data-path": path },
      el("h3", {}, title, job?.is_running ? el("span", { class: "spinner", role: "img", "aria-label": t("experiments.running") }) : null),
      el("p", { class: "quiet-text" }, [t(`experiments.${kind}`), job ? stateText(job, done, games, entry.sprt) : null, count, when].filter(Boolean).join(" · ")),
      job?.problem ? el("p", { class: "problem" }, job.problem) : null,
      games ? el("progress", { max: games, value: Math.min(done, games), "aria-label": t("experiments.progress") }) : null,
      lines.length ? el("table", {}, el("tbody", {}, lines.map(({ name, score, rate }) => el("tr", {},
        el("th", { scope: "row" }, name), el("td", {}, serverText(score)), el("td", {}, rate === null ? "" : rateBar(rate)))))) : null,
      entry.elo ? el("p", { class: "elo" }, t("experiments.elo", eloValues(entry.elo))) : null,
      entry.sprt ? sprtBar(entry.sprt) : null,
      el("div", { class: "bar" }, this.jobButton(entry),
        link && (done || !isMatch) ? el("a", { class: "button", href: link, target: "_blank", rel: "noopener", id: `report-${title}` }, icon("chart-line"), t("experiments.report")) : null,
        isMatch && done ? button(t("experiments.open_games"), () => this.app.send("list_match_games", { path }), null, `games-${title}`, { icon: "library" }) : null));
  }

  jobButton({ job, done, games, sprt }) {
    if (!job) return null;
    const { name, is_running: isRunning } = job;
    if (isRunning) return button(t("experiments.stop"), () => this.app.send("stop_experiment", { name }), null, `stop-${name}`, { icon: "square" });
    if (isComplete(done, games, sprt)) return null;
    return button(t("experiments.resume"), () => this.app.send("resume_experiment", { name }), null, `resume-${name}`, { icon: "play" });
  }
}

function isComplete(done, games, sprt) {
  return Boolean(games && done >= games) || Boolean(sprt && sprt.decision !== "OPEN");
}

function stateText(job, done, games, sprt) {
  if (job.is_running) return t("experiments.running");
  return t(job.problem ? "experiments.failed" : isComplete(done, games, sprt) || (job.kind === "lab" && done === null) ? "experiments.done" : "experiments.stopped");
}

function encodePath(path) {
  return path.split("/").map(encodeURIComponent).join("/");
}

function rateBar(rate) {
  return el("span", { class: "rate", title: percent(rate) }, el("i", { style: `width:${100 * rate}%` }));
}

function signed(value) {
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(Math.round(value))}`;
}

function eloValues([value, low, high]) {
  return { value: signed(value), low: signed(low), high: signed(high) };
}

// The log-likelihood ratio of a sequential test between its bounds.
function sprtBar({ elo: [elo0, elo1], llr, bounds: [low, high], decision }) {
  const place = 100 * Math.min(Math.max((llr - low) / (high - low), 0), 1);
  const zero = (100 * -low) / (high - low);
  const text = t(`experiments.sprt_${decision.toLowerCase()}`, { elo0: signed(elo0), elo1: signed(elo1), llr: llr.toFixed(2), low: low.toFixed(2), high: high.toFixed(2) });
  return el("div", { class: "sprt" }, el("span", { class: "track", role: "img", "aria-label": text },
    el("i", { class: "fill", style: `left:${Math.min(zero, place)}%;width:${Math.abs(place - zero)}%` }), el("i", { class: "needle", style: `left:${place}%` })), el("span", { class: "quiet-text" }, text));
}
