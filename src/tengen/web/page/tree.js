// The tree of variations: one dot a move, the line one is in drawn stronger.

import { el, svg } from "./dom.js";

const STEP_X = 22, STEP_Y = 24, RADIUS = 8;
const MOST_DRAWN = 4000;

export class Tree {
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.nodes = new Map();
    this.picture = svg("svg", { class: "tree", role: "img", "aria-label": "Variations" });
    this.element = el("div", { class: "tree-frame" }, this.picture);
  }

  // Take the nodes as the server lists them: each before its children, first children first.
  take(listed) {
    this.nodes = new Map();
    let lowest = -1;
    for (const [id, parent, colour, vertex, hasComment] of listed) {
      const above = this.nodes.get(parent);
      const isFirst = !above || above.children.length === 0;
      const node = { id, parent, colour, vertex, hasComment, children: [], depth: above ? above.depth + 1 : 0 };
      if (above) above.children.push(id);
      node.lane = isFirst && above ? above.lane : ++lowest;
      this.nodes.set(id, node);
    }
  }

  path(id) {
    const way = [];
    for (let node = this.nodes.get(id); node; node = this.nodes.get(node.parent)) way.unshift(node.id);
    return way;
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

  draw(current) {
    const here = new Set(this.path(current));
    const x = (node) => 14 + node.depth * STEP_X, y = (node) => 14 + node.lane * STEP_Y;
    const lines = [], dots = [];
    const drawn = [...this.nodes.values()].slice(0, MOST_DRAWN);
    for (const node of drawn) {
      const above = this.nodes.get(node.parent);
      const kind = here.has(node.id) ? "on" : "";
      if (above) {
        const bend = node.lane === above.lane ? "" : `V${y(node) - STEP_Y / 2}L${x(above) + STEP_X / 2} ${y(node)}`;
        lines.push(svg("path", { d: `M${x(above)} ${y(above)}${bend}L${x(node)} ${y(node)}`, class: kind }));
      }
      dots.push(svg("g", { class: `node ${node.colour ?? "root"} ${kind} ${node.id === current ? "current" : ""}`, "data-node": node.id, onclick: () => this.onChoose(node.id) },
        svg("title", {}, node.vertex ? `${node.depth}: ${node.vertex}` : "start"),
        svg("circle", { cx: x(node), cy: y(node), r: RADIUS }),
        node.hasComment ? svg("circle", { cx: x(node) + 6, cy: y(node) - 6, r: 3, class: "noted" }) : null));
    }
    const width = 28 + Math.max(0, ...drawn.map((node) => node.depth)) * STEP_X;
    const height = 28 + Math.max(0, ...drawn.map((node) => node.lane)) * STEP_Y;
    this.picture.setAttribute("width", width);
    this.picture.setAttribute("height", height);
    this.picture.replaceChildren(svg("g", { class: "branches" }, lines), ...dots);
    const node = this.nodes.get(current);
    if (node) this.element.scrollTo({ left: x(node) - this.element.clientWidth / 2, top: y(node) - this.element.clientHeight / 2 });
  }
}
