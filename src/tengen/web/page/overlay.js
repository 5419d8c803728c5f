// The analysis overlay: candidate moves, territory, losses of the last moves, next moves and move numbers on
// the board, and the bar below it with the live evaluation. It is the same on all tabs.

import { $, button, el, percent } from "./dom.js";
import { leadText, lossClass } from "./evaluations.js";
import { LinePlayer } from "./line_player.js";
import { onPreference, preference, setPreference } from "./preferences.js";
import { t } from "./translation.js";

const SHOWN_CANDIDATES = 10;
const MIN_SHARE = 0.01; // candidates with a smaller share of the visits of the best one are not drawn
const TABS_WITHOUT = ["experiments", "problems", "library"];

export class Overlay {
  constructor(app) {
    this.app = app;
    this.player = new LinePlayer(() => app.stage.showLine(this.player.shown, app.state.to_play));
    this.toggle = button(t("overlay.analyze"), () => app.toggleAnalysis(), "a", "analyze", { icon: "activity", kind: "small" });
    this.territory = button(t("overlay.territory"), () => this.toggleTerritory(), "t", "territory", { icon: "map", kind: "small" });
    this.spinner = el("span", { class: "spinner", role: "img", "aria-label": t("overlay.searching"), hidden: true });
    this.toggle.prepend(this.spinner);
    this.live = el("span", { id: "live", "aria-live": "off" });
    $("navigation").prepend(el("span", { class: "group" }, this.toggle, this.territory));
    $("navigation").append(this.live);
    app.addShortcut("a", t("overlay.analyze_key"), () => app.toggleAnalysis());
    app.addShortcut("t", t("overlay.territory"), () => this.toggleTerritory());
    app.addView((view) => this.change(view));
    for (const name of ["moveNumbers", "lastDots", "nextMoves", "overlayText", "territory", "coordinates"]) onPreference(name, () => app.stage?.show());
  }

  // Turn the shading of territory on or off; it needs a search of the position.
  toggleTerritory() {
    const { app } = this;
    setPreference("territory", !preference("territory"));
    if (preference("territory") && !app.state.analyzing && !app.search) app.toggleAnalysis();
    this.show();
  }

  // Whether the search of the position is shown on the board.
  get isOn() {
    const { state, search, panel } = this.app;
    return Boolean(search) && !TABS_WITHOUT.includes(panel.name) && state.phase !== "scoring" && (state.analyzing || panel.name === "analysis");
  }

  // Add the overlay to a view of the board.
  change(view) {
    const { app } = this;
    const { search, state } = app;
    if (TABS_WITHOUT.includes(app.panel.name)) return;
    const isPlain = !view.layer && !view.score && !view.estimate;
    if (isPlain && preference("territory") && search) view.ownership = search.ownership;
    if (this.isOn && !view.score && !view.estimate) {
      const most = search.candidates[0]?.visits ?? 1;
      view.candidates = search.candidates.slice(0, SHOWN_CANDIDATES).filter((one) => one.visits >= MIN_SHARE * most).map((one, index) =>
        ({ ...one, share: Math.sqrt(one.visits / most), isBest: index === 0, kind: lossClass(one.points_lost), texts: candidateTexts(one) }));
    }
    if (this.player.shown) Object.assign(view, { line: this.player.shown, lineColor: state.to_play });
    view.numbers = this.moveNumbers();
    view.dots = this.dots();
    view.nextMoves = preference("nextMoves") && state.phase === "play" ? this.nextMoves() : [];
  }

  lineFrom(vertex) {
    return (this.isOn && this.app.search.candidates.find((one) => one.vertex === vertex)?.line) || null;
  }

  // Play back the line of a candidate under the pointer.
  hover(vertex) {
    this.player.play(this.lineFrom(vertex));
  }

  // Return [vertex, loss class, points] of the last moves that are still on the board.
  dots() {
    const { app } = this;
    const path = app.tree.path(app.state.node);
    const nodes = preference("lastDots") ? path.slice(-preference("lastDots")) : [];
    return nodes.flatMap((node) => {
      const { vertex } = app.tree.nodes.get(node);
      const loss = vertex && vertex !== "pass" ? app.evaluations.loss(node) : null;
      return loss ? [[vertex, lossClass(loss.points), loss.points]] : [];
    });
  }

  // Return the next moves of the tree as [vertex, letter]; the main continuation has no letter.
  nextMoves() {
    const { tree, state } = this.app;
    const children = tree.nodes.get(state.node)?.children ?? [];
    return children.map((id) => tree.nodes.get(id)).filter(({ vertex }) => vertex && vertex !== "pass")
      .map(({ vertex, color }, index) => [vertex, color, index === 0]);
  }

  // Return [vertex, number] of the last moves, the number of moves as chosen; -1 for all.
  moveNumbers() {
    const count = preference("moveNumbers");
    if (!count) return [];
    const { tree, state } = this.app;
    const nodes = tree.path(state.node).map((id) => tree.nodes.get(id)).filter(({ vertex }) => vertex);
    const numbered = new Map();
    nodes.forEach(({ vertex, depth }) => numbered.set(vertex, depth));
    return [...numbered].filter(([vertex, depth]) => vertex !== "pass" && (count < 0 || depth > nodes.length - count));
  }

  show() {
    const { state, evaluations, search } = this.app;
    this.toggle.setAttribute("aria-pressed", String(state.analyzing));
    this.toggle.classList.toggle("on", state.analyzing);
    this.spinner.hidden = !(state.searching || (state.analyzing && state.thinking));
    this.toggle.querySelector(".icon").style.display = this.spinner.hidden ? "" : "none";
    this.toggle.querySelector(".text").textContent = state.analyzing ? t("overlay.stop") : t("overlay.analyze");
    this.territory.setAttribute("aria-pressed", String(preference("territory")));
    this.territory.classList.toggle("on", preference("territory"));
    const known = search && state.analyzing ? evaluations.searched.get(state.node) : evaluations.of(state.node);
    this.live.replaceChildren(...(known ? liveText(known) : []));
    this.live.hidden = !known;
  }
}

function candidateTexts({ points_lost: points, value, visits }) {
  const texts = {
    points: () => (points < 0.05 ? (points < -0.05 ? `+${(-points).toFixed(1)}` : "0.0") : points.toFixed(1)),
    winrate: () => (100 * value).toFixed(value > 0.995 || value < 0.005 ? 0 : 1),
    visits: () => shortCount(visits),
  };
  return preference("overlayText").slice(0, 3).map((name) => texts[name]());
}

// Return a number in few characters: 950, 1.2k, 34k.
export function shortCount(count) {
  if (count < 1000) return String(count);
  return count < 9950 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;
}

function liveText({ winrate, lead, visits }) {
  const share = Math.round(100 * winrate);
  return [
    el("span", { class: "rate", title: t("overlay.black_win_rate", { share: percent(winrate) }) }, el("i", { style: `width:${share}%` })),
    el("b", {}, t("overlay.win_rate", { share: percent(winrate) })), el("b", { class: "lead" }, leadText(lead)),
    el("span", { class: "quiet-text" }, visits ? t("overlay.visits", { count: visits }) : t("overlay.scored"))];
}
