// A team in the shell [C41, T42]: what a run pins for the agents that it may call, and how their answers are used.

import { describe, expect, test } from "vitest"
import type { TeamAnswer } from "../../../src/ports/tool.ts"
import { childPins } from "../../../src/engine/run/begin/child-pins.ts"
import { decode } from "../../../src/engine/catalog/catalog-bodies.ts"
import type { Calling } from "../../../src/engine/run/call/calling.ts"
import { subagentFlow } from "../../../src/engine/catalog/pin/subagent-flow.ts"
import { agent as file, flow as flowFile, step, stocked } from "../../support/engine/memory-catalog.ts"
import { agent, done, flow, Stand, until } from "../../support/engine/stand.ts"

describe("what a run pins", () => {
  const bundle = {
    agents: {
      "lead.md": file("lead", "role: coordinator\nroutes: [mate, other]\n"),
      "mate.md": file("mate", "tools: read\nskills: s\n"),
      "other.md": file("other", "toolkits: agents\nroutes: [third]\n"),
      "third.md": file("third"),
      "nobody.md": file("nobody"),
    },
    skills: { "s/SKILL.md": "---\nname: s\ndescription: d\n---\nX\n" },
    flows: { "f.yaml": flowFile("f", step("x", "lead")) },
  }

  test("[T42] the agents of its routes and of their routes: agents, skills, models, and a one-agent flow for each", async () => {
    const w = await stocked(bundle)
    const result = await w.catalog.pins.pin({ flow: "f" }, { providers: [], roles: {} }, { rehearse: true })
    if (!result.ok) throw new Error(JSON.stringify(result))
    const { pins } = result
    expect(Object.keys(pins.agents).toSorted()).toEqual(["lead", "mate", "other", "third"])
    expect(Object.keys(pins.skills)).toEqual(["s"])
    expect(Object.keys(pins.models).toSorted()).toEqual(["lead", "mate", "other", "third"])
    expect(Object.keys(pins.flows ?? {}).toSorted()).toEqual(["@subagent/mate", "@subagent/other", "@subagent/third"])
    const body = await w.blobs.get(pins.flows?.["@subagent/mate"] ?? "")
    const mate = (await w.catalog.agents()).find((row) => row.name === "mate")
    expect(mate?.tools).toContain("read")
    expect(body && decode(body)).toContain('agent: "mate"')
    expect(childPins(pins, "@subagent/mate")).toMatchObject({ flow: { id: "@subagent/mate" }, models: { mate: pins.models["mate"] } })
    expect(childPins(pins, "@subagent/nobody")).toBeUndefined()
  })

  test("[T42] an agent that is gone from the routes stops the start", async () => {
    const w = await stocked(bundle)
    await w.catalog.remove("agent", "third")
    const result = await w.catalog.pins.pin({ flow: "f" }, { providers: [], roles: {} }, { rehearse: true })
    expect(result).toMatchObject({ ok: false, code: "unknown_agent" })
  })
})

const LEAD = [agent("lead", "role: coordinator\nroutes: [mate]\n"), agent("mate"), agent("stranger")]
const REPORT = { status: "succeeded", summary: "found it", files: [], outputs: {} } as const

function stand(
  answer: (calling: Calling, agent: string) => TeamAnswer | Promise<TeamAnswer>,
  more = {},
): { stand: Stand; called: string[] } {
  const s = new Stand(flow("  - { id: a, type: agent, agent: lead }\n"), LEAD)
  const called: string[] = []
  s.lend = (calling) => ({
    team: {
      list: () => calling.routes.map(({ name, description }) => ({ name, description })),
      async call(name, prompt) {
        called.push(`${name}: ${prompt}`)
        return answer(calling, name)
      },
    },
  })
  s.start("go", true, more)
  return { stand: s, called }
}
const wants = (name: string) => ({ calls: [{ name: "call_agent", args: { agent: name, prompt: "look" } }] })
const returned = (s: Stand) => s.events().flatMap((e) => (e.type === "tool.returned" ? [e] : []))

describe("call_agent", () => {
  test("[K30] [K32] the run that it starts has the mode of its caller, whose question has what that run keeps", async () => {
    const kept = { key: "a/1/0/tool/c0", run: "run_mate", step: "a", pass: 1, callId: "c0", tool: "send", args: { to: "bob" } }
    const modes: string[] = []
    const { stand: s } = stand(
      (calling) => {
        modes.push(calling.effects)
        calling.started({ run: "run_mate", effects: [kept] })
        return { ok: true, run: "run_mate", report: REPORT }
      },
      { effects: "staged" },
    )
    await (await s.next("a")).answer(wants("mate"))
    await s.settle()
    await (await s.next("a")).answer(done())
    const asked = Object.values(s.conductor.run.interactions).map((i) => [i.kind, i.payload["effects"]])
    const { callId: _, ...shown } = kept
    expect([modes, asked]).toEqual([["staged"], [["effects", [shown]]]])
    expect(s.conductor.run.outside.below).toEqual(["run_mate"])
  })

  test("[T42] a call outside its routes is refused with the agents that it may call", async () => {
    const { stand: s, called } = stand(() => ({ ok: true, run: "r", report: REPORT }))
    await (await s.next("a")).answer(wants("stranger"))
    await s.settle()
    expect(called).toEqual([])
    expect(returned(s)).toMatchObject([{ isError: true, content: [{ text: 'you may not call the agent "stranger"; you may call: mate' }] }])
  })

  test("[T42] the answer is the other agent's finish, with its run and usage", async () => {
    const usage = { tokens: 7, usd: null, tool_calls: 1, steps: 1 }
    const { stand: s, called } = stand((calling) => {
      expect(calling).toMatchObject({
        run: "run_x",
        root: "run_x",
        depth: 0,
        key: "a/1/0/tool/c0",
        routes: [{ name: "mate" }],
        tainted: false,
      })
      calling.started({ run: "r", usage })
      return { ok: true, run: "r", report: { ...REPORT, usage } }
    })
    await (await s.next("a")).answer(wants("mate"))
    await s.settle()
    expect(called).toEqual(["mate: look"])
    expect(returned(s)).toMatchObject([{ isError: false, content: [{ text: "found it" }], child: { run: "r", usage } }])
    expect(returned(s)[0]?.tainted).toBeUndefined()
    await (await s.next("a")).answer(done())
    expect(s.conductor.run).toMatchObject({ status: "succeeded", children: ["r"], usage: { children: 7 } })
  })

  test("[G11] outside text that another agent read marks the caller, even in a failure", async () => {
    for (const status of ["succeeded", "failed"] as const) {
      const { stand: s } = stand((calling) => {
        calling.started({ run: "r" }, { tainted: true, private: true })
        return { ok: true, run: "r", report: { ...REPORT, status, tainted: true } }
      })
      await (await s.next("a")).answer(wants("mate"))
      await s.settle()
      expect([status, returned(s)]).toMatchObject([status, [{ isError: status === "failed", tainted: true }]])
      expect(s.conductor.run.steps["a"]?.session).toMatchObject({ tainted: true, private: true })
    }
  })

  test("[T42] a call under way in a crash of its caller is made again under the same key", async () => {
    const keys: string[] = []
    const { stand: s } = stand((calling) => {
      keys.push(calling.key)
      return keys.length === 1 ? new Promise(() => {}) : { ok: true, run: "r", report: REPORT }
    })
    await (await s.next("a")).answer(wants("mate"))
    await until(
      () => keys.length > 0,
      () => "nobody was called",
    )
    s.crash()
    await s.settle()
    expect(keys).toEqual(["a/1/0/tool/c0", "a/1/0/tool/c0"])
    expect(returned(s)).toMatchObject([{ isError: false }])
  })
})

test("[T42] the one-agent flow takes the prompt as its task", () => {
  const mate = {
    name: "mate",
    description: "d",
    tools: { kind: "list", names: [] },
    skills: [],
    inputs: [],
    outputs: [],
    access: {},
    finalizer: "finish",
    max_turns: 1,
    body: "",
  } as const
  expect(subagentFlow(mate).flow).toMatchObject({ id: "@subagent/mate", steps: [{ task: "${{task}}", session: "${{session}}" }] })
})
