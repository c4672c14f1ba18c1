// [V35] A trial whose calls its recording answers: what is equal is answered and not sent, in its turn; what is not is made if it reads, and kept
// if it writes.

import { beforeEach, expect, test } from "vitest"
import { RecordedAnswers } from "../../../src/core/experiment/recorded-answers.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { Rules } from "../../../src/core/tool/policy/policy.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import { TrialRecording } from "../../../src/engine/run/call/trial-recording.ts"
import type { Tool } from "../../../src/ports/tool.ts"
import { agent, done, flow, Stand } from "../../support/engine/stand.ts"

/** Calls that were made, in order. */
let made: string[] = []
beforeEach(() => void (made = []))

const tool = (name: string, effect: ToolSpec["effect"], more: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  parameters: { type: "object", properties: { q: { type: "string" } }, additionalProperties: false },
  effect,
  contexts: ["agent"],
  async execute(_id, { q }) {
    made.push(`${name} ${String(q)}`)
    return { content: [{ type: "text", text: `${name} ${String(q)}: ${made.length}` }], details: { n: made.length } }
  },
  ...more,
})
const TOOLS = [
  tool("look", "read", { reach: { method: { fixed: "GET" }, to: { host: "api.example" } } }),
  tool("post", "write", { reach: { method: { fixed: "POST" }, to: { host: "api.example" } } }),
  tool("think", "read"),
]
const HEAD = "tools: [look, post, think]\ntool_approvals: { default: never }\n"
const ONE = flow("  - { id: a, type: agent, agent: w }\n")

type Call = [name: string, q: string]

/** `turns`: the calls of each reply. */
async function played(turns: readonly Call[][], { recording, rules, of = ONE }: Played = {}): Promise<Stand> {
  const stand = new Stand(of, [agent("w", HEAD)], TOOLS)
  if (rules) stand.rules = { ...stand.rules, ...rules }
  if (recording) {
    const read = new TrialRecording(new RecordedAnswers(recording))
    stand.recording = async () => read
  }
  const trial = recording
    ? { trial: { experiment: "exp", row: "row", variant: "b", repeat: 1, recording: "run_a" }, effects: "dry" as const }
    : {}
  stand.start("go", true, { rules: JSON.parse(JSON.stringify(stand.rules)), ...trial })
  for (const calls of turns) {
    await (await stand.next("a")).answer({ calls: calls.map(([name, q]) => ({ name, args: { q } })) })
    await stand.settle()
  }
  await (await stand.next("a")).answer(done())
  await stand.settle()
  expect(stand.conductor.run.status).toBe("succeeded")
  return stand
}
interface Played {
  readonly recording?: readonly RunEvent[]
  readonly rules?: Partial<Rules>
  readonly of?: string
}

const told = (stand: Stand): string[] =>
  stand.events().flatMap((e) => {
    if (e.type === "tool.refused") return [`${e.tool} refused: ${e.code}`]
    if (e.type !== "tool.returned" || e.tool === "finish") return []
    return [`${e.content.map((part) => (part.type === "text" ? part.text : "")).join("")}${e.staged ? " (kept)" : ""}`]
  })

test("[V35] equal calls are answered as recorded, writes too, the n-th with the n-th, and nothing is sent", async () => {
  const before = await played([
    [["look", "x"]],
    [
      ["post", "y"],
      ["look", "x"],
    ],
  ])
  expect(told(before)).toEqual(["look x: 1", "post y: 2", "look x: 3"])
  made = []
  const trial = await played(
    [
      [
        ["look", "x"],
        ["look", "x"],
      ],
      [["post", "y"]],
    ],
    { recording: before.events() },
  )
  expect([told(trial), made]).toEqual([["look x: 1", "look x: 3", "post y: 2"], []])
  expect(
    trial
      .events()
      .filter((e) => e.type === "tool.returned")
      .map((e) => e.details),
  ).toMatchObject([{ n: 1 }, { n: 3 }, { n: 2 }])
  expect(trial.conductor.run.outside.kept).toEqual([])
})

test("[V35] another read is made, another write is kept, and what stays in the run is made again", async () => {
  const before = await played([
    [
      ["look", "x"],
      ["post", "y"],
      ["think", "z"],
    ],
  ])
  made = []
  const trial = await played([[["look", "other"]], [["post", "other"]], [["think", "z"]], [["look", "x"]], [["look", "x"]]], {
    recording: before.events(),
  })
  expect(made).toEqual(["look other", "think z", "look x"])
  expect(told(trial)).toEqual(["look other: 1", expect.stringMatching(/dry run.*\(kept\)$/s), "think z: 2", "look x: 1", "look x: 3"])
})

test("[V35] a call is judged as always before the recording answers it", async () => {
  const before = await played([[["look", "x"]]])
  const { policy } = before.rules
  const trial = await played([[["look", "x"]]], {
    recording: before.events(),
    rules: { policy: { ...policy, denylist: [...policy.denylist, { tool: "look", args: "x", reason: "never x" }] } },
  })
  expect(told(trial)).toEqual(["look refused: denylist"])
})

test("[V35] after a crash the answers go on where they were", async () => {
  const before = await played([[["look", "x"]], [["look", "x"]]])
  const stand = new Stand(ONE, [agent("w", HEAD)], TOOLS)
  const recording = async (): Promise<TrialRecording> => new TrialRecording(new RecordedAnswers(before.events()))
  stand.recording = recording
  made = []
  stand.start("go", true, {
    rules: JSON.parse(JSON.stringify(stand.rules)),
    trial: { experiment: "exp", row: "row", variant: "b", repeat: 1, recording: "run_a" },
    effects: "dry",
  })
  await (await stand.next("a")).answer({ calls: [{ name: "look", args: { q: "x" } }] })
  await stand.settle()
  stand.crash()
  await (await stand.next("a")).answer({ calls: [{ name: "look", args: { q: "x" } }] })
  await stand.settle()
  expect([told(stand), made]).toEqual([["look x: 1", "look x: 2"], []])
})

const OWN = flow(`  - { id: a, type: agent, agent: w }
  - { id: t, type: tool, tool: look, args: { q: x }, blockedBy: [a] }
  - { id: p, type: tool, tool: post, args: { q: "${"${{result.t}}"}" }, blockedBy: [t] }
`)

test("[V35] a step that calls a tool itself is answered as recorded, too", async () => {
  const before = await played([], { of: OWN })
  made = []
  const trial = await played([], { of: OWN, recording: before.events() })
  expect([told(trial), made]).toEqual([told(before), []])
  expect(trial.conductor.run.steps["t"]?.result).toEqual(before.conductor.run.steps["t"]?.result)
})
