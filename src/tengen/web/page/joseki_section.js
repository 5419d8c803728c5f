// The section with the next moves in the game database and in the opening book.

import { $, button, el, percent, replaceChildren } from "./dom.js";
import { ImportBar, fileChooser } from "./imports.js";
import { preference, setPreference } from "./preferences.js";
import { t } from "./translation.js";

const BOARD_MOVES = 12; // marked on the board
const MIN_SHARE = 0.005; // of the games, for a mark on the board
const TABLE_MOVES = 15;
const TABS_WITHOUT = ["layers", "library", "experiments", "problems"];

export class JosekiSection {
  constructor(app) {
    this.app = app;
    this.name = "joseki";
    this.title = t("joseki.title");
    this.isOpen = preference("joseki");
    this.found = null;
    this.scope = el("select", { id: "joseki-scope", "aria-label": t("joseki.scope"), onchange: () => this.request() },
      ["board", "corner"].map((name) => el("option", { value: name }, t(`joseki.${name}`))));
    this.content = el("div", { id: "joseki" });
    this.imports = new ImportBar(app, "database", () => this.request());
    this.element = el("div", {}, this.scope, this.content, this.imports.element,
      el("div", { class: "bar" }, button(t("joseki.import"), fileChooser("games-file", false, (files) => this.imports.send(files)), null, "import-games", { icon: "upload", kind: "quiet small" }),
        button(t("joseki.import_folder"), fileChooser("games-folder", true, (files) => this.imports.send(files)), null, "import-folder", { icon: "folder-open", kind: "quiet small" })));
    app.on("welcome", () => this.isShown && this.request());
    app.on("continuations", (message) => this.receive(message));
    app.addView((view) => this.mark(view));
  }

  // Called when the section has been added to the page: show it above the variations.
  connect() {
    const details = /** @type {HTMLDetailsElement} */ (this.element.closest("details"));
    $("section-tree").before(details);
    details.addEventListener("toggle", () => {
      if (details.open === preference("joseki")) return;
      setPreference("joseki", details.open);
      this.request();
    });
  }

  get isShown() {
    return preference("joseki");
  }

  request() {
    this.found = null;
    this.app.send("show_continuations", { on: this.isShown, is_local: this.scope.value === "corner" });
    this.app.stage.show();
  }

  // Return the moves of the current position: those of the database, or else of the book.
  get moves() {
    if (!this.isShown || this.found?.node !== this.app.state?.node) return [];
    return this.found.moves.length ? this.found.moves : this.found.book;
  }

  mark(view) {
    if (TABS_WITHOUT.includes(this.app.panel.name) || view.candidates || view.score || view.estimate) return;
    const total = this.moves.reduce((sum, { games }) => sum + games, 0);
    const moves = this.moves.filter(({ vertex, games }) => vertex !== "pass" && games >= MIN_SHARE * total).slice(0, BOARD_MOVES);
    const most = moves[0]?.games ?? 1;
    view.frequencies = moves.map(({ vertex, color, games }) => ({ vertex, color, share: Math.sqrt(games / most), text: shortCount(games) }));
    if (moves.length) view.nextMoves = [];
  }

  receive(message) {
    this.found = message;
    const { searched, games, moves, book_games: bookGames, book, examples, problem, is_local: isLocal } = message;
    const isWithout = searched === null || searched === 0;
    replaceChildren(this.content,
      problem ? el("p", { class: "problem" }, problem) : null,
      isWithout ? el("p", { class: "quiet-text" }, t("joseki.empty")) : el("p", { class: "quiet-text" }, t(isLocal ? "joseki.found_corner" : "joseki.found", { count: games, searched })),
      moves.length ? this.table(moves, games) : null,
      bookGames ? el("h3", {}, t("joseki.book", { count: bookGames })) : null,
      bookGames ? this.table(book, bookGames) : null,
      examples.length ? el("h3", {}, t("joseki.examples")) : null,
      examples.map((example) => this.example(example)));
    this.app.stage.show();
  }

  table(moves, total) {
    return el("table", { class: "joseki" },
      el("thead", {}, el("tr", {}, ["move", "games", "share", "win_rate"].map((name) => el("th", { scope: "col" }, t(`joseki.${name}`))))),
      el("tbody", {}, moves.slice(0, TABLE_MOVES).map(({ vertex, color, games, wins, losses }) => el("tr", {},
        el("th", { scope: "row" }, el("button", { type: "button", class: "quiet small", onclick: () => this.play(vertex, color), title: t("board.play", { vertex }) },
          el("i", { class: `dot ${color}` }), vertex === "pass" ? t("play.pass") : vertex)),
        el("td", {}, games.toLocaleString(document.documentElement.lang)), el("td", {}, percent(games / total)),
        el("td", {}, wins + losses ? percent(wins / (wins + losses)) : "–")))));
  }

  // Play a move; one of the other color only where it is to move.
  play(vertex, color) {
    if (color === this.app.state.to_play) this.app.play(vertex);
  }

  example({ game, move, black, white, date, result }) {
    const text = [`${black || t("common.black")} – ${white || t("common.white")}`, date, result].filter(Boolean).join(" · ");
    return el("button", { type: "button", class: "quiet small example", onclick: () => this.openExample(game, move) }, text);
  }

  async openExample(game, move) {
    if (!await this.app.confirmLeave()) return;
    this.app.openGame("open_example", { game, move }, "analysis");
  }
}

function shortCount(count) {
  return count < 1000 ? String(count) : count < 10000 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;
}

/** Add the section to the page. */
export function setUpJoseki(app) {
  app.joseki = app.addSection(new JosekiSection(app));
  app.joseki.connect();
}
