import { describe, expect, test } from "vitest"
import { callLine, renderCall, renderResult, type RenderMap } from "../../../src/core/tool/render.ts"

const text = (value: string) => [{ type: "text" as const, text: value }]

describe("a call, for people", () => {
  test("[T7] label, main argument, options: the same input gives the same bytes", () => {
    const view = () => renderCall({ name: "grep", label: "Search" }, { pattern: "todo", path: "src", limit: 5 })
    expect(view()).toEqual({
      label: "Search",
      mainArg: "src",
      options: [
        ["pattern", "todo"],
        ["limit", "5"],
      ],
      longArgs: [],
    })
    expect(JSON.stringify(view())).toBe(JSON.stringify(view()))
    expect(callLine(view())).toBe("Search src pattern=todo limit=5")
  })

  test("[T7] a map names action and main argument, and hides the listed arguments", () => {
    const render: RenderMap = { call: { label: "Issues", action: "op", main: "title", hide: ["token"] } }
    expect(callLine(renderCall({ name: "issues", render }, { op: "create", title: "Crash", token: "t", team: "core" }))).toBe(
      "Issues create Crash team=core",
    )
  })

  test("[T7] a query of 200 characters, and any text of several lines, is shown below the line", () => {
    const view = renderCall({ name: "web.search" }, { query: "x".repeat(200), limit: 3, note: "a\nb" })
    expect(view.mainArg).toBeUndefined()
    expect(view.options).toEqual([["limit", "3"]])
    expect(view.longArgs).toEqual([
      ["query", "x".repeat(200)],
      ["note", "a\nb"],
    ])
  })

  test("[T7] a tool without label is shown by its name, with any arguments", () => {
    expect(renderCall({ name: "odd" }, {})).toEqual({ label: "odd", options: [], longArgs: [] })
    expect(callLine(renderCall({ name: "odd" }, { a: null, b: [1], __proto__: 1 }))).toBe("odd a=null b=[1]")
  })
})

describe("a result, for people", () => {
  const render: RenderMap = {
    result: { summary: "{matches} matches in {where.files} files", items: "hits", item: "{path}:{line}", footer: "next: {next}" },
  }
  const details = {
    matches: 12,
    where: { files: 3 },
    hits: Array.from({ length: 12 }, (_, i) => ({ path: "a.ts", line: i })),
    next: "page 2",
  }

  test("[T7] of twelve items five are shown, and all when expanded", () => {
    const compact = renderResult({ name: "grep", render }, { content: text("…"), details })
    expect(compact).toEqual({
      state: "success",
      summary: "12 matches in 3 files",
      items: ["a.ts:0", "a.ts:1", "a.ts:2", "a.ts:3", "a.ts:4"],
      omitted: 7,
      footer: "next: page 2",
    })
    const whole = renderResult({ name: "grep", render }, { content: text("…"), details }, { expanded: true })
    expect(whole.items).toHaveLength(12)
    expect(whole.omitted).toBeUndefined()
  })

  test("[T7] a partial result is running, whatever the map says, and stays short", () => {
    expect(renderResult({ name: "grep", render }, { content: text("one\ntwo"), details }, { isPartial: true })).toEqual({
      state: "running",
      summary: "two",
    })
    expect(renderResult({ name: "grep" }, { content: [] }, { isPartial: true }).summary).toBe("…")
  })

  test("[T7] an error with empty details shows its text", () => {
    expect(renderResult({ name: "grep", render }, { content: text("no such file"), details: {}, isError: true })).toEqual({
      state: "error",
      summary: "no such file",
    })
  })

  test("[T7] without a map that fits the details, the first line of the text is shown", () => {
    for (const odd of [undefined, null, [], { matches: null }, { hits: "no list" }, "text"])
      expect(renderResult({ name: "grep", render }, { content: text("first\nsecond"), details: odd })).toEqual({
        state: "success",
        summary: "first",
      })
    expect(renderResult({ name: "x" }, { content: [] }).summary).toBe("done")
  })

  test("[T7] a renderer that throws does not break the view", () => {
    const trap: RenderMap = {
      get result(): never {
        throw new Error("broken")
      },
    }
    expect(() => renderResult({ name: "x", render: trap }, { content: text("fine"), details: {} })).not.toThrow()
    expect(renderResult({ name: "x", render: trap }, { content: text("fine"), details: {} })).toEqual({ state: "success", summary: "fine" })
  })
})
