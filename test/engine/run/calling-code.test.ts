// Handlers of code steps that call tools: each run begins anew, with the answers so far.

import { describe, expect, test } from "vitest"
import type { Tool } from "../../../src/ports/tool.ts"
import type { SandboxRequest, SandboxResult } from "../../../src/ports/sandbox.ts"
import { flow, Stand } from "../../support/engine/stand.ts"

const said: { name: string; args: unknown }[] = []
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false },
  effect: "write",
  reach: { to: { host: "shop.example" }, method: { fixed: "POST" } },
  contexts: ["agent"],
  execute: async (_id, args) => {
    said.push({ name, args })
    return { content: [{ type: "text", text: JSON.stringify({ got: args["n"] }) }] }
  },
  ...more,
})
const TOOLS = [tool("pay"), tool("look", { effect: "read", reach: { to: { host: "shop.example" }, method: { fixed: "GET" } } })]
const STEP = `  - { id: c, type: code, tools: [pay, look], outputs: [sum], inputs: { from: "\${{task}}" } }\n`
const stand = (steps = STEP, head = ""): Stand => {
  said.length = 0
  return new Stand(flow(steps, head), [], TOOLS)
}

/** A handler that calls these one after the other, and returns what it was answered. */
const calling =
  (...calls: readonly (readonly [tool: string, n: number])[]) =>
  ({ calls: known = [] }: SandboxRequest): SandboxResult => {
    const next = calls[known.length]
    if (next) return { ok: null, calls: [{ tool: next[0], args: { n: next[1] } }], logs: [] }
    const got = known.map(({ answer }) => (answer.ok ? answer.data : answer.state))
    return { ok: true, value: { sum: got as never }, logs: ["done"] }
  }

describe("a handler that calls tools", () => {
  test("[F27] it is run again from its beginning with each answer, and its calls go through the guard", async () => {
    const s = stand()
    s.handlers.set("c", calling(["look", 1], ["pay", 2]))
    s.start()
    await s.settle()
    expect(said).toEqual([
      { name: "look", args: { n: 1 } },
      { name: "pay", args: { n: 2 } },
    ])
    expect(s.conductor.run.steps["c"]?.result?.outputs).toEqual({ sum: [{ got: 1 }, { got: 2 }] })
    expect(s.types().filter((t) => t === "code.logged")).toHaveLength(1)
    expect(s.events().flatMap((e) => (e.type === "action.begun" && e.kind === "code" ? [e.key] : []))).toEqual([
      "c/1/0/code",
      "c/1/1/code",
      "c/1/2/code",
    ])
  })

  test("[F27] a tool that the step does not name is refused, and the handler reads why", async () => {
    const s = stand(STEP.replace("pay, ", ""))
    s.handlers.set("c", calling(["pay", 1]))
    s.start()
    await s.settle()
    expect(said).toEqual([])
    expect(s.conductor.run.steps["c"]?.result?.outputs).toEqual({ sum: ["refused"] })
  })

  test("[F27] a call that waits for a person ends the handler, and the answer runs it again", async () => {
    const s = stand()
    s.handlers.set("c", calling(["look", 1], ["pay", 2]))
    s.start("go", true, { tainted: true })
    await s.settle()
    expect([s.conductor.run.status, s.conductor.busy]).toEqual(["waiting", false])
    s.crash()
    await s.settle()
    s.conductor.tell({ type: "answer", id: "i1", body: { decision: "approve" }, by: "ann" })
    await s.settle()
    expect(said.map(({ name }) => name)).toEqual(["look", "pay"])
    expect(s.conductor.run.status).toBe("succeeded")
  })

  test("[F27] the time in which a person is asked does not count for the step's timeout", async () => {
    const s = stand(STEP.replace("type: code", "type: code, timeout: 1m"))
    s.handlers.set("c", calling(["pay", 2]))
    s.start("go", true, { tainted: true })
    await s.settle()
    s.now += 3_600_000
    s.conductor.tick()
    s.conductor.tell({ type: "answer", id: "i1", body: { decision: "approve" }, by: "ann" })
    await s.settle()
    expect(s.conductor.run.status).toBe("succeeded")
  })

  test("[F27] effects.after_untrusted: allow says that its inputs may come from outside", async () => {
    const s = stand(STEP.replace("outputs:", "effects: { after_untrusted: allow }, outputs:"))
    s.handlers.set("c", calling(["pay", 2]))
    s.start("go", true, { tainted: true })
    await s.settle()
    expect(said).toHaveLength(1)
  })

  test("[F27] another call in a recorded one's place fails the step as code_diverged", async () => {
    const s = stand()
    s.handlers.set("c", ({ calls = [] }) =>
      calls.length === 0
        ? { ok: null, calls: [{ tool: "look", args: { n: 1 } }], logs: [] }
        : { ok: false, kind: "diverged", message: "call 1 of the handler is pay {}, and before it was look {}", logs: [] },
    )
    s.start()
    await s.settle()
    expect(s.conductor.run.error).toMatchObject({ step: "c", source: "code_diverged" })
  })

  test.each([
    ["50 calls are made", 50, "succeeded"],
    ["a 51st call fails the step", 51, "failed"],
  ])("[F27] of a handler's calls, %s", async (_what, most, status) => {
    const s = stand()
    s.handlers.set("c", ({ calls = [] }) =>
      calls.length === 0
        ? { ok: null, calls: Array.from({ length: most }, (_, n) => ({ tool: "look", args: { n } })), logs: [] }
        : { ok: true, value: { sum: calls.length }, logs: [] },
    )
    s.start()
    await s.settle()
    expect(s.conductor.run.status).toBe(status)
    expect(said).toHaveLength(status === "succeeded" ? 50 : 0)
  })

  test("[F27] a staged run keeps its calls, and a budget counts them", async () => {
    const s = stand()
    s.handlers.set("c", calling(["look", 1], ["pay", 2]))
    s.start("go", true, { effects: "staged" })
    await s.settle()
    expect(said.map(({ name }) => name)).toEqual(["look"])
    expect(s.conductor.run.outside.kept).toHaveLength(1)
    expect(s.conductor.run.usage.tool_calls).toBe(2)
  })

  test("[F27] without tools a step is as before: no session, and no calls in its request", async () => {
    const s = stand(STEP.replace("tools: [pay, look], ", ""))
    let asked: SandboxRequest | undefined
    s.handlers.set("c", (request) => {
      asked = request
      return { ok: true, value: { sum: 1 }, logs: [] }
    })
    s.start()
    await s.settle()
    expect(asked && "calls" in asked).toBe(false)
    expect(s.events().find((e) => e.type === "step.opened")).not.toHaveProperty("calls")
  })
})

describe("a handler that calls tools, and a crash", () => {
  test("[F27] at every event: each effect is made once, or what it did is not known", async () => {
    const whole = stand()
    whole.handlers.set("c", calling(["pay", 1], ["look", 2], ["pay", 3]))
    whole.start()
    await whole.settle()
    const events = whole.events().length
    for (let at = 1; at < events; at++) {
      const s = stand()
      s.handlers.set("c", calling(["pay", 1], ["look", 2], ["pay", 3]))
      s.start()
      for (let i = 0; i < 300 && s.events().length < at; i++) await new Promise<void>((r) => setImmediate(r))
      s.crash()
      await s.settle()
      const sum = s.conductor.run.steps["c"]?.result?.outputs["sum"]
      for (const [i, n] of [1, 3].entries()) {
        const times = said.filter((one) => one.name === "pay" && JSON.stringify(one.args) === JSON.stringify({ n })).length
        const isUnknown = Array.isArray(sum) && sum[i * 2] === "uncertain"
        expect(times <= 1 && (times === 1 || isUnknown), `after ${at}: pay ${n} ${times} times, ${JSON.stringify(sum)}`).toBe(true)
      }
      expect(s.conductor.run.status, `after ${at}`).toBe("succeeded")
    }
  })
})
