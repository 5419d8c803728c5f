// The application: holds the state received from the server and updates the page.
//
// Modules add to the page in a function that extensions.js lists; it gets the application as `app`:
//   app.addPanel({ name: "library", title: "Library", icon: "library", element, show() {} })
//       A tab. `show` is called after every change of the state while the tab is open.
//   app.addSection({ name: "joseki", title: "Joseki", element, show() {} })
//       A collapsible section below the panel that is visible on all tabs.
//   app.addTool({ name: "language", label: "Language", icon: "languages", action })
//       A button in the header. `key` is optional.
//   app.addMenuItem({ label: "Export…", icon: "image", action, key })
//       An entry of the game menu (the button with three dots).
//   app.addShortcut("m", "move numbers", action)
//   app.addView((view) => { view.rings.push(["D4", "better"]); })
//       Changes what the first board shows; board.js describes views.
//   app.addClick((vertex) => isHandled)
//       Handles clicks on the board before they play a move.
//   app.on("hint", (message) => {})
//       Messages of the server by type, after the application has handled them; also "tab".
// Icons are those of icons.svg. Texts go through t() of translation.js.

import { AnalysisPanel } from "./analysis_panel.js";
import { Connection, gameId, setGameId } from "./connection.js";
import { ask } from "./dialogs.js";
import { $, button, el, icon, toast } from "./dom.js";
import { ExperimentsPanel } from "./experiments_panel.js";
import { setUpExtensions } from "./extensions.js";
import { setUpDisplay } from "./display_dialog.js";
import { analysisLimit } from "./engine_box.js";
import { Evaluations } from "./evaluations.js";
import { FirstStart } from "./first_start.js";
import { openRecord, saveGame, setUpFiles } from "./files.js";
import { deleteBackup, forgetLostGame, lostGame, rememberLostGame, scheduleBackup } from "./game_backup.js";
import { Keyboard } from "./keyboard.js";
import { LayersPanel } from "./layers_panel.js";
import { LibraryPanel } from "./library_panel.js";
import { MoveSection } from "./move_section.js";
import { NewGameDialog } from "./new_game_dialog.js";
import { Overlay } from "./overlay.js";
import { PendingComments } from "./pending_comments.js";
import { setUpPictures } from "./picture.js";
import { PlayPanel, resultText } from "./play_panel.js";
import { Players } from "./players.js";
import { playStoneSound, setUpSound, setUpTheme } from "./preferences.js";
import { ReadingPlace } from "./reading_place.js";
import { ReviewPanel } from "./review_panel.js";
import { estimateText, playerName, serverText } from "./server_texts.js";
import { Stage } from "./stage.js";
import { Strip } from "./strip.js";
import { t } from "./translation.js";
import { TreeSection } from "./tree_section.js";
import { TreeView } from "./tree_view.js";

const LARGE_BRANCH = 3; // deleting more nodes asks for confirmation
const FEW_CHANGES = 2; // a new game with at most this many changes is replaced without confirmation

class App {
  constructor() {
    this.game = this.state = this.search = this.hint = this.estimate = null;
    this.stateCount = 0; // states received
    this.savedChanges = 0; // change count at the last save; null if never saved
    this.isRestoring = false; // a backup is being loaded
    this.requestedNode = null; // target of the last goTo
    this.panels = [];
    this.sections = [];
    this.menuItems = [];
    this.views = [];
    this.clicks = [];
    this.listeners = new Map();
    this.keyboard = new Keyboard(this);
    this.tree = new TreeView((node) => this.goTo(node));
    this.evaluations = new Evaluations(this.tree);
    this.tree.evaluations = this.evaluations;
    this.pendingComments = new PendingComments(this);
    this.players = new Players();
    this.stage = new Stage(this);
    this.overlay = new Overlay(this);
    this.strip = new Strip(this);
    this.newGameDialog = new NewGameDialog((fields) => this.connection.send("new_game", fields));
    this.chooseFile = setUpFiles(() => this.confirmLeave(), (files) => this.library.importFiles(files));
    for (const [id, key] of [["tabs", "page.views"], ["players", "page.players"], ["stage", "page.board"], ["side", "page.panel"]]) $(id).setAttribute("aria-label", t(key));
    this.setUpTools();
    this.playPanel = this.addPanel(new PlayPanel(this));
    this.analysis = this.addPanel(new AnalysisPanel(this));
    this.review = this.addPanel(new ReviewPanel(this));
    this.layers = this.addPanel(new LayersPanel(this));
    this.library = this.addPanel(new LibraryPanel(this));
    this.experiments = this.addPanel(new ExperimentsPanel(this));
    this.addSection(new MoveSection(this));
    this.addSection(new TreeSection(this));
    this.firstStart = new FirstStart(this);
    this.readingPlace = new ReadingPlace(this);
    setUpPictures(this);
    setUpExtensions(this);
    this.openTab("play");
    this.connection = new Connection((message) => this.receive(message), (isOpen) => this.showConnection(isOpen));
    addEventListener("hashchange", () => gameId() && gameId() !== this.game?.id && this.connection.reconnect());
  }

  // Additions by modules; see above

  addPanel(panel) {
    const number = this.panels.length + 1;
    const key = number <= 9 ? String(number) : null;
    panel.tab = el("button", { type: "button", role: "tab", id: `tab-${panel.name}`, "aria-controls": "panel", title: key ? `${panel.title} (${key})` : panel.title, onclick: () => this.openTab(panel.name) },
      icon(panel.icon), el("span", { class: "text" }, panel.title));
    this.panels.push(panel);
    $("tabs").append(panel.tab);
    if (key) this.addShortcut(key, panel.title, () => this.openTab(panel.name));
    return panel;
  }

  addSection(section) {
    this.sections.push(section);
    $("dock").append(el("details", { class: "section", id: `section-${section.name}`, open: section.isOpen ?? true },
      el("summary", {}, section.title), section.element));
    return section;
  }

  /** @param {{name: string, label: string, icon: string, action: () => void, key?: string}} tool */
  addTool({ name, label, icon: iconName, action, key }) {
    const tool = button("", action, key, null, { icon: iconName, kind: "quiet", label });
    tool.id = name;
    $("tools").append(tool);
    if (key) this.addShortcut(key, label, action);
    return tool;
  }

  addMenuItem(item) {
    this.menuItems.push(item);
    if (item.key) this.addShortcut(item.key, item.label, item.action);
  }

  addShortcut(key, text, action) {
    this.keyboard.add(key, text, action);
  }

  addView(change) {
    this.views.push(change);
  }

  addClick(handle) {
    this.clicks.push(handle);
  }

  on(type, listener) {
    this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener]);
  }

  emit(type, message) {
    for (const listener of this.listeners.get(type) ?? []) listener(message);
  }

  // Requests

  send(type, fields) {
    if (!this.connection.send(type, fields)) toast(t("connection.lost"));
  }

  play(vertex) {
    this.send("play", { vertex });
  }

  // A click on the board plays a move, or toggles a dead chain while scoring.
  clickPoint(vertex) {
    if (this.clicks.some((handle) => handle(vertex))) return;
    this.send(this.state.phase === "scoring" ? "toggle_dead" : "play", { vertex });
  }

  goTo(node) {
    if (node === null || node === undefined || node === this.state.node) return;
    this.requestedNode = node;
    this.send("go_to", { node });
  }

  step(direction) {
    this.goTo(this.tree.step(this.state.node, direction));
  }

  // Go some moves back or forward along the current line.
  leap(count) {
    this.goTo(this.tree.leap(this.state.node, count));
  }

  // Analyze every position from now on, or stop.
  toggleAnalysis() {
    if (this.state.analyzing) this.send("analyze", { on: false });
    else this.startAnalysis();
  }

  startAnalysis() {
    this.send("analyze", { on: true, ...analysisLimit() });
  }

  async deleteBranch() {
    const { node } = this.state;
    if (node === this.tree.root) return;
    const count = this.tree.subtree(node).length;
    const isConfirmed = count <= LARGE_BRANCH || await ask(t("game.delete_branch", { count }), { yes: t("common.delete"), isDangerous: true });
    if (isConfirmed) this.send("delete_branch", { node });
  }

  // Return whether the game may be replaced; ask if it has unsaved changes.
  async confirmLeave() {
    const changes = this.state?.change_count ?? 0;
    const isBarelyStarted = this.savedChanges === 0 && !this.game?.is_loaded && changes <= FEW_CHANGES;
    return isBarelyStarted || changes === this.savedChanges ||
      ask(t("game.leave"), { yes: t("game.leave_yes"), isDangerous: true });
  }

  async resign() {
    if (await ask(t("game.resign"), { yes: t("game.resign_yes"), isDangerous: true })) this.send("resign");
  }

  async save() {
    const { change_count: changes } = this.state;
    if (await saveGame()) this.savedChanges = changes;
  }

  async openNewGame() {
    if (this.welcome && await this.confirmLeave()) this.newGameDialog.open(this.welcome);
  }

  openFile() {
    this.chooseFile();
  }

  // Request a stored game, and show it on a tab when it arrives.
  openGame(type, fields, tab) {
    this.nextTab = { tab, game: this.game };
    this.send(type, fields);
  }

  reviewGame() {
    this.openTab("review");
    this.review.startUnlessDone();
  }

  // Messages of the server, one method each

  receive(message) {
    this[`receive_${message.type}`]?.(message);
    this.emit(message.type, message);
  }

  receive_welcome(message) {
    const isFirst = !this.welcome;
    this.welcome = message;
    this.layers.setLayers(message.layers);
    if (message.lost_game) rememberLostGame(message.lost_game);
    if (message.lost_game || (isFirst && lostGame())) this.offerRestore(lostGame());
  }

  // The server does not have the game of this tab: offer its backup.
  offerRestore(sgf) {
    const text = t("game.lost");
    toast(text, sgf ? { [t("game.restore")]: () => this.restore(sgf), [t("game.discard")]: forgetLostGame } : {});
  }

  async restore(sgf) {
    forgetLostGame();
    this.isRestoring = true;
    if (await openRecord(sgf)) this.pendingComments.readdress(this.game.id);
    else this.isRestoring = false;
  }

  receive_game(message) {
    this.game = message;
    this.savedChanges = this.isRestoring ? null : 0;
    this.isRestoring = false;
    this.clearResults();
    this.evaluations.clear();
    this.review.clear();
    this.newGameDialog.gameStarted();
    setGameId(message.id);
  }

  // The properties of the record were edited.
  receive_info({ type, ...fields }) {
    Object.assign(this.game, fields);
    this.players.show(this.game, this.state);
    this.showTitle();
  }

  // The tree and its changes are drawn with the state that follows.
  receive_tree(message) {
    this.tree.load(message);
    this.backUp();
  }

  receive_tree_changes(message) {
    if (!this.tree.applyChanges(message)) this.connection.reconnect(); // to receive the whole tree
  }

  // Back up the game in the browser once it has a move.
  backUp() {
    if (this.tree.nodes.size > 1) scheduleBackup(this.game.id);
    else deleteBackup(this.game.id);
  }

  receive_state(message) {
    const previous = this.state;
    this.state = message;
    this.stateCount += 1;
    if (previous?.node !== message.node) this.clearResults();
    if (message.phase !== "play") this.hint = this.estimate = null;
    if (previous && message.last && message.move === previous.move + 1) this.notifyMove();
    if (previous && previous.change_count !== message.change_count) this.backUp();
    this.players.show(this.game, message);
    if (this.nextTab && this.nextTab.game !== this.game) this.openTab(this.nextTab.tab);
    document.body.dataset.phase = message.phase;
    this.show();
    this.tree.show(message.node);
    this.announceChange(previous);
    this.showTitle();
    this.requestedNode = null;
    this.pendingComments.flush();
    document.body.dataset.ready = "";
  }

  // Play the stone sound. A pass shows in the bar of the player.
  notifyMove() {
    if (this.state.last !== "pass") playStoneSound();
  }

  // Drop the results that belong to the previous position.
  clearResults() {
    this.search = this.hint = this.estimate = null;
    this.overlay.player.play(null);
    this.layers.clear();
  }

  receive_search(message) {
    if (message.node !== this.state?.node) return;
    this.search = message;
    if (message.kind !== "move" || this.game.level === "strongest") this.evaluations.addSearch(message);
    this.show();
  }

  receive_layer(message) {
    this.layers.receive(message);
    this.stage.show();
  }

  receive_hint(message) {
    if (message.node !== this.state?.node) return;
    this.hint = message;
    this.show();
  }

  receive_score_estimate(message) {
    if (message.node !== this.state?.node || this.state.phase !== "play") return;
    this.estimate = message;
    this.show();
    this.announce(t("game.estimate", { text: estimateText(message) }));
  }

  closeEstimate() {
    this.estimate = null;
    this.show();
  }

  receive_review(message) {
    this.review.receive(message);
    this.evaluations.setReview(message);
    if (this.state) this.show();
  }

  receive_experiments(message) {
    this.experiments.receive(message);
  }

  receive_notice({ text }) {
    toast(sentence(serverText(text)));
  }

  receive_error({ text }) {
    const shown = sentence(serverText(text));
    if (!this.newGameDialog.showError(shown)) toast(shown);
  }

  // Display

  // Show the state on the boards, in the open panel and in all sections.
  show() {
    if (!this.state) return;
    this.panel.show?.();
    for (const section of this.sections) section.show?.();
    this.overlay.show();
    this.strip.show();
    this.stage.show();
    this.tree.paint();
  }

  openTab(name) {
    this.nextTab = null;
    this.panel = this.panels.find((panel) => panel.name === name);
    for (const { name: other, tab } of this.panels) tab.setAttribute("aria-selected", String(other === name));
    $("panel").replaceChildren(this.panel.element);
    $("panel").setAttribute("aria-labelledby", `tab-${name}`);
    document.body.dataset.tab = name;
    this.emit("tab", name);
    if (!this.state) return;
    this.show();
    this.tree.show(this.state.node);
  }

  // The title of the browser tab: the players and the state of the game.
  showTitle() {
    const { game, state } = this;
    const players = [game.black, game.white].filter(Boolean).map(playerName).join(" – ");
    const status = state.phase === "over" ? resultText(state.result) : t("game.title_move", { number: state.move, color: t(`common.${state.to_play}`) });
    document.title = [state.thinking ? `… ${status}` : status, players, "Tengen"].filter(Boolean).join(" · ");
  }

  // Announce moves and results to screen readers.
  announceChange(previous) {
    const { state } = this;
    if (!previous) return;
    const mover = t(state.to_play === "black" ? "common.white" : "common.black");
    const move = previous.node !== state.node && state.last ? [`${mover} ${state.last}`] : [];
    const isOver = state.phase === "over" && previous.phase !== "over";
    const parts = [...move, ...(isOver ? [resultText(state.result)] : [])];
    if (parts.length) this.announce(parts.join(". "));
  }

  announce(text) {
    $("announcement").textContent = text;
  }

  showConnection(isOpen) {
    $("connection").textContent = isOpen ? "" : t("connection.status");
  }

  setUpTools() {
    setUpDisplay(this);
    setUpSound(this.addTool({ name: "sound", label: t("preferences.sound"), icon: "volume-2", action: () => {} }));
    setUpTheme(this.addTool({ name: "theme", label: t("preferences.dark"), icon: "moon", action: () => {} }));
    this.addTool({ name: "help", label: t("keys.title"), icon: "circle-question-mark", action: () => this.keyboard.showHelp(), key: "?" });
  }
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}${t("common.stop")}`;
}

Object.assign(window, { tengen: new App() });
if ("serviceWorker" in navigator) navigator.serviceWorker.register("/worker.js").catch(() => {}); // not on plain HTTP from other hosts
