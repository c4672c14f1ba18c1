// The terminal view: events of a fixture in, lines for a person out.

import { stripVTControlCharacters } from "node:util"
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { parseFrame } from "../../local/frame.ts"
import { addEvent, newOutline } from "../../src/core/run/views/read-outline.ts"
import { stepTree, usageLine } from "../../cli/step-tree.ts"
import { showDelta, showEvent, type Look } from "../../local/show-run.ts"
import type { Frame } from "../../src/client/frame.ts"

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/terminal/${name}`, import.meta.url), "utf8")
const frames: readonly Frame[] = fixture("run.jsonl")
  .trim()
  .split("\n")
  .map((line) => parseFrame(line))
  .filter((frame) => frame !== undefined)

function show(list: readonly Frame[], look: Look): string {
  const outline = newOutline()
  const lines = list.flatMap((frame) => {
    if ("seq" in frame) addEvent(outline, frame)
    return showEvent(frame, outline, look)
  })
  return lines.map((line) => `${line}\n`).join("")
}

const escapes = (text: string): string[] => text.match(/(?![\t\n])\p{Cc}(\[\d*[a-zA-Z]?)?/gu) ?? []

describe("a run in the terminal", () => {
  test("[E1] every frame of the fixture is valid for the stream", () => {
    expect(frames).toHaveLength(fixture("run.jsonl").trim().split("\n").length)
  })

  test("[E1] in a pipe it is plain text, line by line", () => {
    expect(show(frames, { columns: 100, color: false })).toBe(fixture("run.txt"))
  })

  test("[E1] a terminal adds only colors", () => {
    const colored = show(frames, { columns: 100, color: true })
    expect(new Set(escapes(colored))).toEqual(
      new Set(["\u001b[0m", "\u001b[1m", "\u001b[2m", "\u001b[31m", "\u001b[32m", "\u001b[33m", "\u001b[35m", "\u001b[36m"]),
    )
    expect(stripVTControlCharacters(colored)).toBe(fixture("run.txt"))
  })

  test("[E1] its steps are a tree with turns, passes and costs", () => {
    const outline = newOutline()
    for (const frame of frames) if ("seq" in frame) addEvent(outline, frame)
    expect([...stepTree(outline), usageLine(outline)]).toMatchInlineSnapshot(`
      [
        "",
        "  ├ ✓ classify          issue-classifier  2 turns, 30 tokens, price unknown",
        "  ├ ✗ reproduce         issue-reproducer  2 passes",
        "  ├ ✓ review            reproduction-reviewer",
        "  └ - scope_the_wishes  ",
        "  30 tokens, price unknown",
      ]
    `)
  })

  test("[E1] no control character of a flow, a model or a tool reaches the terminal", () => {
    const hostile = "\u001b]0;title\u0007\u001b[31mred\r\u009b2J\u202eback\u0000"
    const swapped = frames.map(
      (frame): Frame =>
        parseFrame(JSON.stringify(frame, (key, value: unknown) => (KEPT.has(key) || typeof value !== "string" ? value : hostile))) ?? frame,
    )
    expect(swapped).not.toEqual(frames)
    const text = show(swapped, { columns: 100, color: false })
    expect(text).toContain("back")
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u)
  })

  test("[E2] streaming text is one line that fits", () => {
    const delta = frames.find((frame) => frame.type === "model.delta")
    if (delta?.type !== "model.delta") throw new Error("the fixture has no delta")
    expect(showDelta(delta, { columns: 80, color: false })).toBe("        classify       … Let me read")
    const long = showDelta({ ...delta, text: "word ".repeat(100) }, { columns: 80, color: false })
    expect(long.length).toBeLessThanOrEqual(80)
    expect(long).not.toContain("\n")
  })

  test("[E1] an event of a later version is skipped", () => {
    expect(parseFrame('{"seq":1,"at":0,"v":9,"prev":"","type":"moon.risen"}')).toBeUndefined()
    expect(parseFrame("not json")).toBeUndefined()
  })
})

/** Fields that determine an event's shape and so stay unchanged. */
const KEPT = new Set(["type", "status", "source", "code", "kind", "by", "prev", "stopReason"])
