// A list of games of which only the visible rows exist; its pages are requested when they are needed.

import { button, el, replaceChildren } from "./dom.js";
import { playerName } from "./server_texts.js";
import { thumbnail } from "./thumbnail.js";
import { t } from "./translation.js";

const ROW_PX = 88;
const SPARE_ROWS = 6; // above and below the visible ones
const PAGE_GAMES = 60; // as sent by the server
const REQUEST_DELAY_MS = 60; // rows passed by faster scrolling are not requested

export class GameList {
  /** @param {{onOpen: (game: object) => void, onRemove: (game: object) => void, request: (fields: object) => void}} actions */
  constructor({ onOpen, onRemove, request }) {
    this.onOpen = onOpen;
    this.onRemove = onRemove;
    this.request = request;
    this.rows = el("ul", { class: "game-rows", "aria-label": t("library.games") });
    this.element = el("div", { class: "game-list", tabindex: -1 }, this.rows);
    this.element.addEventListener("scroll", () => this.show());
    this.rows.addEventListener("keydown", (event) => this.handleKey(event));
    new ResizeObserver(() => this.show()).observe(this.element);
    this.setQuery({}, false);
  }

  // List other games: from the top, with the rows so far until the first new ones arrive. The same query
  // updates the list in its place.
  setQuery(query, canRemove) {
    if (JSON.stringify(query) === JSON.stringify(this.query) && this.total !== null) {
      this.pages = new Map();
      this.requestPage(Math.floor(this.element.scrollTop / ROW_PX / PAGE_GAMES));
      this.show();
      return;
    }
    this.query = query;
    this.canRemove = canRemove;
    this.pages = new Map();
    this.total = null;
    this.opened = null;
    this.shown = new Map(); // row by index
    this.element.scrollTop = 0;
    if (query.collection !== undefined) this.requestPage(0);
  }

  // Take the games of a message, if they are still wanted.
  receive({ request: { offset, type: _, ...query }, total, games }) {
    if (Object.entries(this.query).some(([name, value]) => query[name] !== value)) return;
    const isFirst = this.total === null;
    this.pages.set(offset / PAGE_GAMES, games);
    this.total = total;
    this.rows.style.height = `${total * ROW_PX}px`;
    if (isFirst) this.rows.replaceChildren();
    for (const [index, row] of this.shown) if (index >= total || this.gameAt(index)?.id !== Number(row.dataset.game)) this.removeRow(index, row);
    this.show();
  }

  gameAt(index) {
    return this.pages.get(Math.floor(index / PAGE_GAMES))?.[index % PAGE_GAMES];
  }

  requestPage(page) {
    if (this.pages.has(page)) return;
    this.pages.set(page, null);
    this.request({ ...this.query, offset: page * PAGE_GAMES });
  }

  // Create the rows that are visible and remove the others.
  show() {
    if (this.total === null || !this.element.isConnected) return;
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW_PX) - SPARE_ROWS);
    const last = Math.min(this.total, Math.ceil((this.element.scrollTop + this.element.clientHeight) / ROW_PX) + SPARE_ROWS);
    for (const [index, row] of this.shown) {
      if (index < first || index >= last) this.removeRow(index, row);
    }
    for (let index = first; index < last; index++) {
      if (this.shown.has(index)) continue;
      const game = this.gameAt(index);
      if (!game) continue;
      const row = this.row(game, index);
      this.shown.set(index, row);
      this.rows.append(row);
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      for (let page = Math.floor(first / PAGE_GAMES); page * PAGE_GAMES < last; page++) this.requestPage(page);
    }, REQUEST_DELAY_MS);
  }

  removeRow(index, row) {
    row.remove();
    this.shown.delete(index);
  }

  row(game, index) {
    const { black, white, board, rows, columns } = game;
    const player = (name, color) => el("span", { class: "name" }, el("i", { class: `dot ${color}` }), el("b", {}, playerName(name) || t(`common.${color}`)));
    const open = el("button", { type: "button", class: "game-row", "data-index": index, onclick: () => this.open(game) },
      el("span", { class: "picture" }, thumbnail(board, rows, columns)),
      el("span", { class: "lines" }, player(black, "black"), player(white, "white"), el("span", { class: "quiet-text details" }, details(game))));
    if (game.id === this.opened) open.setAttribute("aria-current", "true");
    const remove = this.canRemove ? button("", () => this.onRemove(game), null, null, { icon: "trash-2", kind: "quiet small", label: t("library.remove_game", { black, white }) }) : null;
    const row = el("li", { "data-game": game.id, style: `top:${index * ROW_PX}px`, "aria-setsize": this.total, "aria-posinset": index + 1 });
    replaceChildren(row, open, remove);
    return row;
  }

  open(game) {
    this.opened = game.id;
    for (const [index, row] of this.shown) row.firstElementChild.toggleAttribute("aria-current", this.gameAt(index)?.id === game.id);
    this.onOpen(game);
  }

  // Arrow keys move from row to row.
  handleKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const index = Number(event.target.closest("[data-index]")?.dataset.index);
    if (!step || Number.isNaN(index)) return;
    event.preventDefault();
    event.stopPropagation();
    const row = this.shown.get(index + step);
    row?.firstElementChild.focus();
    row?.scrollIntoView({ block: "nearest" });
  }
}

function details({ date, event, result, moves, rows, columns }) {
  const size = rows === 19 && columns === 19 ? "" : `${columns}×${rows}`;
  return [date, result, t("library.moves", { count: moves }), size, event].filter(Boolean).join(" · ");
}
