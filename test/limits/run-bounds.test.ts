// Bounds of a run's own texts and of who follows it: results of children, summaries, breaks in a row, signed states.

import { afterEach, describe, expect, test, vi } from "vitest"
import { follow } from "../../src/client/follow.ts"
import type { Flow } from "../../src/core/flow/flow.ts"
import type { JsonObject } from "../../src/core/json.ts"
import { inlined } from "../../src/core/tool/openapi-schema.ts"
import { readHead } from "../../src/engine/import/loose-head.ts"
import { readTar, writeTar } from "../../src/engine/import/tar.ts"
import { plansOf } from "../../src/engine/run/plans.ts"
import { readQuestion, readSession, signQuestion, signSession } from "../../src/mcp/signed-state.ts"
import { eventsOf } from "../../src/mcp/watch-run.ts"
import { agent as worker, flow, step, stocked } from "../support/engine/memory-catalog.ts"
import { agent, Stand } from "../support/engine/stand.ts"
import { setUp } from "../support/http/ask.ts"

const many = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n))
afterEach(() => void vi.useRealTimers())

const base = { blockedBy: [], inputs: {} }
const flowOf = (steps: Flow["steps"], items = 0): Flow => ({
  id: "f",
  name: "f",
  description: "d",
  steps,
  inputs: {},
  max_concurrent: 4,
  task_required: false,
  autonomous: true,
  config: { list: many(items, (n) => n) },
})

describe("children", () => {
  test("[F23] a child's outputs of more than 262,144 characters stay in the child", async () => {
    const ended = async (chars: number) => {
      const s = new Stand(flowOf([{ ...base, id: "r", type: "flow-ref", flow: "other", task: "t" }]), [])
      s.start()
      await s.settle()
      s.childEnds("r", 0, { outputs: { a: "x".repeat(chars - 8) } })
      const [end] = s.events().filter((e) => e.type === "child.ended")
      return [Object.keys(end?.outputs ?? {}).length, s.events().some((e) => e.type === "warning" && e.code === "child_output")]
    }
    expect(await ended(262_144)).toEqual([1, false])
    expect(await ended(262_145)).toEqual([0, true])
  })

  async function mapped(items: number, chars: number): Promise<Stand> {
    const s = new Stand(
      flowOf([{ ...base, id: "m", type: "map", over: "${{config.list}}", do: "child", max_concurrent: items }], items),
      [],
    )
    s.start()
    for (let n = 0; n < items; n++) {
      await s.settle()
      s.childEnds("m", n, { outputs: { a: "x".repeat(chars) } })
    }
    await s.settle()
    return s
  }

  test("[F23] a map's results of more than 1,048,576 characters are in a file only", async () => {
    const outputs = async (chars: number) =>
      (await mapped(4, chars)).events().flatMap((e) => (e.type === "step.finished" ? Object.keys(e.outputs ?? {}) : []))
    expect(await outputs(262_000)).toEqual(["total", "succeeded", "failed", "results"])
    expect(await outputs(262_120)).toEqual(["total", "succeeded", "failed", "bytes"])
  })

  test("[F23] after 8 MiB the lines of a map's file name the children and leave out their outputs", async () => {
    const s = await mapped(36, 250_000)
    const body = await s.blobs.get(s.journal.stat("map/m.jsonl")?.hash ?? "")
    const lines = new TextDecoder()
      .decode(body)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as JsonObject)
    expect(lines.map((line) => line["run"])).toEqual(many(36, (n) => `child_${n}`))
    expect(lines.map((line) => "outputs" in line)).toEqual(many(36, (n) => n < 34))
  })
})

test("[J23] a request for a summary has 240,000 characters, and its answer 2,048 tokens", async () => {
  const s = new Stand(flowOf([{ ...base, id: "a", type: "agent", agent: "w" }]), [agent("w", "tools: [ls]\n")])
  s.start("THE-TASK")
  for (let n = 0; n < 4; n++) {
    await (await s.next("a")).answer({ text: `${n}`.repeat(150_000), calls: [{ name: "ls", args: {} }] })
    await s.settle()
  }
  await (await s.next("a")).answer({ error: { status: 400, retryable: false, overflow: true } })
  const { request } = await s.next("a")
  const [message] = request.messages
  const asked = message?.role === "user" ? message.text : ""
  expect([request.place.agent, request.maxOutputTokens]).toEqual(["@compact", 2_048])
  const [head = "", tail = ""] = asked.split("\n\n[…]\n\n")
  expect([head.length, tail.length - "\n\n---\n\nWrite the summary now.".length]).toEqual([60_000, 180_000])
  expect(head).toContain("THE-TASK")
})

describe("who follows a run", () => {
  test("[E4] the client gives up after eleven failures in a row", async () => {
    vi.useFakeTimers()
    let asked = 0
    const transport: unknown = { stream: async () => Promise.reject(new Error(`lost ${++asked}`)) }
    const next = follow(transport as Parameters<typeof follow>[0], "run_1").next()
    const ended = next.then(
      () => "",
      (e: Error) => e.message,
    )
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect([await ended, asked]).toEqual(["lost 11", 11])
  })

  test("[E4] an MCP call's stream gives up after ten breaks in a row", async () => {
    vi.useFakeTimers()
    let asked = 0
    const port: unknown = { stream: async () => Promise.reject(new Error(`lost ${++asked}`)) }
    const events = eventsOf(port as Parameters<typeof eventsOf>[0], new AbortController().signal).next()
    const ended = events.then(
      () => "",
      (e: Error) => e.message,
    )
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect([await ended, asked]).toEqual(["lost 10", 10])
  })

  test("[H12] an MCP session lasts for 7 days, a question's id for one", async () => {
    const signed = new Map<string, { readonly said: Readonly<Record<string, string>>; readonly ms: number }>()
    let passed = 0
    const words = {
      sign: async (purpose: string, said: Readonly<Record<string, string>>, ms: number) => (signed.set(purpose, { said, ms }), purpose),
      read: async (_: string, token: string) => (passed < (signed.get(token)?.ms ?? 0) ? signed.get(token)?.said : undefined),
    }
    const call: unknown = { tenant: { words } }
    const at = call as Parameters<typeof signSession>[0]
    const session = { id: "s", asks: true }
    const token = (await signSession(at, session)) ?? ""
    const question = (await signQuestion(at, session, "run_1", "int_1")) ?? ""
    const open = async (ms: number) => {
      passed = ms
      return [(await readSession(at, token)) !== undefined, (await readQuestion(at, session, question)) !== undefined]
    }
    const day = 86_400_000
    expect([await open(day - 1), await open(day), await open(7 * day - 1), await open(7 * day)]).toEqual([
      [true, true],
      [true, false],
      [true, false],
      [false, false],
    ])
  })
})

describe("definitions and imports", () => {
  test("[T26] a reference is expanded twice inside itself, and an allOf is searched for 20 parts", () => {
    const root = { defs: { a: { type: "object", properties: { a: { $ref: "#/defs/a" } } } } }
    const levels = (schema: unknown): number => {
      const { properties } = schema as { properties?: { a: unknown } }
      return properties === undefined ? 0 : 1 + levels(properties.a)
    }
    expect(levels(inlined(root, { $ref: "#/defs/a" }, { left: 1_000 }))).toBe(2)
    const hiding = (part: number) => ({
      required: ["id"],
      allOf: many(25, (n) => (n === part ? { properties: { id: { readOnly: true } } } : { type: "object" })),
    })
    const asked = (part: number) => "required" in (inlined({}, hiding(part), { left: 1_000 }) as object)
    expect([0, 18, 19, 24].map(asked)).toEqual([false, false, true, true])
  })

  test("[F73] a fence has 200 characters with its blanks", () => {
    const isHead = (blanks: number) => readHead(`<!-- a -->\n---${" ".repeat(blanks)}\nname: a\n---\nbody`).fields.get("name") === "a"
    expect([0, 196, 197].map(isHead)).toEqual([true, true, false])
  })

  test("[T20] a name in an archive has 8,192 bytes with its end", () => {
    const names = (length: number) =>
      readTar(writeTar([{ path: "x".repeat(length), body: new Uint8Array(1), modified: 0 }])).map((f) => f.path.length)
    expect([names(8_191), names(8_192)]).toEqual([[8_191], [100]])
  })

  test("[T26] a tenant's registered tools have 4 million characters", async () => {
    const { ask } = setUp()
    const put = async (n: number, chars: number) => {
      const body = {
        description: "d",
        parameters: { type: "object", description: "x".repeat(chars) },
        request: { method: "GET", url: "https://e.com/" },
      }
      return ask("PUT", `/v1/tools/t${n}`, { body })
    }
    for (let n = 0; n < 63; n++) expect((await put(n, 63_000)).status).toBe(201)
    const refused = await put(63, 63_000)
    expect([refused.status, refused.text.includes("with 4 million characters in all")]).toEqual([422, true])
    expect((await put(64, 10)).status).toBe(201)
  })

  test("[F23] a run leads to 100 other flows at most", async () => {
    const leading = async (to: number) => {
      const refs = many(to, (n) => `  - { id: s${n}, type: flow-ref, flow: g${n} }\n`).join("")
      const others = many(to, (n) => [`g${n}.yaml`, flow(`g${n}`, step("s", "a"))])
      const bundle = { agents: { "a.md": worker("a") }, flows: { ...Object.fromEntries(others), "f.yaml": flow("f", refs) } }
      const { catalog } = await stocked(bundle)
      const pinned = await catalog.pins.pin({ flow: "f" }, { providers: [], roles: {} }, { rehearse: true })
      return pinned.ok ? "" : "message" in pinned ? pinned.message : pinned.code
    }
    expect([await leading(100), await leading(101)]).toEqual(["", "the flow leads to more than 100 other flows"])
  })

  test("[T41] the values of a plan's references have 16 MiB of characters", async () => {
    const executed = async (values: number) => {
      let sent = false
      const plan = (state: string) => ({
        planId: "p",
        plan: "k",
        state,
        body: { actions: [{ kind: "a", references: many(values, (n) => ({ kind: "r", id: `${n}` })) }] },
      })
      let state = "stored"
      const rows: unknown = {
        spec: async () => ({ name: "k", schema: {}, dispatcher: { binding: "B" } }),
        find: async () => plan(state),
        move: async (_run: string, _id: string, to: string) => ((state = to), "ok"),
      }
      const value = "x".repeat(1024 * 1024 - 2)
      const references: unknown = { resolve: async (kind: string, id: string) => ({ ok: true, value: { kind, id, glimpse: {}, value } }) }
      const deps: unknown = {
        tenant: "t",
        run: "run_1",
        rows,
        references,
        ready: async () => undefined,
        dispatch: async () => ((sent = true), { ok: true }),
      }
      const told = await plansOf(deps as Parameters<typeof plansOf>[0]).execute("p", new AbortController().signal)
      return [sent, JSON.stringify(told).includes("larger than 16777216 characters together")]
    }
    expect(await executed(16)).toEqual([true, false])
    expect(await executed(17)).toEqual([false, true])
  })
})
