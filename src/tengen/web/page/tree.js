// The tree of variations: one dot a move, the line one is in drawn stronger.

import { el, svg } from "./dom.js";

const STEP_X = 22, STEP_Y = 24, RADIUS = 8, EDGE = 14;
const MOST_DRAWN = 4000;

export class Tree {
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.version = null; // of the tree, as the server numbers them
    this.nodes = new Map();
    this.drawn = null; // the line and the dot of every node, once they are made
    this.marked = []; // those on the way to where one is
    this.picture = svg("svg", { class: "tree", role: "img", "aria-label": "Variations" });
    this.element = el("div", { class: "tree-frame" }, this.picture);
  }

  // Take a whole tree, the nodes as the server lists them: each before its children, first children
  // first.
  take({ version, nodes }) {
    this.nodes = new Map();
    for (const node of nodes) this.add(...node);
    this.version = version;
    this.drawn = null;
    this.layOut();
  }

  // Change the tree as the server has changed its own; return whether it was the same before.
  grow({ since, version, changes }) {
    if (since !== this.version) return false;
    for (const [what, ...about] of changes) this[what](...about);
    this.version = version;
    this.drawn = null;
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

  // Give every node a lane: each line the first one in which its places, and one more at either
  // end, are free.
  //
  // Of the variations of a line the last is laid out first, with all that belongs to it: the way
  // down to an earlier one, which starts further left, crosses little then.
  layOut() {
    const taken = new Set();
    const waiting = [this.start()];
    while (waiting.length) {
      const line = this.line(waiting.pop());
      const above = this.nodes.get(line[0].parent);
      let lane = above ? above.lane + 1 : 0;
      const depths = [line[0].depth - 1, ...line.map((node) => node.depth), line.at(-1).depth + 1];
      while (depths.some((depth) => taken.has(place(depth, lane)))) lane += 1;
      for (const node of line) {
        node.lane = lane;
        taken.add(place(node.depth, lane));
        waiting.push(...node.children.slice(1).reverse());
      }
    }
  }

  // Return the nodes from one on along first children.
  line(id) {
    const line = [this.nodes.get(id)];
    while (line.at(-1).children.length) line.push(this.nodes.get(line.at(-1).children[0]));
    return line;
  }

  path(id) {
    const way = [];
    for (let node = this.nodes.get(id); node; node = this.nodes.get(node.parent)) way.unshift(node.id);
    return way;
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

  // Show the tree and where one is in it; on a step only what has changed is touched.
  draw(current) {
    if (!this.nodes.size) return;
    if (!this.drawn) this.build();
    for (const { line, dot } of this.marked) {
      line?.classList.remove("on");
      dot.classList.remove("on", "current");
    }
    this.marked = this.path(current).map((id) => this.drawn.get(id)).filter(Boolean);
    for (const { line, dot } of this.marked) {
      line?.classList.add("on");
      dot.classList.add("on");
    }
    this.drawn.get(current)?.dot.classList.add("current");
    this.scrollTo(this.nodes.get(current));
  }

  build() {
    const shown = [...this.nodes.values()].slice(0, MOST_DRAWN);
    this.drawn = new Map(shown.map((node) => [node.id, { line: this.branch(node), dot: this.dot(node) }]));
    this.marked = [];
    this.picture.setAttribute("width", 2 * EDGE + Math.max(...shown.map((node) => node.depth)) * STEP_X);
    this.picture.setAttribute("height", 2 * EDGE + Math.max(...shown.map((node) => node.lane)) * STEP_Y);
    const parts = [...this.drawn.values()];
    this.picture.replaceChildren(svg("g", { class: "branches" }, parts.map(({ line }) => line)), ...parts.map(({ dot }) => dot));
  }

  branch(node) {
    const above = this.nodes.get(node.parent);
    if (!above) return null;
    // Down between two columns: never through a dot.
    const bend = node.lane === above.lane ? "" : `L${x(above) + STEP_X / 2} ${y(above) + STEP_Y / 2}V${y(node) - STEP_Y / 2}`;
    return svg("path", { d: `M${x(above)} ${y(above)}${bend}L${x(node)} ${y(node)}` });
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

function place(depth, lane) {
  return `${depth} ${lane}`;
}

function x(node) {
  return EDGE + node.depth * STEP_X;
}

function y(node) {
  return EDGE + node.lane * STEP_Y;
}
