// [M3] A scripted call with a result: judged as always, answered from the script, and never run.

import { describe, expect, test } from "vitest"
import { parseRehearsal } from "../../../../src/core/case/rehearsal.ts"
import type { FactOf } from "../../../../src/core/run/event.ts"
import { rehearsalModel } from "../../../../src/models/rehearsed/rehearsal.ts"
import { text, type Tool } from "../../../../src/ports/tool.ts"
import { Stand } from "../../../support/engine/stand.ts"

const FLOW = "flow: f\nname: f\ndescription: d\nsteps:\n  - id: a\n    type: agent\n    agent: w\n    task: go\n"
const AGENT = "---\nname: w\ndescription: d\ntools: [read, write, send, look]\nmodel: m/m\n---\nWork."

async function played(turns: string) {
  const ran: string[] = []
  const tool = (name: string, more: Partial<Tool>): Tool => ({
    name,
    description: name,
    effect: "none",
    parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    contexts: ["agent"],
    async execute() {
      ran.push(name)
      return text("it ran")
    },
    ...more,
  })
  const stand = new Stand(FLOW, [AGENT], [tool("send", { effect: "write" }), tool("look", { untrusted: true })])
  const { rehearsal, diagnostics } = parseRehearsal(`steps:\n  a:\n${turns}    - finish: { status: complete, summary: done }\n`)
  expect(diagnostics).toEqual([])
  stand.models = () => rehearsalModel(rehearsal)
  stand.start()
  await expect.poll(() => stand.journal.read(0, 500).at(-1)?.type).toBe("run.ended")
  const events = stand.journal.read(0, 500)
  const of = <T extends "tool.called" | "tool.returned" | "tool.refused" | "action.begun">(type: T) =>
    events.filter((e) => e.type === type) as unknown as FactOf<T>[]
  return { ran, events, of, stand }
}

describe("a call with a result", () => {
  test("[M3] the tool does not run, no action begins, and the model reads the result", async () => {
    const { ran, of } = await played(`    - calls: [ { tool: send, args: { to: bob }, result: { sent: true } } ]\n`)
    expect(ran).toEqual([])
    expect(of("action.begun").filter((e) => e.kind === "tool")).toEqual([])
    expect(of("tool.called")).toMatchObject([{ tool: "send", args: { to: "bob" } }])
    expect(of("tool.returned")).toMatchObject([{ tool: "send", isError: false, content: [{ type: "text", text: '{"sent":true}' }] }])
  })

  test("[M3] it is judged as always: arguments that do not fit and a tool that was not granted are refused", async () => {
    const { ran, of } = await played(
      `    - calls: [ { tool: send, args: {}, result: ok }, { tool: bash, args: { command: ls }, result: ok }, { tool: look, args: { to: x }, result: { error: gone } } ]\n`,
    )
    expect(ran).toEqual([])
    expect(of("tool.refused").map(({ tool, code }) => [tool, code])).toEqual([
      ["send", "invalid_args"],
      ["bash", "undeclared"],
    ])
    expect(of("tool.returned")).toMatchObject([{ tool: "look", isError: true, tainted: true }])
  })

  test("[G11] a result of a tool that answers text from outside stands between delimiters and taints", async () => {
    const { of } = await played(
      `    - calls: [ { tool: look, args: { to: x }, result: page } ]\n    - calls: [ { tool: read, args: { path: x }, result: mine, untrusted: true, private: true } ]\n`,
    )
    const [look, read] = of("tool.returned")
    expect(look?.content).toMatchObject([{ text: expect.stringMatching(/^<untrusted id="[0-9a-f]+" source="look">\npage\n/) }])
    expect([look?.tainted, read?.tainted, read?.private]).toEqual([true, true, true])
  })

  test("[J22] results keep the order of the calls, whether their tools run or not", async () => {
    const { ran, of } = await played(
      `    - calls: [ { tool: write, args: { path: x, content: "1" } }, { tool: send, args: { to: a }, result: given }, { tool: read, args: { path: x } }, { tool: send, args: { to: b } } ]\n`,
    )
    expect(ran).toEqual(["send"])
    expect(of("tool.returned").map(({ tool, content }) => [tool, content[0]?.type === "text" ? content[0].text.slice(0, 6) : ""])).toEqual([
      ["write", expect.any(String)],
      ["send", "given"],
      ["read", expect.any(String)],
      ["send", "it ran"],
    ])
  })

  test("[G9] the same call with the same result again and again is stuck", async () => {
    const { events } = await played(`    - calls: [ { tool: send, args: { to: bob }, result: no } ]\n`.repeat(6))
    expect(events.find((e) => e.type === "step.finished")).toMatchObject({ source: "agent_stuck" })
  })

  test("[T5] a long result is cut, and its whole is kept", async () => {
    const { of, stand } = await played(`    - calls: [ { tool: send, args: { to: bob }, result: "${"x".repeat(120_000)}" } ]\n`)
    const [result] = of("tool.returned")
    expect(result?.truncated?.totalBytes).toBe(120_000)
    expect(await stand.blobs.get(result?.truncated?.handle ?? "")).toHaveLength(120_000)
  })
})
