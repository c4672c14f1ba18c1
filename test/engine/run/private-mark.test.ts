// Private content keeps its mark wherever outside text keeps its own [G11]: through files, children and their parents, and stored full
// outputs. Otherwise a step that only passes it on would bypass the guard.

import { describe, expect, test } from "vitest"
import type { Flow, Step } from "../../../src/core/flow/flow.ts"
import type { Tool } from "../../../src/ports/tool.ts"
import { agent, done, Stand, type Turn } from "../../support/engine/stand.ts"

const tool = (name: string, text: string, more: Partial<Tool>): Tool => ({
  name,
  label: name,
  description: name,
  parameters: { type: "object", properties: {} },
  effect: "read",
  contexts: ["agent"],
  execute: async () => ({ content: [{ type: "text", text }] }),
  ...more,
})
const outside = tool("page", "words from outside", { untrusted: true })
const secret = tool("vault_book", "the account number", { private: true })
const long = tool("long_book", "the account number\n".repeat(5_000), { private: true })

const base = { blockedBy: [], inputs: {} }
const flow = (...steps: Step[]): Flow => ({
  id: "f",
  name: "f",
  description: "d",
  steps,
  inputs: {},
  max_concurrent: 4,
  task_required: false,
  autonomous: true,
  config: { list: ["one"] },
})
const reader: Step = { ...base, id: "z", type: "agent", agent: "b", task: "read", blockedBy: ["a"] }
const AGENTS = [agent("a", "tools: [page, vault_book, long_book, write]\n"), agent("b", "tools: [page, read, read_output]\n")]
const call = (name: string, args: object = {}): Turn => ({ calls: [{ name, args }] })

async function say(s: Stand, step: string, ...turns: Turn[]): Promise<void> {
  for (const turn of turns) {
    await (await s.next(step)).answer(turn)
    await s.settle()
  }
}
const marks = (s: Stand, step: string): unknown => {
  const session = s.conductor.run.steps[step]?.session
  return session && [session.tainted, session.private]
}
const stand = (f: Flow): Stand => new Stand(f, AGENTS, [outside, secret, long])

describe("files", () => {
  const work: Step = { ...base, id: "a", type: "agent", agent: "a", task: "work" }
  test.each([
    ["what a session wrote that had read both", ["page", "vault_book"], [true, true]],
    ["what a session wrote that had read text from outside alone", ["page"], [true, false]],
    ["what a session wrote that had read nothing", [], [false, true]],
  ] as const)("[G11] %s", async (_, read, expected) => {
    const s = stand(flow(work, reader))
    s.start()
    await s.settle()
    await say(s, "a", ...read.map((name) => call(name)), call("write", { path: "notes.md", content: "x" }), done("a"))
    await say(s, "z", call("read", { path: "notes.md" }))
    await s.next("z")
    expect(marks(s, "z")).toEqual(expected)
  })

  test("[G11] a stored full output", async () => {
    const s = stand(flow(work, reader))
    s.start()
    await s.settle()
    await say(s, "a", call("page"), call("long_book"), done("a"))
    const [handle = ""] = s.conductor.run.handles
    expect(handle).not.toBe("")
    await say(s, "z", call("page"))
    expect(marks(s, "z")).toEqual([true, false])
    s.foreign = true
    s.conductor.run.steps["z"]?.tools.push("read_output")
    await say(s, "z", call("read_output", { handle }))
    await s.next("z")
    expect(marks(s, "z")).toEqual([true, true])
  })
})

describe("children", () => {
  test("[G11] a child's input is private if the step that starts the child is", async () => {
    const hand: Step = { ...base, id: "c", type: "flow-ref", flow: "child", task: "${{result.a}}", blockedBy: ["a"] }
    const s = stand(flow({ ...base, id: "a", type: "agent", agent: "a", task: "work" }, hand))
    s.start()
    await s.settle()
    await say(s, "a", call("page"), call("vault_book"), done("a"))
    expect(s.children).toMatchObject([{ tainted: true, private: true }])
  })

  test.each([
    ["flow-ref", { ...base, id: "a", type: "flow-ref", flow: "child" }],
    ["map", { ...base, id: "a", type: "map", over: "${{config.list}}", do: "child", max_concurrent: 1 }],
  ] as const)("[G11] what a child of a %s tells is private when it had read what is", async (type, step) => {
    const s = stand(flow(step, { ...reader, task: "${{result.a}}" }))
    s.start()
    await s.settle()
    s.childEnds("a", 0, { tainted: true, private: true })
    await s.settle()
    await s.next("z")
    expect(marks(s, "z")).toEqual([true, true])
    if (type === "map") expect(s.journal.stat("map/a.jsonl")).toMatchObject({ tainted: true, private: true })
  })
})
