// What a pass asks [R38]: each part changes its digest, and what differs between two equal passes does not.

import fc from "fast-check"
import { expect, test } from "vitest"
import { canonical, type Json, type JsonObject } from "../../../../src/core/json.ts"
import { askedBy } from "../../../../src/core/run/cached/asked.ts"
import { apply } from "../../../../src/core/run/apply.ts"
import type { Fact, RunEvent } from "../../../../src/core/run/event.ts"
import { newRun } from "../../../../src/core/run/state.ts"
import { agentOf, flowOf, planOf, tool } from "../../../support/kernel/builders.ts"

/** All that the digest depends on, and nothing else: each leaf is one part. */
const WORLD = {
  flow: "f",
  step: "a",
  agent: "w",
  hashes: { agent: "1", skill: "2", tool: "3", handler: "4", file: "5", shown: "6" },
  unseen: "7",
  builtin: { description: "reads", argument: "path" },
  models: { first: "x/one", fallback: "x/two" },
  opened: { task: "Look.", body: "You look.", preamble: "Before.", input: "i", question: "Q?", apart: "from outside", value: "v" },
  granted: "look",
  branch: "yes",
  handler: { task: "the run's task", output: "o" },
  rehearsal: { hash: "8", is: true },
} as const satisfies JsonObject

type World = typeof WORLD
const paths = (value: Json, path: readonly string[] = []): string[][] =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, inner]) => paths(inner, [...path, key]))
    : [[...path]]

function changed(value: Json, [key, ...rest]: readonly string[], by: string): Json {
  if (key === undefined) return typeof value === "boolean" ? !value : `${String(value)}${by}`
  const inner = value as JsonObject
  return { ...inner, [key]: changed(inner[key] ?? null, rest, by) }
}

/** What two steps of this world ask: one with an agent, one with a handler. */
function askedIn(w: World, noise: { at: number; run: string; pass: number; tainted: boolean }): string {
  const branches = [{ label: w.branch, target: "z" }]
  const parts = { inputs: {}, blockedBy: [] }
  const flow = flowOf([
    { ...parts, id: w.step, type: "agent-decision", agent: w.agent, branches, cache: 60_000 },
    { ...parts, id: "c", type: "code", outputs: [w.handler.output], cache: 60_000 },
    { ...parts, id: "z", type: "agent", agent: w.agent },
  ])
  const specs = [
    tool(w.granted, "read", {
      description: w.builtin.description,
      parameters: { type: "object", properties: { [w.builtin.argument]: {} } },
    }),
    tool("registered", "read"),
  ]
  const plan = planOf({ ...flow, id: w.flow }, [{ ...agentOf(w.agent), skills: ["s"] }], specs)
  const journal: RunEvent[] = []
  const run = newRun(plan)
  const take = (fact: Fact): void => {
    const e = { seq: journal.length + 1, at: noise.at + journal.length, v: 1, prev: `${noise.run}${journal.length}`, ...fact } as RunEvent
    journal.push(e)
    apply(run, e)
  }
  take({
    type: "run.started",
    run: noise.run,
    flow: w.flow,
    task: w.handler.task,
    inputs: {},
    autonomous: true,
    rehearsed: w.rehearsal.is,
    trigger: { kind: "api" },
    pinned: {
      revision: noise.at,
      flow: { id: w.flow, hash: noise.run },
      agents: { [w.agent]: w.hashes.agent },
      skills: { s: { "SKILL.md": w.hashes.skill } },
      models: { [w.agent]: w.models.first },
      fallbacks: { [w.agent]: [w.models.fallback] },
      tools: { registered: w.hashes.tool },
      code: { [`code/${w.flow}/c.js`]: w.hashes.handler },
      rehearsal: w.rehearsal.hash,
    },
  })
  const { task, body, preamble, question } = w.opened
  take({
    type: "step.opened",
    step: w.step,
    stepType: "agent-decision",
    agent: w.agent,
    pass: noise.pass,
    model: w.models.first,
    tools: [w.granted, "registered", "finish"],
    task,
    body,
    preamble,
    question,
    inputs: { i: w.opened.input },
    apart: [{ name: "task", text: w.opened.apart }],
    ...(noise.tainted ? { tainted: true } : {}),
  })
  const shown = { path: "p.png", hash: w.hashes.shown, type: "image/png" as const, size: 1, tokens: 1 }
  take({
    type: "context.read",
    step: w.step,
    text: `between delimiters ${noise.run}`,
    files: [{ path: "c.md", hash: w.hashes.file, size: 1 }],
    attached: [shown],
    unseen: [{ path: "u.png", why: w.unseen }],
  })
  take({ type: "step.opened", step: "c", stepType: "code", pass: noise.pass, tools: [], values: { v: w.opened.value } })
  const pick = (seqs: readonly number[]): RunEvent[] => seqs.flatMap((seq) => journal[seq - 1] ?? [])
  return canonical([askedBy(run, w.step, { pick }), askedBy(run, "c", { pick })])
}

const QUIET = { at: 1, run: "run_1", pass: 1, tainted: false }

test("[R38] 200 random changes of one part: no two ask the same", () => {
  const before = askedIn(WORLD, QUIET)
  const seen = new Set<string>()
  fc.assert(
    fc.property(fc.constantFrom(...paths(WORLD)), fc.stringMatching(/^[a-z0-9]{1,8}$/), (path, by) => {
      seen.add(path.join("."))
      expect(askedIn(changed(WORLD, path, by) as World, QUIET), path.join(".")).not.toBe(before)
    }),
    { numRuns: 200 },
  )
  expect(seen.size).toBeGreaterThan(paths(WORLD).length / 2)
})

test("[R38] time, ids, delimiters and marks are no part of it; the number of the pass is one of a rehearsal alone", () => {
  const real = { ...WORLD, rehearsal: { hash: "8", is: false } } as unknown as World
  const other = { at: 99, run: "run_2", pass: 2, tainted: true }
  expect(askedIn(real, other)).toBe(askedIn(real, QUIET))
  expect(askedIn(WORLD, { ...QUIET, pass: 2 })).not.toBe(askedIn(WORLD, QUIET))
})
