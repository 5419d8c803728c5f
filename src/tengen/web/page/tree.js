// The tree of variations: one dot a move, the line one is in drawn stronger.
//
// It may have tens of thousands of nodes, so the server tells only what has changed in it, and only
// what can be seen of it is drawn.

import { el, svg } from "./dom.js";

const STEP_X = 22, STEP_Y = 24, RADIUS = 8, EDGE = 14;
const AROUND = 0.5; // of the frame is drawn beyond each of its edges, so that one scrolls into something

export class Tree {
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.version = null; // of the tree, as the server numbers them
    this.nodes = new Map();
    this.way = []; // from the start to where one is
    this.dots = new Map(); // those that are drawn, by their look
    this.branches = svg("path", { class: "branches" });
    this.branchesOfWay = svg("path", { class: "branches on" });
    this.picture = svg("svg", { class: "tree", role: "img", "aria-label": "Variations" }, this.branches, this.branchesOfWay);
    this.element = el("div", { class: "tree-frame" }, this.picture);
    this.element.addEventListener("scroll", () => this.paint());
    new ResizeObserver(() => this.paint()).observe(this.element);
  }

  // Take a whole tree, the nodes as the server lists them: each before its children, first children
  // first.
  take({ version, nodes }) {
    this.nodes = new Map();
    for (const node of nodes) this.add(...node);
    this.version = version;
    this.layOut();
  }

  // Change the tree as the server has changed its own; return whether it was the same before.
  grow({ since, version, changes }) {
    if (since !== this.version) return false;
    for (const [what, ...about] of changes) this[what](...about);
    this.version = version;
    this.layOut();
    return true;
  }

  // What the server may change.

  add(id, parent, colour, vertex, hasComment) {
    const above = this.nodes.get(parent);
    above?.children.push(id);
    this.nodes.set(id, { id, parent, colour, vertex, hasComment, children: [], depth: above ? above.depth + 1 : 0 });
  }

  // Make the way to a node the main line.
  lead(id) {
    for (const step of this.path(id).slice(1)) {
      const above = this.nodes.get(this.nodes.get(step).parent);
      above.children = [step, ...above.children.filter((child) => child !== step)];
    }
  }

  cut(id) {
    const above = this.nodes.get(this.nodes.get(id).parent);
    above.children = above.children.filter((child) => child !== id);
    for (const gone of this.below(id)) this.nodes.delete(gone);
  }

  comment(id, hasComment) {
    this.nodes.get(id).hasComment = hasComment;
  }

  // Give every node a lane: each line the first one in which all that is there is further right,
  // with a place between them.
  //
  // Of the variations of a line the last is laid out first, with all that belongs to it: the way
  // down to an earlier one, which starts further left, crosses little then.
  layOut() {
    const leftmost = []; // depth in each lane
    let deepest = 0;
    const waiting = [this.start()];
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
    this.picture.setAttribute("width", 2 * EDGE + deepest * STEP_X);
    this.picture.setAttribute("height", 2 * EDGE + (leftmost.length - 1) * STEP_Y);
  }

  // Return the nodes from one on along first children.
  line(id) {
    const line = [this.nodes.get(id)];
    while (line.at(-1).children.length) line.push(this.nodes.get(line.at(-1).children[0]));
    return line;
  }

  path(id) {
    const way = [];
    for (let node = this.nodes.get(id); node; node = this.nodes.get(node.parent)) way.push(node.id);
    return way.reverse();
  }

  // Return the moves that lead to a node as one text; null if there is no such node.
  moves(id) {
    if (!this.nodes.has(id)) return null;
    return this.path(id).slice(1).map((step) => this.nodes.get(step)).map(({ colour, vertex }) => `${colour} ${vertex}`).join();
  }

  // Return the first node to which these moves lead, or null.
  find(moves) {
    let node = this.nodes.get(this.start());
    for (const word of moves ? moves.split(",") : []) {
      const below = node?.children.map((id) => this.nodes.get(id)) ?? [];
      node = below.find(({ colour, vertex }) => `${colour} ${vertex}` === word);
    }
    return node?.id ?? null;
  }

  // Return a node and all that follow it.
  below(id) {
    const found = [id];
    for (const one of found) found.push(...this.nodes.get(one).children);
    return found;
  }

  // Return how many moves the main line has.
  get length() {
    return this.nodes.get(this.end(this.start()))?.depth ?? 0;
  }

  // Ways to go from a node, as keys ask for them.
  step(id, direction) {
    const node = this.nodes.get(id);
    if (!node) return null;
    if (direction === "back") return node.parent;
    if (direction === "forward") return node.children[0] ?? null;
    const siblings = this.nodes.get(node.parent)?.children ?? [];
    const place = siblings.indexOf(id) + (direction === "next" ? 1 : -1);
    return siblings[place] ?? null;
  }

  start() {
    return 0;
  }

  end(id) {
    let node = this.nodes.get(id);
    while (node?.children.length) node = this.nodes.get(node.children[0]);
    return node?.id ?? null;
  }

  // Show where one is in the tree.
  draw(current) {
    this.way = this.path(current);
    this.scrollTo(this.nodes.get(current));
    this.paint();
  }

  // Draw what is in view and a little around it.
  paint() {
    const view = this.view();
    const nodes = [...this.nodes.values()];
    this.paintDots(nodes.filter((node) => touches(view, node, node)));
    this.branches.setAttribute("d", this.branchesIn(view, nodes));
    this.branchesOfWay.setAttribute("d", this.branchesIn(view, this.way.map((id) => this.nodes.get(id)).filter(Boolean)));
  }

  // Return the depths and lanes that are drawn; none while the tree is not on the page.
  view() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.element;
    const depth = (pixels) => (pixels - EDGE) / STEP_X, lane = (pixels) => (pixels - EDGE) / STEP_Y;
    return {
      left: depth(scrollLeft - AROUND * clientWidth), right: depth(scrollLeft + (1 + AROUND) * clientWidth),
      top: lane(scrollTop - AROUND * clientHeight), bottom: lane(scrollTop + (1 + AROUND) * clientHeight),
    };
  }

  // Those that look as before stay: one that is replaced while it is pressed loses the click.
  paintDots(nodes) {
    const wanted = new Map(nodes.map((node) => [look(node), node]));
    for (const [name, dot] of this.dots) {
      if (wanted.has(name)) continue;
      dot.remove();
      this.dots.delete(name);
    }
    const way = new Set(this.way);
    for (const [name, node] of wanted) {
      if (!this.dots.has(name)) this.dots.set(name, this.picture.appendChild(this.dot(node)));
      const { classList } = this.dots.get(name);
      classList.toggle("on", way.has(node.id));
      classList.toggle("current", node.id === this.way.at(-1));
    }
  }

  // Return the lines to those of the nodes whose line can be seen, each once: where many go down from
  // one node, most are the same within the view.
  branchesIn(view, nodes) {
    const lines = new Set();
    for (const node of nodes) {
      const above = this.nodes.get(node.parent);
      if (above && touches(view, above, node)) lines.add(branch(above, node, Math.ceil(view.bottom) + 1));
    }
    return [...lines].join("");
  }

  dot(node) {
    return svg("g", { class: `node ${node.colour ?? "root"}`, "data-node": node.id, onclick: () => this.onChoose(node.id) },
      svg("title", {}, node.vertex ? `${node.depth}: ${node.vertex}` : "start"),
      svg("circle", { cx: x(node), cy: y(node), r: RADIUS }),
      node.hasComment ? svg("circle", { cx: x(node) + 6, cy: y(node) - 6, r: 3, class: "noted" }) : null);
  }

  scrollTo(node) {
    const { clientWidth, clientHeight } = this.element;
    if (node) this.element.scrollTo({ left: x(node) - clientWidth / 2, top: y(node) - clientHeight / 2 });
  }
}

// Tell whether the way from a node to itself or to one of its children touches a view.
function touches({ left, right, top, bottom }, from, to) {
  return to.depth >= left && from.depth <= right && to.lane >= top && from.lane <= bottom;
}

// Return everything that a dot shows, as one text.
function look({ id, depth, lane, colour, vertex, hasComment }) {
  return [id, depth, lane, colour, vertex, hasComment].join();
}

// Return the line from a node to its child, or to where it leaves the view for a lane further down.
function branch(above, node, lowest) {
  const end = { depth: node.depth, lane: Math.min(node.lane, lowest) };
  // Down between two columns: never through a dot.
  const bend = end.lane === above.lane ? "" : `L${x(above) + STEP_X / 2} ${y(above) + STEP_Y / 2}V${y(end) - STEP_Y / 2}`;
  return `M${x(above)} ${y(above)}${bend}L${x(end)} ${y(end)}`;
}

function x(node) {
  return EDGE + node.depth * STEP_X;
}

function y(node) {
  return EDGE + node.lane * STEP_Y;
}
