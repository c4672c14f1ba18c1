// Steps that call a tool themselves, without a model and without an agent.

import { describe, expect, test } from "vitest"
import { parseRehearsal, scriptedCalls } from "../../../src/core/case/rehearsal.ts"
import { DEFAULT_RULES } from "../../../src/core/tool/policy/policy.ts"
import type { Tool } from "../../../src/ports/tool.ts"
import { agent, done, flow, Stand } from "../../support/engine/stand.ts"

const said: { name: string; args: unknown }[] = []
const tool = (name: string, more: Partial<Tool> = {}, answer: (args: Record<string, unknown>) => string | Error = () => "done"): Tool => ({
  name,
  description: name,
  parameters: {
    type: "object",
    properties: { ticket: { type: "string" }, amount: { type: "number" }, list: { type: "array" } },
    required: ["ticket"],
    additionalProperties: false,
  },
  effect: "write",
  reach: { to: { host: "shop.example" }, method: { fixed: "POST" } },
  contexts: ["agent"],
  execute: async (_id, args) => {
    said.push({ name, args })
    const text = answer(args as Record<string, unknown>)
    if (text instanceof Error) throw text
    return { content: [{ type: "text", text }] }
  },
  ...more,
})
const GET = { to: { host: "shop.example" }, method: { fixed: "GET" } } as const
const TOOLS = [
  tool("shop.reply"),
  tool("shop.get", { effect: "read", reach: GET, untrusted: true }, ({ ticket }) =>
    JSON.stringify({ order: { id: ticket, items: [{ name: "tea" }], total: 12.5 } }),
  ),
  tool("shop.list", { effect: "read", reach: GET }, ({ amount }) => JSON.stringify("x".repeat(Number(amount) - 2))),
  tool("shop.raves", { effect: "read", reach: GET }, () => new Error("x".repeat(3_000))),
  tool("shop.fails", { effect: "read", reach: GET }, () => new Error("503 from https://shop.example/")),
]

const stand = (steps: string, head = ""): Stand => {
  said.length = 0
  return new Stand(flow(steps, head), [agent("a"), agent("b")], TOOLS)
}
const REPLY = `  - { id: reply, type: tool, tool: shop.reply, args: { ticket: "\${{flow.input.ticket}}", amount: 3 } }\n`
const INPUT = "inputs: { ticket: { type: string } }\n"
const start = (s: Stand, more: object = {}): void => s.start("go", true, { inputs: { ticket: "T1" }, ...more })

/** The message's text without the delimiters around what is from outside. */
const unfenced = (message: object | undefined): string =>
  String(Reflect.get(message ?? {}, "text")).replace(/<\/?untrusted [^>]*>\n?|\n(?=<\/untrusted)/g, "")

describe("a tool step", () => {
  test("[F26] calls its tool with its arguments, without a model, and by the events of an agent's call", async () => {
    const s = stand(REPLY, INPUT)
    start(s)
    await s.settle()
    expect(said).toEqual([{ name: "shop.reply", args: { ticket: "T1", amount: 3 } }])
    expect(s.conductor.run.status).toBe("succeeded")
    expect(s.asked).toEqual([])
    expect(s.types().filter((t) => !t.startsWith("run."))).toEqual([
      "step.opened",
      "action.begun",
      "step.called",
      "tool.called",
      "action.begun",
      "tool.returned",
      "step.finished",
    ])
    expect(s.conductor.run.usage.tool_calls).toBe(1)
  })

  test("[F26] a value that is one reference keeps its JSON type, at any depth; without a value it is left out", async () => {
    const s = stand(
      `  - { id: r, type: tool, tool: shop.reply, args: { ticket: "is \${{flow.input.n}}", amount: "\${{flow.input.n}}", list: [["\${{flow.input.n}}"], "\${{flow.input.l}}", "\${{flow.input.no}}"] } }\n`,
      "inputs: { n: { type: number }, l: { type: array }, no: { type: string } }\n",
    )
    s.start("go", true, { inputs: { n: 7, l: [1, { a: 2 }] } })
    await s.settle()
    expect(said[0]?.args).toEqual({ ticket: "is 7", amount: 7, list: [[7], [1, { a: 2 }]] })
    expect(s.events().filter((e) => e.type === "warning" && e.code === "template_empty")).toHaveLength(1)
  })

  test("[F26] where the tool wants text, an object is its JSON", async () => {
    const s = stand(
      `  - { id: r, type: tool, tool: shop.reply, args: { ticket: "\${{flow.input.o}}" } }\n`,
      "inputs: { o: { type: object } }\n",
    )
    s.start("go", true, { inputs: { o: { a: 1 } } })
    await s.settle()
    expect(said[0]?.args).toEqual({ ticket: '{"a":1}' })
  })

  test("[F26b] its result is data where it is JSON, and text always", async () => {
    const s = stand(
      `  - { id: get, type: tool, tool: shop.get, args: { ticket: T9 } }
  - { id: say, type: agent, agent: a, task: "\${{result.get.data.order.items.0.name}} for \${{result.get.data.order.total}}: \${{result.get.text}}" }
`,
    )
    start(s)
    const asked = await s.next("say")
    // [G11] What the tool said stands between delimiters.
    expect(unfenced(asked.request.messages[0])).toBe('tea for 12.5: {"order":{"id":"T9","items":[{"name":"tea"}],"total":12.5}}')
    expect(s.conductor.run.steps["get"]?.result?.outputs).toEqual({ data: { order: { id: "T9", items: [{ name: "tea" }], total: 12.5 } } })
  })

  test.each([
    ["256 KiB are whole", 256 * 1024, true],
    ["more than 256 KiB are cut, and are no data", 256 * 1024 + 1, false],
  ])("[F26b] of a result, %s", async (_what, amount, isWhole) => {
    const s = stand(`  - { id: get, type: tool, tool: shop.list, args: { ticket: T, amount: ${amount} } }\n`)
    start(s)
    await s.settle()
    const { outputs = {}, text = "" } = s.conductor.run.steps["get"]?.result ?? {}
    expect(Object.keys(outputs)).toEqual([isWhole ? "data" : "text"])
    expect(text.includes("hidden; the whole output")).toBe(!isWhole)
  })

  test("[F26b] a summary has 200 characters of the answer, and a failure says 2,000 characters of the fault", async () => {
    const s = stand(`  - { id: get, type: tool, tool: shop.list, args: { ticket: T, amount: 300 } }
  - { id: rave, type: tool, tool: shop.raves, args: { ticket: T } }
`)
    start(s)
    await s.settle()
    const { get, rave } = s.conductor.run.steps
    expect([get?.result?.summary.length, get?.result?.text?.length]).toEqual([200, 300])
    expect(rave?.result?.summary).toBe(`shop.raves failed: ${"x".repeat(2_000)}`)
  })

  test("[F26b] what the tool answers that is text from outside has no delimiters, and marks the step's result", async () => {
    const s = stand(`  - { id: get, type: tool, tool: shop.get, args: { ticket: T9 } }\n`)
    start(s)
    await s.settle()
    expect(s.conductor.run.steps["get"]?.result?.text).not.toContain("<untrusted")
    expect(s.conductor.run.steps["get"]?.result?.tainted).toBe(true)
  })

  test("[F26b] a tool that fails fails the step, which is tried again by its retry and then taken over by on_error", async () => {
    const s = stand(`  - { id: x, type: tool, tool: shop.fails, args: { ticket: T }, retry: { max: 2, backoff: 1ms }, on_error: z }
  - { id: z, type: agent, agent: a, task: "\${{result.x.summary}}" }
`)
    start(s)
    for (let i = 0; i < 3; i++) {
      await s.settle()
      s.now += 10
      s.conductor.tick()
    }
    const asked = await s.next("z")
    expect(said).toHaveLength(3)
    expect(asked.request.messages[0]).toMatchObject({ text: "shop.fails failed: 503 from https://shop.example/" })
  })

  test("[F26] arguments that do not fit are refused by the guard, and the call is not tried again", async () => {
    const s = stand(
      `  - { id: x, type: tool, tool: shop.reply, args: { ticket: "\${{flow.input.no}}" }, retry: { max: 2, backoff: 1ms } }\n`,
      INPUT,
    )
    start(s)
    await s.settle()
    expect(said).toEqual([])
    expect(s.conductor.run.error).toMatchObject({ step: "x", source: "tool_refused" })
    expect(s.conductor.run.error?.message).toContain("ticket")
  })

  test("[F26c] a write of a tainted run waits for a person, and runs exactly as shown", async () => {
    const s = stand(REPLY, INPUT)
    start(s, { tainted: true })
    await s.settle()
    expect(said).toEqual([])
    const [asked] = Object.values(s.conductor.run.interactions)
    expect(asked).toMatchObject({
      kind: "approval.tool",
      step: "reply",
      status: "pending",
      payload: { reason: "tainted", tool: "shop.reply" },
    })
    s.conductor.tell({ type: "answer", id: asked?.id ?? "", body: { decision: "approve" }, by: "ann" })
    await s.settle()
    expect(said).toEqual([{ name: "shop.reply", args: { ticket: "T1", amount: 3 } }])
    expect(s.conductor.run.status).toBe("succeeded")
  })

  test("[F26b] what a person refuses is not sent; on_error may take over", async () => {
    const s = stand(
      `${REPLY.replace(" }\n", ", retry: { max: 3, backoff: 1ms }, on_error: z }\n")}  - { id: z, type: agent, agent: a, task: "\${{result.reply.summary}}" }\n`,
      INPUT,
    )
    start(s, { tainted: true })
    await s.settle()
    s.conductor.tell({ type: "answer", id: "i1", body: { decision: "reject", feedback: "too much" }, by: "ann" })
    const asked = await s.next("z")
    expect(unfenced(asked.request.messages[0])).toBe("shop.reply was not run: a person refused it: too much\n\ngo")
    expect(s.conductor.run.steps["reply"]?.result).toMatchObject({ status: "blocked", source: "tool_refused" })
    expect(said).toEqual([])
  })

  test("[F26c] effects.after_untrusted: allow says that its arguments may come from outside", async () => {
    const s = stand(REPLY.replace(" }\n", ", effects: { after_untrusted: allow } }\n"), INPUT)
    start(s, { tainted: true })
    await s.settle()
    expect(said).toHaveLength(1)
  })

  test("[F26c] only what comes from outside marks it: an untainted run's step that quotes no marked result asks nobody", async () => {
    const s = stand(
      `  - { id: get, type: tool, tool: shop.get, args: { ticket: T9 } }\n${REPLY}  - { id: again, type: tool, tool: shop.reply, args: { ticket: "\${{result.get.data.order.id}}" } }\n`,
      INPUT,
    )
    start(s)
    await s.settle()
    expect(said.map(({ name }) => name)).toEqual(["shop.get", "shop.reply"])
    expect(s.conductor.run.pending).toHaveLength(1)
    expect(s.conductor.run.interactions["i1"]).toMatchObject({ step: "again", payload: { reason: "tainted" } })
  })

  test("[F26] the policy of now decides, and a tool that it takes away is refused", async () => {
    const s = stand(REPLY, INPUT)
    s.rules = {
      ...DEFAULT_RULES,
      version: 2,
      policy: { ...DEFAULT_RULES.policy, tools: { ...DEFAULT_RULES.policy.tools, deny: ["shop.*"] } },
    }
    start(s)
    await s.settle()
    expect(said).toEqual([])
    expect(s.conductor.run.error).toMatchObject({ source: "tool_refused" })
    expect(s.conductor.run.error?.message).toBe("Tool 'shop.reply' is not allowed by tool policy any more (deny shop.*).")
  })

  test("[F26] a staged run keeps the call, and a commit at the end sends it", async () => {
    const s = stand(REPLY, INPUT)
    start(s, { effects: "staged" })
    await s.settle()
    expect(said).toEqual([])
    expect(s.conductor.run.steps["reply"]?.status).toBe("complete")
    const [asked] = Object.values(s.conductor.run.interactions)
    expect(asked?.kind).toBe("effects")
    s.conductor.tell({ type: "answer", id: asked?.id ?? "", body: { answer: { commit: "all" } }, by: "ann" })
    await s.settle()
    expect(said).toHaveLength(1)
    expect(s.conductor.run.status).toBe("succeeded")
  })

  test("[F26] tool_calls of a budget count it, and a person is asked before it passes the limit", async () => {
    const s = stand(`${REPLY}${REPLY.replace("id: reply", "id: more")}`, `${INPUT}budget: { tool_calls: 1 }\n`)
    start(s, { budget: { tool_calls: 1 } })
    await s.settle()
    expect(said).toHaveLength(1)
    expect(s.conductor.run.interactions["i1"]).toMatchObject({ kind: "budget", step: "more" })
    s.conductor.tell({ type: "answer", id: "i1", body: { answer: { raise: { tool_calls: 5 } } }, by: "ann" })
    await s.settle()
    expect([said.length, s.conductor.run.status]).toEqual([2, "succeeded"])
  })

  test("[F26] nobody can say anything to it, and nobody can reply in its place", async () => {
    const s = stand(REPLY, INPUT)
    start(s, { tainted: true })
    await s.settle()
    expect(s.conductor.tell({ type: "steer", step: "reply", id: "x", message: "other", by: "ann" })).toMatchObject({
      ok: false,
      error: { code: "not_running" },
    })
  })
})

describe("a tool step and a crash", () => {
  test("[F26] at every event: the call was made once, or what it did is not known and it is not made again", async () => {
    const whole = stand(`${REPLY}  - { id: z, type: agent, agent: a, task: t }\n`, INPUT)
    start(whole)
    await (await whole.next("z")).answer(done())
    const events = whole.events().length
    for (let at = 1; at < events; at++) {
      const s = stand(
        `${REPLY}  - { id: z, type: agent, agent: a, task: t, on_error: z2 }\n  - { id: z2, type: agent, agent: a, task: t }\n`,
        INPUT,
      )
      start(s)
      for (let i = 0; i < 200 && s.events().length < at; i++) await new Promise<void>((r) => setImmediate(r))
      s.crash()
      await s.settle()
      const state = s.conductor.run.steps["reply"]?.result
      const isUnknown = state?.source === "tool_uncertain"
      expect(said.length, `after ${at}`).toBeLessThanOrEqual(1)
      expect(said.length === 1 || isUnknown, `after ${at}: ${JSON.stringify(state)}`).toBe(true)
    }
  })
})

describe("a rehearsed tool step", () => {
  /** The run as its script plays it, and what its calls were answered. */
  const rehearse = async (steps: string, script: string, more: object = {}): Promise<[Stand, unknown[]]> => {
    const s = stand(steps, INPUT)
    const { rehearsal } = parseRehearsal(script)
    if (rehearsal === undefined) throw new Error("the script is not valid")
    s.scripted = (step, pass) => scriptedCalls(rehearsal.steps.get(step) ?? [], pass)
    start(s, { rehearsed: true, ...more })
    for (let i = 0; i < 3; i++) {
      await s.settle()
      s.now += 10
      s.conductor.tick()
    }
    const told = s.events().flatMap((e) => (e.type === "tool.returned" ? [[e.step, e.isError, ...e.content]] : []))
    return [s, told]
  }

  test("[F26d] the script's calls of the step say the results, in order, and nothing is sent", async () => {
    const [s, told] = await rehearse(
      `  - { id: x, type: tool, tool: shop.reply, args: { ticket: T }, retry: { max: 1, backoff: 1ms } }\n`,
      `steps:
  x:
    - { calls: [{ tool: shop.reply, args: {}, result: { error: it is closed } }], last: true }
    - { calls: [{ tool: shop.reply, args: {}, result: { open: 7 } }], last: true }
`,
    )
    expect(said).toEqual([])
    expect(told).toEqual([
      ["x", true, { type: "text", text: "it is closed" }],
      ["x", false, { type: "text", text: '{"open":7}' }],
    ])
    expect(s.conductor.run.steps["x"]?.result?.outputs).toEqual({ data: { open: 7 } })
  })

  test("[F26d] a call that the script does not name is not sent", async () => {
    const [s, told] = await rehearse(REPLY, "steps: { reply: [{ calls: [{ tool: shop.get, args: {}, result: no }] }] }\n")
    expect(said).toEqual([])
    expect(told).toEqual([["reply", false, { type: "text", text: "Rehearsed: shop.reply" }]])
    expect(s.conductor.run.status).toBe("succeeded")
  })

  test("[F26d] one that stays in the run is made", async () => {
    const [s, told] = await rehearse(`  - { id: note, type: tool, tool: write, args: { path: n.md, content: hello } }\n`, "steps: {}\n")
    expect([s.conductor.run.status, told]).toEqual(["succeeded", [["note", false, { type: "text", text: "created n.md (5 bytes)" }]]])
  })

  test("[F26d] one that the run keeps is kept, whatever the script says of others", async () => {
    const [s, told] = await rehearse(REPLY, "steps: {}\n", { effects: "staged" })
    expect(said).toEqual([])
    expect(told).not.toEqual([["reply", false, { type: "text", text: "Rehearsed: shop.reply" }]])
    expect(Object.values(s.conductor.run.interactions).map(({ kind }) => kind)).toEqual(["effects"])
  })
})
