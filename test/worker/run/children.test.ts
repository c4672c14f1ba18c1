// Child runs, maps, waits and code steps through the whole Worker: several Durable Objects, their alarms, the sandbox.

import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { RunObject } from "../../../src/cloudflare/run/run-object.ts"
import { RunStart } from "../../../src/cloudflare/run/run-start.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { HELD_PROVIDER, heldModel } from "../../support/worker/held-model.ts"
import { ended, until } from "../../support/worker/house.ts"
import { nameOf } from "../../support/worker/object-calls.ts"
import { until as untilIt } from "../../support/worker/service-client.ts"

const KEY = { authorization: "Bearer sl_local_dev" }
async function ask<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
  const r = await SELF.fetch(`http://sluice${path}`, {
    method,
    headers: { ...KEY, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await r.text()
  if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${text}`)
  return JSON.parse(text) as T
}

const agent = (name: string, model = "rehearsal/default"): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: ${model}\ntools: write\n---\nDo it. \${{task}}\n`
const flow = (name: string, steps: string, head = "", tail = ""): string => `name: ${name}\ndescription: d\n${head}steps:\n${steps}${tail}`

const SLOW = [{ tool: "finish", args: { status: "complete", summary: "at last" } }]

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/held", HELD_PROVIDER)
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a"), "slow.md": agent("slow", "held/m") },
    flows: {
      "child.yaml": flow(
        "child",
        "  - { id: x, type: agent, agent: a }\n",
        "inputs: { n: { type: number } }\n",
        'outputs: { twice: "${{task}}${{task}}", n: "${{flow.input.n}}" }\n',
      ),
      "slowchild.yaml": flow("slowchild", "  - { id: x, type: agent, agent: slow }\n"),
      "badchild.yaml": flow("badchild", "  - { id: x, type: agent, agent: a }\n"),
      "badchild.rehearsal.yaml": "steps:\n  x:\n    - finish: { status: error, summary: no disk }\n",
      "parent.yaml": flow(
        "parent",
        '  - { id: r, type: flow-ref, flow: child, task: "ab", inputs: { n: "${{config.n}}" } }\n  - { id: z, type: agent, agent: a, task: "${{result.r.twice}}" }\n',
        "config: { n: 7 }\n",
      ),
      "slowparent.yaml": flow("slowparent", "  - { id: r, type: flow-ref, flow: slowchild }\n"),
      "patientparent.yaml": flow("patientparent", "  - { id: r, type: flow-ref, flow: patient }\n"),
      "badparent.yaml": flow("badparent", "  - { id: r, type: flow-ref, flow: badchild }\n"),
      "handled.yaml": flow("handled", "  - { id: r, type: flow-ref, flow: badchild, on_error: z }\n  - { id: z, type: agent, agent: a }\n"),
      "map.yaml": flow(
        "map",
        '  - { id: m, type: map, over: "${{flow.input.list}}", do: child, max_concurrent: 10, task: "${{item}}", inputs: { n: "${{index}}" } }\n',
        "inputs: { list: { type: array, required: true } }\n",
        'outputs: { all: "${{result.m.results}}" }\n',
      ),
      "code.yaml": flow(
        "code",
        '  - { id: c, type: code, inputs: { n: "${{config.n}}" }, outputs: [double] }\n',
        "config: { n: 21 }\n",
        'outputs: { double: "${{result.c.double}}" }\n',
      ),
      "patient.yaml": flow("patient", "  - { id: w, type: wait, signal: go }\n", "", 'outputs: { got: "${{result.w.payload}}" }\n'),
    },
    code: { "code/c.ts": "export default ({ n }: { n: number }) => ({ double: n * 2 })\n" },
  })
})

const start = async (name: string, body: object = {}): Promise<string> =>
  (await ask<{ id: string }>("POST", `/v1/flows/${name}/runs`, { task: "go", ...body })).id
const run = async (name: string, body: object = {}): Promise<RunView> =>
  ask<RunView>("POST", `/v1/flows/${name}/runs`, { task: "go", ...body }, { prefer: "wait=50" })
const runOf = (id: string): Promise<RunView> => ask<RunView>("GET", `/v1/runs/${id}`)
const eventsOf = async (id: string): Promise<RunEvent[]> => (await ask<{ data: RunEvent[] }>("GET", `/v1/runs/${id}/events`)).data
const stub = (id: string) => env.RUN.get(env.RUN.idFromName(`local/${id}`))

describe("children", () => {
  test("[F23] a child has its own journal, is linked both ways, and returns its declared outputs with their types", async () => {
    const parent = await run("parent")
    expect([parent.status, parent.steps["r"]?.outputs]).toEqual(["succeeded", { twice: "abab", n: 7 }])
    const [child = ""] = parent.children
    const seen = await runOf(child)
    expect([seen.flow, seen.status, seen.parent?.run, seen.parent?.step, seen.trigger.kind]).toEqual([
      "child",
      "succeeded",
      parent.id,
      "r",
      "child",
    ])
    expect((await eventsOf(child)).at(-1)?.type).toBe("run.ended")
    expect((await eventsOf(parent.id)).filter((e) => e.type.startsWith("child.")).map((e) => e.type)).toEqual([
      "child.started",
      "child.ended",
    ])
  })

  test("[F23] [F31] a child's failure is a soft failure of the step: with on_error the run continues", async () => {
    expect((await run("badparent")).error).toMatchObject({ step: "r", source: "child_failed", message: expect.stringContaining("no disk") })
    expect((await run("handled")).status).toBe("succeeded")
  })

  test("[F23d] [F34] canceling the parent cancels the child", async () => {
    heldModel(SLOW)
    const id = await start("slowparent")
    const { children } = await until(id, (r) => r.children.length > 0)
    // [J16] Its child works, so nobody need do anything.
    const working = await runOf(id)
    expect([working.status, working.waiting, working.pending]).toEqual(["running", undefined, 0])
    await ask("POST", `/v1/runs/${id}/cancel`, {})
    expect((await until(children[0] ?? "", ended)).status).toBe("canceled")
  })

  test("[F23d] a child still starting when its parent is canceled never works, and is told with as many tries as needed", async () => {
    const gate = Promise.withResolvers<void>()
    let child = ""
    const { start: begin } = RunStart.prototype
    const starts = vi.spyOn(RunStart.prototype, "start").mockImplementation(async function (this: RunStart, request) {
      if (request.parent) {
        child = request.run
        await gate.promise
      }
      return Reflect.apply(begin, this, [request])
    })
    const id = await start("patientparent")
    await untilIt(async () => child !== "", "the start of the child")
    starts.mockRestore()
    let told = 0
    const { ask: askRun } = RunObject.prototype
    const cancel = vi.spyOn(RunObject.prototype, "ask").mockImplementation(async function (this: RunObject, ...call) {
      const isIt = call[0] === "signals" && call[1] === "orphaned" && nameOf(this)?.endsWith(`/${child}`)
      if (isIt && ++told === 1) throw new Error("its object is being moved")
      return Reflect.apply(askRun, this, call)
    })
    await ask("POST", `/v1/runs/${id}/cancel`, {})
    // The orphan is told at once, before it exists, and again.
    await untilIt(async () => told >= 1, "the word to the orphan")
    await runDurableObjectAlarm(stub(id))
    await untilIt(async () => told >= 2, "the word once more")
    gate.resolve()
    await untilIt(async () => (await SELF.fetch(`http://sluice/v1/runs/${child}`, { headers: KEY })).status === 200, "the child")
    cancel.mockRestore()
    expect((await until(child, ended)).status).toBe("canceled")
    expect((await eventsOf(child)).map(({ type }) => type)).toEqual(["run.started", "run.ended"])
  })

  test("[J10] if both objects are evicted while the child works, its alarm continues it and the parent gets its end", async () => {
    const model = heldModel(SLOW)
    const id = await start("slowparent")
    const { children } = await until(id, (r) => r.children.length > 0)
    await untilIt(async () => model.asked > 0, "the call of the model")
    await abortAllDurableObjects()
    await runDurableObjectAlarm(stub(children[0] ?? ""))
    model.held = false
    expect((await until(id, ended)).steps["r"]?.summary).toBe("at last")
    expect((await eventsOf(children[0] ?? "")).filter((e) => e.type === "run.ended")).toHaveLength(1)
  })

  test("[F10] a map of 60 items: one child each, results in the order of the items, and a file of them", async () => {
    const list = Array.from({ length: 60 }, (_, i) => `i${i}`)
    const seen = await run("map", { inputs: { list } })
    expect(seen.status).toBe("succeeded")
    const { all } = seen.output as { all: { index: number; status: string; outputs: { n: number; twice: string } }[] }
    expect(all.map((r) => [r.index, r.status, r.outputs.n, r.outputs.twice])).toEqual(list.map((x, i) => [i, "succeeded", i, x + x]))
    const file = await (await SELF.fetch(`http://sluice/v1/runs/${seen.id}/files/map/m.jsonl`, { headers: KEY })).text()
    expect(file.trim().split("\n")).toHaveLength(60)
  })

  test("[F24] a code step runs its stripped handler in a Dynamic Worker", async () => {
    expect((await run("code")).output).toEqual({ double: 42 })
  })

  test("[J13] a wait survives an eviction; its signal is accepted once, and an ended run accepts none", async () => {
    const id = await start("patient")
    await until(id, (r) => r.waiting?.reason === "signal")
    await evictDurableObject(stub(id))
    await ask("POST", `/v1/runs/${id}/signals/go`, { ok: true })
    expect((await until(id, ended)).output).toEqual({ got: { ok: true } })
    const late = await SELF.fetch(`http://sluice/v1/runs/${id}/signals/go`, {
      method: "POST",
      headers: { ...KEY, "content-type": "application/json" },
      body: "{}",
    })
    expect(late.status).toBe(409)
  })
})
