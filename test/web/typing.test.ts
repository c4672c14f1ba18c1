import { describe, expect, it } from "vitest"
import { isTyping, type Holder } from "../../web/typing.ts"

const element = (localName: string, attributes: Readonly<Record<string, string>> = {}): Holder => ({
  localName,
  getAttribute: (name) => attributes[name] ?? null,
})

/** Like a shadow root, the document and the window: they have no name and no attributes. */
const AROUND = [element("div"), element("main"), element("body"), element("html"), { nodeType: 9 }, {}]

const pressed = (path: readonly unknown[], isComposing = false) => ({ isComposing, composedPath: () => [...path, ...AROUND] })

const SHADOW = { nodeType: 11, host: {} }

describe("a pressed key", () => {
  it.each<readonly [string, readonly unknown[]]>([
    ["a field", [element("input")]],
    ["a field of a kind", [element("input", { type: "search" })]],
    ["a field whose kind is written in capitals", [element("input", { type: "EMAIL" })]],
    ["a field of a kind that browsers do not know", [element("input", { type: "words" })]],
    ["a text area", [element("textarea")]],
    ["a list to choose from", [element("select")]],
    ["an option in one", [element("option"), element("select")]],
    ["an editable element", [element("p", { contenteditable: "true" })]],
    ["an editable element, said without a value", [element("p", { contenteditable: "" })]],
    ["an editable element of plain text", [element("p", { contenteditable: "plaintext-only" })]],
    ["a part of one", [element("b"), element("p", { contenteditable: "true" })]],
    ["a part of one that cannot be edited", [element("button", { contenteditable: "false" }), element("p", { contenteditable: "true" })]],
    ["an element that says it is a field", [element("div", { role: "textbox" })]],
    ["a row of an open list", [element("div", { role: "option" }), element("div", { role: "listbox" })]],
    ["a row of an open menu", [element("div", { role: "menuitem" }), element("div", { role: "menu" })]],
    ["an editor in a shadow root", [element("div", { contenteditable: "true" }), element("div"), SHADOW, element("div")]],
    ["a field in two shadow roots", [element("textarea"), SHADOW, element("a-chat"), SHADOW, element("a-page")]],
  ])("in %s is part of a text", (_, path) => {
    expect(isTyping(pressed(path))).toBe(true)
  })

  it.each<readonly [string, readonly unknown[]]>([
    ["the page", []],
    ["a button", [element("button")]],
    ["a link in a shadow root", [element("a", { href: "#" }), SHADOW, element("div")]],
    ["a slider", [element("input", { type: "range" })]],
    ["a box to tick", [element("input", { type: "checkbox" })]],
    ["what cannot be edited", [element("p", { contenteditable: "false" })]],
    ["a list of rows", [element("tr", { role: "row" })]],
  ])("on %s is a key of the page", (_, path) => {
    expect(isTyping(pressed(path))).toBe(false)
  })

  it("while an input method puts a word together is part of a text", () => {
    expect(isTyping(pressed([element("div")], true))).toBe(true)
  })
})
