// Creates elements without parsing markup: every text is a text node, and attributes are set only by this code.

export type Child = Node | string | undefined
export type Attributes = Readonly<Record<string, string | boolean | undefined>>

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag)
  attribute(node, attributes)
  node.append(...children.filter((child) => child !== undefined))
  return node
}

/** Sets an attribute: `true` sets it without a value; `false` and undefined remove it. */
export function attribute(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes))
    if (value === undefined || value === false) node.removeAttribute(name)
    else node.setAttribute(name, value === true ? "" : value)
}

/** Replaces the text only if it differs, so that a selection in it survives. */
export function say(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text
}

/** Puts the nodes into the element in this order, and moves only nodes that are out of place. */
export function place(parent: Element, nodes: readonly Node[]): void {
  const wanted = new Set(nodes)
  for (const node of Array.from(parent.childNodes)) if (!wanted.has(node)) node.remove()
  for (const [i, node] of nodes.entries()) if (parent.childNodes[i] !== node) parent.insertBefore(node, parent.childNodes[i] ?? null)
}

export function button(label: string, kind: string, act: () => void, more: Attributes = {}): HTMLButtonElement {
  const node = h("button", { type: "button", class: `btn ${kind}`.trim(), ...more }, label)
  node.addEventListener("click", act)
  return node
}

/** A button that shows only an icon. */
export function iconButton(name: IconName, label: string, kind: string, act: () => void): HTMLButtonElement {
  const node = button("", kind, act, { "aria-label": label, title: label })
  node.append(icon(name))
  return node
}

const SVG = "http://www.w3.org/2000/svg"
const LINE = { fill: "none", stroke: "currentColor", "stroke-width": "1.5", "stroke-linecap": "round", "stroke-linejoin": "round" }
const HOLE = { fill: "none", stroke: "var(--surface)", "stroke-width": "1.6", "stroke-linecap": "round", "stroke-linejoin": "round" }
const FULL = { fill: "currentColor" }

type Stroke = readonly [Attributes, string]
const SHIELD: Stroke = [LINE, "M8 1.8 13 3.6v3.9c0 3.1-2 5.4-5 6.7-3-1.3-5-3.6-5-6.7V3.6Z"]

/** Marks of 16 by 16. */
const ICONS = {
  right: [[LINE, "m6.2 4 4 4-4 4"]],
  plus: [[LINE, "M8 3v10M3 8h10"]],
  x: [[LINE, "m4 4 8 8M12 4l-8 8"]],
  stop: [[LINE, "M4.500 3.500h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1Z"]],
  send: [[LINE, "M8 13V3.500M4 7.300 8 3.300l4 4"]],
  chat: [[LINE, "M2.300 3.500h11.400v7.500H7.200L4.300 13.600V11h-2ZM5 6h6M5 8.400h4"]],
  thumb: [
    [
      LINE,
      "M5 7.200 7.700 2.500c1 0 1.600.7 1.400 1.700L8.700 6.500h3.500c.9 0 1.500.8 1.300 1.600l-1 4.300c-.1.600-.7 1.100-1.300 1.100H5ZM2.500 7.200H5v6.300H2.500Z",
    ],
  ],
  shield: [SHIELD],
  refused: [SHIELD, [LINE, "m6.200 6.200 3.600 3.600M9.800 6.200 6.200 9.800"]],
  waiting: [
    [FULL, "M8 .9 15.100 8 8 15.100.9 8Z"],
    [HOLE, "M6.300 6.500c0-1 .75-1.650 1.700-1.650s1.700.65 1.700 1.600c0 1.150-1.700 1.250-1.700 2.350M8 10.900v.1"],
  ],
  running: [
    [{ ...LINE, "stroke-opacity": ".3", "stroke-width": "1.8" }, "M8 2.250a5.750 5.750 0 1 1 0 11.500a5.750 5.750 0 1 1 0-11.500Z"],
    [{ ...LINE, "stroke-width": "2" }, "M8 2.250A5.750 5.750 0 0 1 13.750 8"],
    [FULL, "M8 6.100a1.900 1.900 0 1 1 0 3.800a1.900 1.900 0 1 1 0-3.800Z"],
  ],
  complete: [
    [FULL, "M8 1.500a6.500 6.500 0 1 1 0 13a6.500 6.500 0 1 1 0-13Z"],
    [HOLE, "m5.100 8.200 2 2 3.800-4.200"],
  ],
  error: [
    [FULL, "M5.200 1.200h5.600l4 4v5.600l-4 4H5.200l-4-4V5.200Z"],
    [HOLE, "m5.700 5.700 4.600 4.600M10.300 5.700l-4.600 4.600"],
  ],
} as const satisfies Readonly<Record<string, readonly Stroke[]>>

export type IconName = keyof typeof ICONS

export function icon(name: IconName, kind = "i"): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg")
  attribute(svg, { class: kind, viewBox: "0 0 16 16", "aria-hidden": "true" })
  for (const [attributes, d] of ICONS[name]) {
    const path = document.createElementNS(SVG, "path")
    attribute(path, { ...attributes, d })
    svg.append(path)
  }
  return svg
}
