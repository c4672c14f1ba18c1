// [K7] Which steps a fork defines otherwise than its source.

import { describe, expect, test } from "vitest"
import { changedSteps, type Defined } from "../../../../src/core/run/fork/changed-steps.ts"
import type { Pins } from "../../../../src/core/run/event-parts.ts"
import { compile } from "../../../../src/core/run/plan.ts"
import { parseFlow } from "../../../../src/core/language/parse-flow.ts"

const FLOW = `name: f
description: d
steps:
  - { id: look, type: agent, agent: reader }
  - { id: count, type: code, blockedBy: look, outputs: [n] }
  - { id: child, type: flow-ref, flow: other, blockedBy: count }
  - { id: tell, type: agent, agent: writer, blockedBy: child }
`
const PINS: Pins = {
  revision: 1,
  flow: { id: "f", hash: "h" },
  agents: { reader: "r1", writer: "w1" },
  skills: { style: { "SKILL.md": "s1" } },
  models: { reader: "p/m", "writer@tell": "p/m" },
  flows: { other: "o1" },
  code: { "code/f/count.js": "c1" },
}

function defined(pins: Partial<Pins> = {}, text = FLOW): Defined {
  const { flow } = parseFlow(text, "f")
  if (!flow) throw new Error("the flow is not read")
  const agents = { reader: { skills: [] }, writer: { skills: ["style"] } }
  return { plan: compile({ flow, agents: agents as never, skills: {}, tools: [] }), pins: { ...PINS, ...pins } }
}

describe("changed steps", () => {
  test.each<[string, Partial<Pins>, string, readonly string[]]>([
    ["nothing", { revision: 2, flow: { id: "f", hash: "other bytes" } }, FLOW, []],
    ["an agent", { agents: { reader: "r2", writer: "w1" } }, FLOW, ["look"]],
    ["a skill", { skills: { style: { "SKILL.md": "s2" } } }, FLOW, ["tell"]],
    ["a model of one step", { models: { reader: "p/m", "writer@tell": "p/other" } }, FLOW, ["tell"]],
    ["a handler", { code: { "code/f/count.js": "c2" } }, FLOW, ["count"]],
    ["a flow of children", { flows: { other: "o2" } }, FLOW, ["child"]],
    ["a step itself", {}, FLOW.replace("outputs: [n]", "outputs: [m]"), ["count"]],
    ["a comment and an empty line", {}, `# said\n\n${FLOW}`, []],
    ["a step that is gone", {}, FLOW.replace(/ {2}- \{ id: tell.*\n/, ""), ["tell"]],
    ["a new step", {}, `${FLOW}  - { id: more, type: agent, agent: reader, blockedBy: tell }\n`, ["more"]],
  ])("[K7] %s", (_, pins, text, changed) => {
    expect(changedSteps(defined(), defined(pins, text))).toEqual(changed)
  })
})
