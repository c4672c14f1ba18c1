// Renders Markdown as elements with text nodes. A link shows its address, so its text cannot claim another one.

import { h, type Child } from "./draw.ts"
import { blocksOf, type Block, type Span } from "./markdown.ts"

export const markdownView = (text: string): HTMLElement[] => blocksOf(text).map(blockView)

function blockView(block: Block): HTMLElement {
  switch (block.is) {
    case "paragraph":
      return h("p", {}, ...block.spans.map(spanView))
    case "quote":
      return h("blockquote", {}, ...block.spans.map(spanView))
    case "heading":
      // The message itself is under a heading of the third level.
      return h(block.level < 3 ? "h4" : "h5", {}, ...block.spans.map(spanView))
    case "code":
      return h("pre", { class: "code", tabindex: "0" }, block.text)
    case "rule":
      return h("hr")
    case "table": {
      const row = (kind: "td" | "th", cells: readonly (readonly Span[])[]): HTMLElement =>
        h("tr", {}, ...cells.map((cell, at) => h(kind, block.atEnd[at] === true ? { class: "num" } : {}, ...cell.map(spanView))))
      const body = h("tbody", {}, ...block.rows.map((cells) => row("td", cells)))
      // It may be wider than the screen: the keyboard scrolls it.
      return h(
        "div",
        { class: "md-t", tabindex: "0", role: "region", "aria-label": "Table" },
        h("table", {}, h("thead", {}, row("th", block.heads)), body),
      )
    }
    case "list": {
      const items = block.items.map((spans) => h("li", {}, ...spans.map(spanView)))
      return block.ordered ? h("ol", { start: String(block.start) }, ...items) : h("ul", {}, ...items)
    }
  }
}

function spanView(span: Span): Child {
  switch (span.is) {
    case "text":
      return span.text
    case "code":
      return h("code", {}, span.text)
    case "strong":
    case "em":
      return h(span.is, {}, ...span.spans.map(spanView))
    case "link": {
      const link = h("a", { href: span.url, target: "_blank", rel: "noopener noreferrer nofollow" }, span.text)
      return span.text === span.url || `${span.text}/` === span.url
        ? link
        : h("span", {}, link, " ", h("span", { class: "to" }, `(${span.url})`))
    }
  }
}
