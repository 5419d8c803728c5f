// Evaluations of the nodes of a game by analysis and review, and the loss of each move.
//
// Win rates (0 to 1) and leads (points) are Black's.

const MIN_CANDIDATE_VISITS = 10; // a candidate with fewer is not compared if the position after it was searched
const LIMITS = [0.5, 1.5, 3, 6, 12]; // points lost: upper ends of the classes 0 to 4

/** @typedef {{winrate: number, lead: number, visits: number, line: string[], candidates: {vertex: string, visits: number, points_lost: number, winrate: number}[]}} Evaluation */
/** @typedef {{points: number, winrate: number, best: string | null, line: string[], visits: number, isMistake: boolean}} Loss */

/** Return the class of a loss, from 0 (none) to 5 (large), as in the CSS variables --loss-0 to --loss-5. @param {number} points */
export function lossClass(points) {
  const found = LIMITS.findIndex((limit) => points < limit);
  return found < 0 ? LIMITS.length : found;
}

/** Return points lost as text: "−3.1", "0.0" or "+0.4". @param {number} points */
export function lossText(points) {
  const shown = Math.abs(points) < 0.05 ? 0 : -points;
  return shown > 0 ? `+${shown.toFixed(1)}` : shown < 0 ? `−${(-shown).toFixed(1)}` : "0.0";
}

/** Return a lead as players write it: "B+3.5". @param {number} lead */
export function leadText(lead) {
  return Math.abs(lead) < 0.05 ? "0.0" : `${lead > 0 ? "B" : "W"}+${Math.abs(lead).toFixed(1)}`;
}

export class Evaluations {
  /** @param {import("./tree_view.js").TreeView} tree */
  constructor(tree) {
    this.tree = tree;
    this.clear();
  }

  clear() {
    /** @type {Map<number, Evaluation>} */
    this.searched = new Map();
    /** @type {Map<number, Evaluation>} */
    this.reviewed = new Map();
    /** @type {Map<number, Loss>} */
    this.reviewedLosses = new Map();
  }

  // Store a search, unless there is a longer one of the position.
  addSearch(search) {
    if ((this.searched.get(search.node)?.visits ?? 0) > search.visits || !search.candidates.length) return;
    const black = (value) => (search.to_play === "black" ? value : 1 - value);
    this.searched.set(search.node, {
      winrate: black(search.value), lead: search.lead, visits: search.visits, line: search.candidates[0].line,
      candidates: search.candidates.map(({ vertex, visits, points_lost, value }) => ({ vertex, visits, points_lost, winrate: black(value) })),
    });
  }

  // Replace the evaluations by those of a review.
  setReview(review) {
    this.reviewed = new Map(review.positions.map((one, index) => [review.nodes[index], { ...one, candidates: [] }]));
    this.reviewedLosses = new Map(review.moves.map((move) => [review.nodes[move.number], {
      points: move.points_loss, winrate: move.winrate_loss, best: move.best, line: review.positions[move.number - 1].line,
      visits: move.visits, isMistake: move.mistake,
    }]));
  }

  /** Return the evaluation of a position with the most visits. @param {number} node */
  of(node) {
    const searched = this.searched.get(node), reviewed = this.reviewed.get(node);
    return (searched?.visits ?? 0) > (reviewed?.visits ?? 0) ? searched : reviewed ?? searched ?? null;
  }

  get isEmpty() {
    return !this.searched.size && !this.reviewed.size;
  }

  /** Return what the move of a node lost against the best move, or null if that is not known. @param {number} node @returns {Loss | null} */
  loss(node) {
    const { parent, vertex, color } = this.tree.nodes.get(node) ?? {};
    const before = this.searched.get(parent);
    const reviewed = this.reviewedLosses.get(node) ?? null;
    if (!before || before.visits < (reviewed?.visits ?? 0)) return reviewed;
    const sign = color === "black" ? 1 : -1;
    const after = this.of(node);
    const candidate = before.candidates.find((one) => one.vertex === vertex);
    const known = { best: before.line[0] ?? null, line: before.line, isMistake: false };
    if (candidate && (candidate.visits >= MIN_CANDIDATE_VISITS || !after)) {
      const winrate = sign * (before.candidates[0].winrate - candidate.winrate);
      return { ...known, points: candidate.points_lost, winrate, visits: Math.min(before.visits, candidate.visits) };
    }
    if (!after) return reviewed;
    return { ...known, points: sign * (before.lead - after.lead), winrate: sign * (before.winrate - after.winrate), visits: Math.min(before.visits, after.visits) };
  }
}
