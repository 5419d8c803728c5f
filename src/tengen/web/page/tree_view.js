// The variation tree: one dot per move, with the path to the current node highlighted.
//
// A tree may have tens of thousands of nodes. The server sends only changes, and only the visible part
// is drawn.

import { el, svg } from "./dom.js";
import { lossClass } from "./evaluations.js";
import { t } from "./translation.js";

const STEP_X = 22, STEP_Y = 24, RADIUS = 8, MARGIN = 14;
const OVERSCAN = 0.5; // drawn beyond each edge of the frame, in frame sizes

export class TreeView {
  constructor(onSelect) {
    this.onSelect = onSelect;
    this.root = 0;
    this.version = null; // as numbered by the server
    this.nodes = new Map();
    this.evaluations = null; // of the moves, for the colors of the dots
    this.currentPath = [];
    this.dots = new Map(); // drawn dots by appearance
    this.branches = svg("path", { class: "branches" });
    this.currentBranches = svg("path", { class: "branches on" });
    this.svg = svg("svg", { class: "tree", role: "img", "aria-label": t("tree.label") }, this.branches, this.currentBranches);
    this.element = el("div", { class: "tree-frame", tabindex: 0, role: "group", "aria-label": t("tree.title") }, this.svg);
    this.element.addEventListener("scroll", () => this.paint());
    new ResizeObserver(() => this.paint()).observe(this.element);
  }

  // Load a tree from a list of nodes in preorder.
  load({ version, nodes }) {
    this.nodes = new Map();
    for (const node of nodes) this.add(...node);
    this.version = version;
    this.layOut();
  }

  // Apply changes of the server; return false if they do not start from this version.
  applyChanges({ since, version, changes }) {
    if (since !== this.version) return false;
    for (const [kind, ...fields] of changes) {
      if (kind === "add") this.add(...fields);
      else if (kind === "main_line") this.setMainLine(...fields);
      else if (kind === "delete") this.delete(...fields);
      else if (kind === "comment") this.setComment(...fields);
    }
    this.version = version;
    this.layOut();
    return true;
  }

  add(id, parent, color, vertex, hasComment) {
    const above = this.nodes.get(parent);
    above?.children.push(id);
    this.nodes.set(id, { id, parent, color, vertex, hasComment, children: [], depth: above ? above.depth + 1 : 0 });
  }

  // Make the path to a node the main line.
  setMainLine(id) {
    for (const step of this.path(id).slice(1)) {
      const above = this.nodes.get(this.nodes.get(step).parent);
      above.children = [step, ...above.children.filter((child) => child !== step)];
    }
  }

  delete(id) {
    const above = this.nodes.get(this.nodes.get(id).parent);
    above.children = above.children.filter((child) => child !== id);
    for (const descendant of this.subtree(id)) this.nodes.delete(descendant);
  }

  setComment(id, hasComment) {
    this.nodes.get(id).hasComment = hasComment;
  }

  // Navigation

  // Return the nodes along first children, starting with `id`.
  line(id) {
    const line = [this.nodes.get(id)];
    while (line.at(-1).children.length) line.push(this.nodes.get(line.at(-1).children[0]));
    return line;
  }

  // Return the ids from the root to a node.
  path(id) {
    const path = [];
    for (let node = this.nodes.get(id); node; node = this.nodes.get(node.parent)) path.push(node.id);
    return path.reverse();
  }

  // Return the moves that lead to a node as text; null if there is no such node.
  moves(id) {
    if (!this.nodes.has(id)) return null;
    return this.path(id).slice(1).map((step) => moveText(this.nodes.get(step))).join();
  }

  // Return the first node reached by these moves, or null.
  find(moves) {
    let node = this.nodes.get(this.root);
    for (const move of moves ? moves.split(",") : []) {
      const children = node?.children.map((id) => this.nodes.get(id)) ?? [];
      node = children.find((child) => moveText(child) === move);
    }
    return node?.id ?? null;
  }

  // Return the ids of a node and all its descendants.
  subtree(id) {
    const found = [id];
    for (const one of found) found.push(...this.nodes.get(one).children);
    return found;
  }

  // Whether a node is on the main line.
  isMainLine(id) {
    return this.path(id).every((step) => {
      const above = this.nodes.get(this.nodes.get(step).parent);
      return !above || above.children[0] === step;
    });
  }

  // Number of moves of the main line.
  get length() {
    return this.nodes.get(this.end(this.root))?.depth ?? 0;
  }

  // Return the neighbor of a node: "back", "forward", "previous" or "next" variation; or null.
  step(id, direction) {
    const node = this.nodes.get(id);
    if (!node) return null;
    if (direction === "back") return node.parent;
    if (direction === "forward") return node.children[0] ?? null;
    const siblings = this.nodes.get(node.parent)?.children ?? [];
    return siblings[siblings.indexOf(id) + (direction === "next" ? 1 : -1)] ?? null;
  }

  // Return the node some steps back, or forward along first children.
  leap(id, count) {
    let node = this.nodes.get(id);
    for (let left = Math.abs(count); left > 0 && node; left--) {
      const next = this.nodes.get(count < 0 ? node.parent : node.children[0]);
      if (!next) break;
      node = next;
    }
    return node?.id ?? null;
  }

  // Return the last node along first children.
  end(id) {
    let node = this.nodes.get(id);
    while (node?.children.length) node = this.nodes.get(node.children[0]);
    return node?.id ?? null;
  }

  // Layout

  // Assign a lane to every line: the first lane below its parent where it leaves a gap to the lines there.
  //
  // Later variations of a line are placed first, with all their descendants. This keeps crossings rare,
  // since earlier variations start further left.
  layOut() {
    const leftmost = []; // depth in each lane
    let deepest = 0;
    const waiting = [this.root];
    while (waiting.length) {
      const line = this.line(waiting.pop());
      const end = line.at(-1).depth;
      let lane = (this.nodes.get(line[0].parent)?.lane ?? -1) + 1;
      while (leftmost[lane] <= end + 1) lane += 1;
      leftmost[lane] = line[0].depth;
      deepest = Math.max(deepest, end);
      for (const node of line) {
        node.lane = lane;
        if (node.children.length > 1) waiting.push(...node.children.slice(1).reverse());
      }
    }
    this.svg.setAttribute("width", 2 * MARGIN + deepest * STEP_X);
    this.svg.setAttribute("height", 2 * MARGIN + (leftmost.length - 1) * STEP_Y);
  }

  // Drawing

  // Show a node as the current one.
  show(current) {
    this.currentPath = this.path(current);
    this.scrollTo(this.nodes.get(current));
    this.paint();
  }

  scrollTo(node) {
    const { clientWidth, clientHeight } = this.element;
    if (node) this.element.scrollTo({ left: x(node) - clientWidth / 2, top: y(node) - clientHeight / 2 });
  }

  // Draw the visible part of the tree.
  paint() {
    const view = this.visibleRange();
    const nodes = [...this.nodes.values()];
    const path = this.currentPath.map((id) => this.nodes.get(id)).filter(Boolean);
    this.paintDots(nodes.filter((node) => isVisible(view, node, node)));
    this.branches.setAttribute("d", this.visibleBranches(view, nodes));
    this.currentBranches.setAttribute("d", this.visibleBranches(view, path));
  }

  // Return the range of depths and lanes to draw; it is empty while the tree is not on the page.
  visibleRange() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.element;
    const depth = (pixels) => (pixels - MARGIN) / STEP_X, lane = (pixels) => (pixels - MARGIN) / STEP_Y;
    return {
      left: depth(scrollLeft - OVERSCAN * clientWidth), right: depth(scrollLeft + (1 + OVERSCAN) * clientWidth),
      top: lane(scrollTop - OVERSCAN * clientHeight), bottom: lane(scrollTop + (1 + OVERSCAN) * clientHeight),
    };
  }

  // Keep unchanged dots: a dot replaced while pressed loses the click.
  paintDots(nodes) {
    const wanted = new Map(nodes.map((node) => [`${appearance(node)},${this.lossKind(node)}`, node]));
    for (const [key, dot] of this.dots) {
      if (wanted.has(key)) continue;
      dot.remove();
      this.dots.delete(key);
    }
    const path = new Set(this.currentPath);
    for (const [key, node] of wanted) {
      if (!this.dots.has(key)) this.dots.set(key, this.svg.appendChild(this.dot(node)));
      const { classList } = this.dots.get(key);
      classList.toggle("on", path.has(node.id));
      classList.toggle("current", node.id === this.currentPath.at(-1));
    }
  }

  // Return the path data of the visible branches, without duplicates: many branches from one node
  // coincide within the view.
  visibleBranches(view, nodes) {
    const lines = new Set();
    for (const node of nodes) {
      const above = this.nodes.get(node.parent);
      if (above && isVisible(view, above, node)) lines.add(branch(above, node, Math.ceil(view.bottom) + 1));
    }
    return [...lines].join("");
  }

  // Return the class of the points lost by a move, or an empty text.
  lossKind(node) {
    const loss = node.vertex ? this.evaluations?.loss(node.id) : null;
    return loss ? `loss-${lossClass(loss.points)}` : "";
  }

  dot(node) {
    return svg("g", { class: `node ${node.color ?? "root"}`, "data-node": node.id, onclick: () => this.onSelect(node.id) },
      svg("title", {}, node.vertex ? `${node.depth}: ${node.vertex}` : "start"),
      svg("circle", { cx: x(node), cy: y(node), r: RADIUS }),
      this.lossKind(node) ? svg("circle", { cx: x(node), cy: y(node), r: 3.2, class: `loss ${this.lossKind(node)}` }) : null,
      node.hasComment ? svg("circle", { cx: x(node) + 6, cy: y(node) - 6, r: 3, class: "commented" }) : null);
  }
}

function moveText({ color, vertex }) {
  return `${color} ${vertex}`;
}

// Whether the branch from a node to itself or to a child overlaps the view.
function isVisible({ left, right, top, bottom }, from, to) {
  return to.depth >= left && from.depth <= right && to.lane >= top && from.lane <= bottom;
}

// Return a key of everything that a dot shows.
function appearance({ id, depth, lane, color, vertex, hasComment }) {
  return [id, depth, lane, color, vertex, hasComment].join();
}

// Return the path data of a branch, cut off below lane `lowest`. It runs down between two columns of dots.
function branch(above, node, lowest) {
  const end = { depth: node.depth, lane: Math.min(node.lane, lowest) };
  const corner = end.lane === above.lane ? "" : `L${x(above) + STEP_X / 2} ${y(above) + STEP_Y / 2}V${y(end) - STEP_Y / 2}`;
  return `M${x(above)} ${y(above)}${corner}L${x(end)} ${y(end)}`;
}

function x(node) {
  return MARGIN + node.depth * STEP_X;
}

function y(node) {
  return MARGIN + node.lane * STEP_Y;
}
