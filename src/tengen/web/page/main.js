// The application: holds the state received from the server and updates the panels.

import { AnalysisPanel } from "./analysis_panel.js";
import { Board } from "./board.js";
import { Connection, gameId, setGameId } from "./connection.js";
import { $, button, el, toast } from "./dom.js";
import { ExperimentsPanel } from "./experiments_panel.js";
import { openRecord, saveGame, setUpFiles } from "./files.js";
import { deleteBackup, forgetLostGame, lostGame, rememberLostGame, scheduleBackup } from "./game_backup.js";
import { setUpKeyboard } from "./keyboard.js";
import { NewGameDialog } from "./new_game_dialog.js";
import { PendingComments } from "./pending_comments.js";
import { PlayPanel, resultText } from "./play_panel.js";
import { Players } from "./players.js";
import { playStoneSound, setUpSound, setUpTheme } from "./preferences.js";
import { ReviewPanel } from "./review_panel.js";
import { TreeView } from "./tree_view.js";

const SHOWN_CANDIDATES = 8;
const LARGE_BRANCH = 3; // deleting more nodes asks for confirmation
const FEW_CHANGES = 2; // a new game with at most this many changes is replaced without confirmation
const NAMES = { black: "Black", white: "White", X: "black stone", O: "white stone", ".": "empty" };

class App {
  constructor() {
    this.game = this.state = this.search = this.hint = this.estimate = null;
    this.stateCount = 0; // states received
    this.savedChanges = 0; // change count at the last save; null if never saved
    this.isRestoring = false; // a backup is being loaded
    this.hovered = null; // vertex under the pointer, on a board or in the candidate table
    this.requestedNode = null; // target of the last goTo
    this.tree = new TreeView((node) => this.goTo(node));
    this.pendingComments = new PendingComments(this);
    this.players = new Players();
    const handlers = {
      onPlay: (vertex) => this.clickPoint(vertex), onHover: (vertex) => this.hover(vertex),
      onCursor: (vertex, sign) => this.announce(`${vertex}, ${NAMES[sign]}`),
    };
    this.boards = [new Board("Board", handlers), new Board("Second board", handlers)];
    this.newGameDialog = new NewGameDialog((fields) => this.connection.send("new_game", fields));
    this.analysis = new AnalysisPanel(this);
    this.review = new ReviewPanel(this);
    this.experiments = new ExperimentsPanel(this);
    this.tabs = [new PlayPanel(this), this.analysis, this.review, this.experiments];
    this.setUpTabs();
    this.setUpNavigation();
    this.chooseFile = setUpFiles(() => this.confirmLeave());
    setUpTheme();
    setUpSound();
    setUpKeyboard(this, $("help"));
    $("boards").append(this.boards[0].element, this.boards[1].element);
    this.boards[1].element.hidden = true;
    this.openTab(0);
    this.connection = new Connection((message) => this.receive(message), (isOpen) => this.showConnection(isOpen));
    addEventListener("hashchange", () => gameId() && gameId() !== this.game?.id && this.connection.reconnect());
  }

  // Requests

  send(type, fields) {
    if (!this.connection.send(type, fields)) toast("No connection. Reconnecting…");
  }

  play(vertex) {
    this.send("play", { vertex });
  }

  // A click on the board plays a move, or toggles a dead chain while scoring.
  clickPoint(vertex) {
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

  toggleAnalysis() {
    this.send("analyze", { on: !this.state.analyzing });
  }

  deleteBranch() {
    const { node } = this.state;
    if (node === this.tree.root) return;
    const count = this.tree.subtree(node).length;
    if (count <= LARGE_BRANCH || confirm(`Delete this branch of ${count} moves?`)) this.send("delete_branch", { node });
  }

  // Return whether the game may be replaced; ask if it has unsaved changes.
  confirmLeave() {
    const changes = this.state?.change_count ?? 0;
    const isBarelyStarted = this.savedChanges === 0 && !this.game?.is_loaded && changes <= FEW_CHANGES;
    return isBarelyStarted || changes === this.savedChanges || confirm("Leave this game? It has changes that are not saved.");
  }

  resign() {
    if (confirm("Resign this game?")) this.send("resign");
  }

  async save() {
    const { change_count: changes } = this.state;
    if (await saveGame()) this.savedChanges = changes;
  }

  openNewGame() {
    if (this.welcome && this.confirmLeave()) this.newGameDialog.open(this.welcome);
  }

  reviewGame() {
    this.openTab(this.tabs.indexOf(this.review));
    this.review.startUnlessDone();
  }

  // Messages of the server, one method each

  receive(message) {
    this[`receive_${message.type}`]?.(message);
  }

  receive_welcome(message) {
    const isFirst = !this.welcome;
    this.welcome = message;
    this.analysis.setLayers(message.layers);
    if (message.lost_game) rememberLostGame(message.lost_game);
    if (message.lost_game || (isFirst && lostGame())) this.offerRestore(lostGame());
  }

  // The server does not have the game of this tab: offer its backup.
  offerRestore(sgf) {
    const text = "The server no longer has this game, probably because it was restarted. A new game was started.";
    toast(text, sgf ? { "Restore game": () => this.restore(sgf), Discard: forgetLostGame } : {});
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
    this.review.clear();
    this.newGameDialog.gameStarted();
    setGameId(message.id);
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
    this.tree.show(message.node);
    this.players.show(this.game, message);
    this.showBoards();
    this.tab.show();
    this.announceChange(previous);
    this.requestedNode = null;
    this.pendingComments.flush();
    document.body.dataset.phase = message.phase;
    document.body.dataset.ready = "";
  }

  // Play the stone sound. A pass shows in the bar of the player.
  notifyMove() {
    if (this.state.last !== "pass") playStoneSound();
  }

  // Drop the results that belong to the previous position.
  clearResults() {
    this.search = this.hint = this.estimate = null;
    this.analysis.clearLayers();
  }

  receive_search(message) {
    if (message.node !== this.state?.node) return;
    this.search = message;
    if (this.tab === this.analysis) {
      this.analysis.show();
      this.showBoards();
    }
  }

  receive_layer(message) {
    this.analysis.receive(message);
    this.showBoards();
  }

  receive_hint(message) {
    if (message.node !== this.state?.node) return;
    this.hint = message;
    this.tab.show();
    this.showBoards();
  }

  receive_score_estimate(message) {
    if (message.node !== this.state?.node || this.state.phase !== "play") return;
    this.estimate = message;
    this.tab.show();
    this.showBoards();
    this.announce(`Estimate: ${message.text}`);
  }

  closeEstimate() {
    this.estimate = null;
    this.tab.show();
    this.showBoards();
  }

  receive_review(message) {
    this.review.receive(message);
    this.showBoards();
  }

  receive_experiments(message) {
    this.experiments.receive(message);
  }

  receive_notice({ text }) {
    toast(sentence(text));
  }

  receive_error({ text }) {
    if (!this.newGameDialog.showError(sentence(text))) toast(sentence(text));
  }

  // Display

  showBoards() {
    if (!this.state) return;
    const isAnalysis = this.tab === this.analysis;
    const isDouble = isAnalysis && Boolean(this.analysis.selected[1]);
    this.boards[1].element.hidden = !isDouble;
    $("boards").classList.toggle("double", isDouble);
    this.boards[0].show(this.boardView(isAnalysis ? this.analysis.layers[0] : null, isAnalysis));
    if (isDouble) this.boards[1].show(this.boardView(this.analysis.layers[1], false));
  }

  boardView(layer, withSearch) {
    const { state, game } = this;
    const hasCandidates = !layer && withSearch && this.search;
    const maxVisits = this.search?.candidates[0]?.visits ?? 1;
    return {
      rows: game.rows, columns: game.columns, board: state.board, last: state.last, marks: state.marks,
      score: state.score, estimate: this.tab === this.tabs[0] ? this.estimate : null, toPlay: state.phase === "play" ? state.to_play : null, layer,
      rings: this.rings(), line: withSearch ? this.lineFrom(this.hovered) : null, lineColor: state.to_play,
      candidates: hasCandidates ? this.search.candidates.slice(0, SHOWN_CANDIDATES).map((one, index) =>
        ({ ...one, share: Math.sqrt(one.visits / maxVisits), isBest: index === 0 })) : [],
    };
  }

  rings() {
    const hint = this.hint ? [[this.hint.vertex, "hint"]] : [];
    return this.tab === this.review ? [...hint, ...this.review.rings(this.state.node)] : hint;
  }

  // Show layer values and the search's variation at the hovered vertex.
  hover(vertex) {
    this.hovered = vertex;
    this.analysis.showValues(vertex);
    if (this.tab === this.analysis && this.search) this.boards[0].showLine(this.lineFrom(vertex), this.state.to_play);
  }

  lineFrom(vertex) {
    return this.search?.candidates.find((one) => one.vertex === vertex)?.line ?? null;
  }

  focusBoard() {
    this.boards[0].svg.focus();
  }

  lastPlayer() {
    return NAMES[this.state.to_play === "black" ? "white" : "black"];
  }

  // Announce moves and results to screen readers.
  announceChange(previous) {
    const { state } = this;
    if (!previous) return;
    const move = previous.node !== state.node && state.last ? [`${this.lastPlayer()} ${state.last}`] : [];
    const isOver = state.phase === "over" && previous.phase !== "over";
    const parts = [...move, ...(isOver ? [resultText(state.result)] : [])];
    if (parts.length) this.announce(parts.join(". "));
  }

  announce(text) {
    $("announcement").textContent = text;
  }

  showConnection(isOpen) {
    $("connection").textContent = isOpen ? "" : "no connection, reconnecting…";
  }

  // Tabs and navigation

  setUpTabs() {
    this.tabButtons = this.tabs.map((tab, index) => el("button", { type: "button", role: "tab", id: `tab-${index}`, "aria-controls": "panel", title: `${tab.title} (${index + 1})`, onclick: () => this.openTab(index) }, tab.title));
    $("tabs").append(...this.tabButtons);
  }

  openTab(index) {
    this.tab = this.tabs[index];
    for (const [place, one] of this.tabButtons.entries()) one.setAttribute("aria-selected", String(place === index));
    $("panel").replaceChildren(this.tab.element);
    $("panel").setAttribute("aria-labelledby", `tab-${index}`);
    document.body.dataset.tab = String(index);
    if (!this.state) return;
    this.tab.show();
    this.showBoards();
    this.tree.show(this.state.node);
  }

  setUpNavigation() {
    const iconButton = (text, title, action) => el("button", { type: "button", title, "aria-label": title, onclick: action }, text);
    $("terms").before(
      iconButton("|◀", "First move (Home)", () => this.goTo(this.tree.root)),
      iconButton("◀", "Back (←)", () => this.step("back")),
      iconButton("▶", "Forward (→)", () => this.step("forward")),
      iconButton("▶|", "Last move (End)", () => this.goTo(this.tree.end(this.state.node))),
      button("Pass", () => this.play("pass"), null, "quick-pass"),
      button("Undo", () => this.send("undo"), null, "quick-undo"));
  }
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

window.tengen = new App();
