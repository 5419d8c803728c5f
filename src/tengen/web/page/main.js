// The page: holds what the server has told, and lets each part show its share of it.

import { Board } from "./board.js";
import { $, el, toast } from "./dom.js";
import { ExperimentsPanel } from "./experiments.js";
import { openRecord, saveGame, setUpFiles } from "./files.js";
import { findGame, forgetGame, keepGameSoon, loseGame, lostGame } from "./kept.js";
import { setUpKeys } from "./keys.js";
import { gameId, keepGameId, Link } from "./link.js";
import { LookPanel } from "./look.js";
import { NewGame } from "./newgame.js";
import { button, PlayPanel, resultText } from "./play.js";
import { Players } from "./players.js";
import { ReviewPanel } from "./review.js";
import { clack, setUpSound } from "./sound.js";
import { setUpTheme } from "./theme.js";
import { Tree } from "./tree.js";
import { Unsent } from "./unsent.js";

const SHOWN_CANDIDATES = 8;
const MANY_NODES = 3; // more than so many are not cut without a question
const FEW_CHANGES = 2; // a game of so few is left without one
const NAMES = { black: "Black", white: "White", X: "black stone", O: "white stone", ".": "empty" };

class App {
  constructor() {
    this.game = this.state = this.search = this.hint = null;
    this.heard = 0; // states so far
    this.saved = 0; // changes of the game when it was saved last, null if none of them was
    this.isTakingBack = false; // a game that only the browser has
    this.pointed = null; // the vertex on a board, or the candidate in the table, that is pointed at
    this.leafedTo = null; // the node that was asked for last
    this.tree = new Tree((node) => this.goTo(node));
    this.unsent = new Unsent(this);
    this.players = new Players();
    const handlers = {
      onPlay: (vertex) => this.choose(vertex), onHover: (vertex) => this.hover(vertex),
      onCursor: (vertex, sign) => this.say(`${vertex}, ${NAMES[sign]}`),
    };
    this.boards = [new Board("Board", handlers), new Board("Second board", handlers)];
    this.newGame = new NewGame((asked) => this.link.send("new", asked));
    this.look = new LookPanel(this);
    this.review = new ReviewPanel(this);
    this.experiments = new ExperimentsPanel(this);
    this.tabs = [new PlayPanel(this), this.look, this.review, this.experiments];
    this.setUpTabs();
    this.setUpMoves();
    this.chooseFile = setUpFiles(() => this.mayLeave());
    setUpTheme();
    setUpSound();
    setUpKeys(this, $("help"));
    $("boards").append(this.boards[0].element, this.boards[1].element);
    this.boards[1].element.hidden = true;
    this.openTab(0);
    this.link = new Link((message) => this.take(message), (isOpen) => this.showConnection(isOpen));
    addEventListener("hashchange", () => gameId() && gameId() !== this.game?.id && this.link.rejoin());
  }

  // Asking the server

  send(type, fields) {
    if (!this.link.send(type, fields)) toast("The connection is lost; trying again.");
  }

  play(vertex) {
    this.send("play", { vertex });
  }

  // A point was clicked: a move, or a chain to call dead.
  choose(vertex) {
    this.send(this.state.phase === "score" ? "mark" : "play", { vertex });
  }

  goTo(node) {
    if (node === null || node === undefined || node === this.state.node) return;
    this.leafedTo = node;
    this.send("goto", { node });
  }

  step(direction) {
    this.goTo(this.tree.step(this.state.node, direction));
  }

  cut() {
    const { node } = this.state;
    if (node === this.tree.start()) return;
    const count = this.tree.below(node).length;
    if (count <= MANY_NODES || confirm(`Cut this branch of ${count} moves?`)) this.send("cut", { node });
  }

  // Tell whether the game may be replaced; one that was changed since it was saved or opened is asked for.
  mayLeave() {
    const changes = this.state?.changes ?? 0;
    const isHardlyBegun = this.saved === 0 && !this.game?.watching && changes <= FEW_CHANGES;
    return isHardlyBegun || changes === this.saved || confirm("Leave this game? What was done in it is not saved.");
  }

  resign() {
    if (confirm("Resign this game?")) this.send("resign");
  }

  async save() {
    const { changes } = this.state;
    if (await saveGame()) this.saved = changes;
  }

  openNewGame() {
    if (this.welcome && this.mayLeave()) this.newGame.open(this.welcome);
  }

  reviewGame() {
    this.openTab(this.tabs.indexOf(this.review));
    this.review.beginUnlessDone();
  }

  // Hearing the server

  take(message) {
    this[`take_${message.type}`]?.(message);
  }

  take_welcome(message) {
    const isFirst = !this.welcome;
    this.welcome = message;
    this.look.welcome(message.layers);
    if (message.lost) loseGame(message.lost);
    if (message.lost || (isFirst && lostGame())) this.offerBack(lostGame());
  }

  // The server does not know the game of this tab: say so, and offer what is kept of it.
  offerBack(sgf) {
    const word = "The server does not know this game, as when it was started anew. Here is a new one.";
    toast(word, sgf ? { "Take the game back": () => this.takeBack(sgf), "Leave it": findGame } : {});
  }

  async takeBack(sgf) {
    findGame();
    this.isTakingBack = true;
    if (await openRecord(sgf)) this.unsent.readdress(this.game.id);
    else this.isTakingBack = false;
  }

  take_game(message) {
    this.game = message;
    this.saved = this.isTakingBack ? null : 0;
    this.isTakingBack = false;
    this.forget();
    this.review.clear();
    this.newGame.begun();
    keepGameId(message.id);
  }

  // A tree, or what has changed in it, is drawn with the state that follows it.
  take_tree(message) {
    this.tree.take(message);
    this.keep();
  }

  take_growth(message) {
    if (!this.tree.grow(message)) this.link.rejoin(); // to be told all of it
  }

  // Keep the record in the browser, unless nothing was done yet.
  keep() {
    if (this.tree.nodes.size > 1) keepGameSoon(this.game.id);
    else forgetGame(this.game.id);
  }

  take_state(message) {
    const before = this.state;
    this.state = message;
    this.heard += 1;
    if (before?.node !== message.node) this.forget();
    if (before && message.last && message.move === before.move + 1) this.hearMove();
    if (before && before.changes !== message.changes) this.keep();
    this.tree.draw(message.node);
    this.players.show(this.game, message);
    this.showBoards();
    this.tab.show();
    this.tell(before);
    this.leafedTo = null;
    this.unsent.flush();
    document.body.dataset.phase = message.phase;
    document.body.dataset.ready = "";
  }

  // A move was made, or leafed on to; a pass that was made is easily missed.
  hearMove() {
    clack();
    const { last, node } = this.state;
    if (last === "pass" && node !== this.leafedTo) toast(`${this.mover()} passed.`);
  }

  // Drop what was found of the position before.
  forget() {
    this.search = this.hint = null;
    this.look.layers = [null, null];
  }

  take_search(message) {
    if (message.node !== this.state?.node) return;
    this.search = message;
    if (this.tab === this.look) {
      this.look.show();
      this.showBoards();
    }
  }

  take_layer(message) {
    this.look.take(message);
    this.showBoards();
  }

  take_hint(message) {
    if (message.node !== this.state?.node) return;
    this.hint = message;
    this.tab.show();
    this.showBoards();
  }

  take_review(message) {
    this.review.take(message);
  }

  take_experiments(message) {
    this.experiments.take(message);
  }

  take_note({ text }) {
    toast(sentence(text));
  }

  take_refused({ reason }) {
    const word = sentence(reason);
    if (!this.newGame.refuse(word)) toast(word);
  }

  // Showing

  showBoards() {
    if (!this.state) return;
    const isLooking = this.tab === this.look;
    const isDouble = isLooking && Boolean(this.look.chosen[1]);
    this.boards[1].element.hidden = !isDouble;
    $("boards").classList.toggle("double", isDouble);
    this.boards[0].show(this.view(isLooking ? this.look.layers[0] : null, isLooking));
    if (isDouble) this.boards[1].show(this.view(this.look.layers[1], false));
  }

  view(layer, withSearch) {
    const { state, game } = this;
    const hasPoints = !layer && withSearch && this.search;
    const most = this.search?.candidates[0]?.visits ?? 1;
    return {
      rows: game.rows, columns: game.columns, board: state.board, last: state.last, marks: state.marks,
      score: state.score, toPlay: state.phase === "play" ? state.to_play : null, layer,
      rings: this.rings(), line: withSearch ? this.lineFrom(this.pointed) : null, lineFirst: state.to_play,
      candidates: hasPoints ? this.search.candidates.slice(0, SHOWN_CANDIDATES).map((one, index) =>
        ({ ...one, share: Math.sqrt(one.visits / most), isBest: index === 0 })) : [],
    };
  }

  rings() {
    const hint = this.hint ? [[this.hint.vertex, "hint"]] : [];
    return this.tab === this.review ? [...hint, ...this.review.rings(this.state.node)] : hint;
  }

  // Something is pointed at: tell its numbers, and show how the search would go on from there.
  hover(vertex) {
    this.pointed = vertex;
    this.look.readout(vertex);
    if (this.tab === this.look && this.search) this.boards[0].showLine(this.lineFrom(vertex), this.state.to_play);
  }

  lineFrom(vertex) {
    return this.search?.candidates.find((one) => one.vertex === vertex)?.line ?? null;
  }

  focusBoard() {
    this.boards[0].svg.focus();
  }

  mover() {
    return NAMES[this.state.to_play === "black" ? "white" : "black"];
  }

  // Tell a screen reader what was played, and how it ended.
  tell(before) {
    const { state } = this;
    if (!before) return;
    const move = before.node !== state.node && state.last ? [`${this.mover()} ${state.last}`] : [];
    const isOver = state.phase === "over" && before.phase !== "over";
    const words = [...move, ...(isOver ? [resultText(state.result)] : [])];
    if (words.length) this.say(words.join(". "));
  }

  say(words) {
    $("said").textContent = words;
  }

  showConnection(isOpen) {
    $("connection").textContent = isOpen ? "" : "no connection, trying again…";
  }

  // Tabs

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
    this.tree.draw(this.state.node);
  }

  setUpMoves() {
    const go = (text, title, action) => el("button", { type: "button", title, "aria-label": title, onclick: action }, text);
    $("terms").before(
      go("|◀", "First move (Home)", () => this.goTo(this.tree.start())),
      go("◀", "Back (←)", () => this.step("back")),
      go("▶", "On (→)", () => this.step("forward")),
      go("▶|", "Last move (End)", () => this.goTo(this.tree.end(this.state.node))),
      button("Pass", () => this.play("pass"), null, "quick-pass"),
      button("Undo", () => this.send("undo"), null, "quick-undo"));
  }
}

function sentence(words) {
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}

window.tengen = new App();
