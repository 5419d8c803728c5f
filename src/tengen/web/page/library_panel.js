// The Library tab: collections of games as a searchable list, and the games played on the page.

import { ask } from "./dialogs.js";
import { button, el } from "./dom.js";
import { GameList } from "./game_list.js";
import { ImportBar, fileChooser } from "./imports.js";
import { load, store } from "./storage.js";
import { t } from "./translation.js";

const SEARCH_DELAY_MS = 150;
const SORTS = ["number", "date", "black", "white", "result", "moves"];
const LAST_COLLECTION = "library collection";

export class LibraryPanel {
  constructor(app) {
    this.app = app;
    this.name = "library";
    this.title = t("tab.library");
    this.icon = "library";
    this.collections = [];
    this.selected = Number(load(LAST_COLLECTION)) || null;
    this.createControls();
    this.imports = new ImportBar(app, "library", () => this.refresh(true));
    this.list = new GameList({
      onOpen: (game) => this.open(game), onRemove: (game) => this.removeGame(game),
      request: (fields) => app.send("list_games", fields),
    });
    this.empty = el("div", { class: "quiet-text", hidden: true });
    this.element = el("div", { class: "panel library" },
      el("div", { class: "bar" }, this.picker, this.remove), el("div", { class: "bar" }, this.search, this.sort, this.direction),
      this.imports.element, this.count, this.empty, this.list.element,
      el("div", { class: "bar divided" },
        button(t("library.open_file"), fileChooser("library-file", false, (files) => this.imports.send(files)), null, "open-collection", { icon: "folder-open" }),
        button(t("library.open_folder"), fileChooser("library-folder", true, (files) => this.imports.send(files)), null, "open-folder", { icon: "folder-open" })));
    app.on("collections", (message) => this.receiveCollections(message));
    app.on("games", (message) => this.receiveGames(message));
    app.on("tab", (name) => name === "library" && this.refresh());
    app.on("import", ({ target, is_running: isRunning }) => target === "library" && isRunning && this.refresh(true));
  }

  createControls() {
    this.picker = el("select", { id: "collection", "aria-label": t("library.collection"), onchange: () => this.select(Number(this.picker.value)) });
    this.remove = button("", () => this.removeCollection(), null, "remove-collection", { icon: "trash-2", kind: "quiet", label: t("library.remove") });
    this.search = el("input", { type: "search", id: "library-search", placeholder: t("library.search"), "aria-label": t("library.search") });
    this.search.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.query(), SEARCH_DELAY_MS);
    });
    this.sort = el("select", { id: "library-sort", "aria-label": t("library.sort"), onchange: () => this.query() },
      SORTS.map((name) => el("option", { value: name }, t(`library.sort_${name}`))));
    this.direction = button("", () => {
      this.isDescending = !this.isDescending;
      this.query();
    }, null, "direction", { icon: "arrow-up", kind: "quiet", label: t("library.direction") });
    this.isDescending = true;
    this.count = el("p", { class: "quiet-text", role: "status", id: "library-count" });
  }

  show() {
    this.list.show();
  }

  // Import files as a collection and show it.
  importFiles(files) {
    this.app.openTab("library");
    this.imports.send(files);
  }

  // Request the collections; show the newest one if it was just imported.
  refresh(isImported = false) {
    this.wantsNewest ||= isImported;
    this.app.send("list_collections");
  }

  receiveCollections({ collections }) {
    const newest = Math.max(0, ...collections.filter((one) => !one.is_played).map(({ id }) => id));
    const isKnown = this.collections.some(({ id }) => id === newest);
    const before = JSON.stringify(this.current);
    this.collections = collections;
    this.picker.replaceChildren(...collections.map(({ id, name, is_played: isPlayed, games }) =>
      el("option", { value: id }, t("library.collection_name", { name: isPlayed ? t("library.played") : name, count: games }))));
    const target = this.wantsNewest && !isKnown && newest ? newest : this.current?.id ?? collections[0]?.id ?? null;
    this.wantsNewest = false;
    this.picker.parentElement.hidden = this.search.parentElement.hidden = this.list.element.hidden = !collections.length;
    this.empty.hidden = Boolean(collections.length);
    this.empty.replaceChildren(el("p", {}, t("library.empty")), el("p", {}, t("library.empty_how")));
    this.count.hidden = !collections.length;
    if (target !== this.selected) this.select(target);
    else if (before !== JSON.stringify(this.current)) this.query();
    this.picker.value = String(this.selected);
  }

  get current() {
    return this.collections.find(({ id }) => id === this.selected);
  }

  // Show a collection: played games with the newest first, others in the order of their file.
  select(id) {
    this.selected = id;
    store(LAST_COLLECTION, String(id ?? ""));
    this.picker.value = String(id);
    this.search.value = "";
    this.sort.value = "number";
    this.isDescending = Boolean(this.current?.is_played);
    this.query();
  }

  // Show a collection that was just created.
  showCollection(id) {
    this.selected = id;
    this.app.openTab("library");
  }

  query() {
    this.direction.classList.toggle("flipped", this.isDescending);
    if (!this.selected) return;
    this.list.setQuery({ collection: this.selected, words: this.search.value.slice(0, 200), sort: this.sort.value, is_descending: this.isDescending }, Boolean(this.current?.is_played));
  }

  receiveGames(message) {
    this.list.receive(message);
    this.count.textContent = t("library.count", { count: message.total });
  }

  // Open a game on the Analyze tab, or, if it is unfinished, where it was played.
  async open(game) {
    const { app } = this;
    if (!await app.confirmLeave()) return;
    app.openGame("open_game", { game: game.id }, this.current?.is_played && !game.result ? "play" : "analysis");
  }

  async removeCollection() {
    if (await ask(t("library.ask_remove", { name: this.current?.is_played ? t("library.played") : this.current?.name ?? "" }), { yes: t("common.delete"), isDangerous: true })) this.app.send("remove_collection", { collection: this.selected });
  }

  async removeGame({ id, black, white }) {
    if (await ask(t("library.remove_game", { black, white }), { yes: t("common.delete"), isDangerous: true })) this.app.send("remove_game", { game: id });
  }
}
