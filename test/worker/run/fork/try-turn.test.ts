// A recorded turn, tried in another way [K19], over the whole Worker and a provider that replaces the network.

import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { admin, tenant, type Tenant } from "../../../support/worker/service-client.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"

const BASE = "https://try-turn.example.com/v1"
interface Sent {
  readonly model: string
  readonly messages: { readonly role: string; readonly content?: unknown; readonly reasoning_content?: string }[]
  readonly reasoning_effort?: string
  readonly max_tokens?: number
}
interface Tried {
  readonly step: string
  readonly pass: number
  readonly turn: number
  readonly model: string
  readonly thinking: string | null
  readonly reply: { readonly text: string; readonly toolCalls: { readonly id: string; readonly name: string; readonly args: unknown }[] }
  readonly stopReason: string
  readonly usage: { readonly input: number; readonly output: number; readonly estimated?: true }
  readonly cost: number | null
  readonly recorded: Omit<Tried, "recorded" | "step"> | null
}

let sent: Sent[] = []
let t: Tenant
let run: string
/** What the next request is answered with in place of its turn. */
let instead: (() => Response) | undefined

const chunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "c", created: 1, model: "m", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }], ...more })}\n\n`
const streamed = (delta: object, usage: object = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }): Response =>
  new Response(
    `${chunk({ delta: { role: "assistant", ...delta } })}${chunk({ delta: {}, finish_reason: "stop" }, { usage })}data: [DONE]\n\n`,
    {
      headers: { "content-type": "text/event-stream" },
    },
  )
const calls = (name: string, args: object) => ({
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name, arguments: JSON.stringify(args) } }],
})

/** A conversation's first turn writes a file, its second one ends. */
const answered = ({ messages }: Sent): Response =>
  messages.some(({ role }) => role === "assistant")
    ? streamed({ content: "done", ...calls("finish", { status: "complete", summary: "written" }) })
    : streamed({ content: "first", reasoning_content: "OPAQUE", ...calls("write", { path: "a.md", content: "x" }) })

beforeEach(() => {
  sent = []
  instead = undefined
  const real = fetch
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (!(input instanceof Request ? input.url : String(input)).startsWith(BASE)) return real(input, init)
    const body: Sent = JSON.parse(String(init?.body))
    sent.push(body)
    return instead ? instead() : answered(body)
  })
})
afterEach(() => vi.unstubAllGlobals())

const agent = (head = ""): string =>
  `---\nname: w\ndescription: w\ntools: [write]\ninputs: [who]\n${head}---\nWrite for \${{input.who}}: \${{task}}\n`
const provider = { kind: "openai-compatible", baseUrl: BASE, apiKey: "sk-very-secret-key" }
const FLOW =
  'name: f\ndescription: d\ninputs: { who: { type: string } }\nsteps:\n  - { id: look, type: wait, for: 1ms }\n  - { id: a, type: agent, agent: w, inputs: { who: "${{flow.input.who}}" } }\n'

const over = async (id: string): Promise<RunView> => {
  for (let i = 0; i < 3_000; i++) {
    const seen = await t.ask<RunView>("GET", `/v1/runs/${id}`)
    if (seen.ended !== undefined) return seen
    await new Promise((r) => setTimeout(r, 10))
  }
  throw new Error("the run does not end")
}
const events = async (id = run): Promise<RunEvent[]> => (await t.ask<{ data: RunEvent[] }>("GET", `/v1/runs/${id}/events?limit=1000`)).data
const started = async (): Promise<string> => {
  const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/f/runs", { task: "the report", inputs: { who: "Ada" } })
  expect(await over(id)).toMatchObject({ status: "succeeded" })
  runs += 1
  return id
}
const place = (step = "a", id = run): string => `/v1/runs/${id}/steps/${step}/try`
const tryIt = (wish: object = {}): Promise<Tried> => t.ask<Tried>("POST", place(), wish)
const refused = async (wish: unknown, path = place()): Promise<{ status: number; code?: string; detail?: string }> => {
  const answer = await t.raw("POST", path, wish)
  return { ...(await answer.json<{ code?: string; detail?: string }>()), status: answer.status }
}

let whole: Sent[] = []
/** That have ended. */
let runs = 0

beforeAll(async () => {
  t = await tenant("try-turn")
  await t.ask("PUT", "/v1/settings/providers/p", provider)
  await t.ask("PUT", "/v1/settings/roles", { default: "p/m:low", fast: "p/tiny" })
  await t.ask("PUT", "/v1/settings/prices", { "p/*": { input: 10, output: 100 } })
  await t.ask("PUT", "/v1/catalog", { agents: { "w.md": agent() }, flows: { "f.yaml": FLOW } })
})

describe("a turn is tried", () => {
  beforeEach(async () => {
    run = await started()
    whole = sent
    sent = []
  })

  test("[K19] unchanged, each turn's request has the recorded bytes, and the run stays as it is", async () => {
    const before = await events()
    for (const turn of [0, 1]) {
      const tried = await tryIt({ turn })
      expect(sent.at(-1)).toEqual(whole[turn])
      expect(tried).toMatchObject({
        step: "a",
        pass: 1,
        turn,
        model: "p/m",
        thinking: "low",
        usage: { input: 100, output: 20 },
        cost: 0.003,
      })
      expect(tried.reply).toEqual(tried.recorded?.reply)
    }
    expect((await tryIt()).turn).toBe(1)
    expect((await tryIt({ turn: 0 })).reply).toEqual({
      text: "first",
      toolCalls: [{ id: "call_1", name: "write", args: { path: "a.md", content: "x" } }],
    })
    expect(await events()).toEqual(before)
    expect((await t.ask<{ data: unknown[] }>("GET", "/v1/runs?limit=200")).data.length).toBeGreaterThan(0)
    expect((await t.ask<RunView>("GET", `/v1/runs/${run}`)).usage).toMatchObject({ tokens: 240 })
  })

  test("[K19] another prompt is filled as it was when the step opened, and stands in place of the agent's text alone", async () => {
    await tryIt({ turn: 0, prompt: "Be brief, ${{input.who}}. ${{task}}!" })
    const system = JSON.stringify(sent[0]?.messages[0]?.content)
    expect(system).toContain("Be brief, Ada. the report!")
    expect(system).not.toContain("Write for")
    expect(system).toContain("How to end")
    expect(sent[0]?.messages.slice(1)).toEqual(whole[0]?.messages.slice(1))
  })

  test("[K19] another model keeps the thinking level unless one is named; a role is a model", async () => {
    expect(await tryIt({ turn: 0, model: "@fast" })).toMatchObject({ model: "p/tiny", thinking: "low" })
    expect(sent.at(-1)).toMatchObject({ model: "tiny", reasoning_effort: "low" })
    expect(await tryIt({ turn: 0, model: "p/other:high" })).toMatchObject({ model: "p/other", thinking: "high" })
    expect(await tryIt({ turn: 0, thinking: "medium" })).toMatchObject({ model: "p/m", thinking: "medium" })
    expect(await tryIt({ turn: 0, thinking: "off" })).toMatchObject({ thinking: "off" })
    expect(sent.at(-1)?.reasoning_effort).toBeUndefined()
  })

  test("[K19] [J20] what a provider wants back goes to the model that it came from, and to no other", async () => {
    expect(JSON.stringify(whole[1])).toContain("OPAQUE")
    const { reply } = await tryIt({ turn: 1 })
    expect(JSON.stringify(sent.at(-1))).toContain("OPAQUE")
    await tryIt({ turn: 1, model: "p/other" })
    expect(JSON.stringify(sent.at(-1))).not.toContain("OPAQUE")
    await t.ask("PUT", "/v1/settings/providers/q", provider)
    await tryIt({ turn: 1, model: "q/m" })
    expect(JSON.stringify(sent.at(-1))).not.toContain("OPAQUE")
    expect(JSON.stringify(reply)).not.toContain("OPAQUE")
  })

  test("[K19] [T32] secrets are taken out of what is asked, answered and told of a failure", async () => {
    instead = () => streamed({ content: "it is sk-very-secret-key", ...calls("write", { path: "sk-very-secret-key", content: "" }) })
    const tried = await tryIt({ turn: 0, prompt: "use sk-very-secret-key" })
    expect(JSON.stringify(sent)).not.toContain("sk-very-secret-key")
    expect(JSON.stringify(tried)).not.toContain("sk-very-secret-key")
    instead = () => Response.json({ error: { message: "bad key sk-very-secret-key" } }, { status: 401 })
    const answer = await refused({ turn: 0 })
    expect(answer).toMatchObject({ status: 422, code: "not_triable" })
    expect(JSON.stringify(answer)).not.toContain("sk-very-secret-key")
  })

  test("[K19] [H13] its tokens and dollars are in the figures of usage, and it is no run", async () => {
    type Sums = { total: { runs: number; input: number; output: number; usd: number; model_calls: number }; data: { key: string }[] }
    // The run itself is counted first, so that what is added is the try's.
    const sums = (by = "day"): Promise<Sums> => t.ask<Sums>("GET", `/v1/usage?by=${by}`)
    let before = await sums()
    for (let i = 0; i < 3_000 && before.total.runs < runs; i++) {
      await new Promise((r) => setTimeout(r, 10))
      before = await sums()
    }
    const tried = await tryIt({ turn: 0, model: "p/usage" })
    const { total } = await sums()
    expect(total).toMatchObject({
      runs: before.total.runs,
      model_calls: before.total.model_calls + 1,
      input: before.total.input + tried.usage.input,
      output: before.total.output + tried.usage.output,
    })
    expect(total.usd).toBeCloseTo(before.total.usd + (tried.cost ?? 0), 9)
    expect((await sums("model")).data).toContainEqual(expect.objectContaining({ key: "p/usage", runs: 0, model_calls: 1 }))
    await t.ask("POST", `${place()}?check=1`, { turn: 0, model: "p/usage" })
    expect((await sums()).total.model_calls).toBe(total.model_calls)
  })

  test("[K19] `check` asks no model, and answers the most that the turn may cost", async () => {
    const check = await t.ask<{ most: { tokens: number; usd: number } }>("POST", `${place()}?check=1`, { turn: 0, model: "p/other" })
    expect(check).toMatchObject({ step: "a", pass: 1, turn: 0, model: "p/other", thinking: "low", recorded: { reply: { text: "first" } } })
    expect(check.most.tokens).toBeGreaterThan(4096)
    expect(check.most.usd).toBeGreaterThan(0.4)
    expect(sent).toEqual([])
  })

  test("[K19] what cannot be tried is refused, with what there is", async () => {
    expect(await refused({ turn: 7 })).toMatchObject({
      status: 422,
      code: "not_triable",
      there: [0, 1],
      detail: expect.stringContaining("0, 1"),
    })
    expect(await refused({ pass: 3 })).toMatchObject({ status: 422, code: "not_triable", there: [1] })
    expect(await refused({}, place("look"))).toMatchObject({ status: 422, code: "not_triable" })
    expect(await refused({}, place("nowhere"))).toMatchObject({ status: 404 })
    expect(await refused({}, place("a", `run_${"0".repeat(30)}`))).toMatchObject({ status: 404 })
    expect(await refused({ model: "nobody/m" })).toMatchObject({
      status: 422,
      detail: expect.stringContaining("PUT /v1/settings/providers/nobody"),
    })
    expect(await refused({ thinking: "much" })).toMatchObject({ status: 422, code: "invalid" })
    expect(await refused({ turn: -1 })).toMatchObject({ status: 422, code: "invalid" })
    expect(await refused({ tools: [] })).toMatchObject({ status: 422, code: "invalid" })
    expect(await refused({}, `${place()}?check=maybe`)).toMatchObject({ status: 422, code: "invalid" })
    instead = () => Response.json({ error: { message: "no such model" } }, { status: 404 })
    expect(await refused({ model: "p/none" })).toMatchObject({
      status: 422,
      code: "not_triable",
      detail: expect.stringContaining("no such model"),
    })
    instead = () => Response.json({ error: { message: "busy" } }, { status: 503 })
    expect(await refused({})).toMatchObject({ status: 502, code: "model_failed" })
  })

  test("[K19] [H1] it needs the scope of a start, and that of a reader", async () => {
    for (const scopes of [["runs:write"], ["runs:read"]]) {
      const { key } = await admin.ask<{ key: string }>("POST", "/v1/tenants/try-turn/keys", { name: scopes.join(), scopes })
      const answer = await t.raw("POST", place(), {}, { authorization: `Bearer ${key}` })
      expect(answer.status).toBe(403)
    }
    expect(sent).toEqual([])
  })

  test("[K19] [B4] it counts against the tenant's day, and what it does not use is given back", async () => {
    const most = (await t.ask<{ most: { tokens: number; usd: number } }>("POST", `${place()}?check=1`, { turn: 0 })).most
    await t.ask("PUT", "/v1/settings/budget", { tokens: most.tokens + 200 })
    try {
      // Each takes the most and uses 120 tokens: there is room for two, and the third may no longer cost what it may cost.
      await tryIt({ turn: 0 })
      await tryIt({ turn: 0 })
      const asked = sent.length
      const answer = await t.raw("POST", place(), { turn: 0 })
      expect(answer.status).toBe(429)
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(sent.length).toBe(asked)
      await t.ask("PUT", "/v1/settings/budget", { usd: 100 })
      await t.ask("PUT", "/v1/settings/prices", {})
      expect(await refused({ turn: 0 })).toMatchObject({ status: 422, code: "no_price" })
    } finally {
      await t.ask("PUT", "/v1/settings/budget", {})
      await t.ask("PUT", "/v1/settings/prices", { "p/*": { input: 10, output: 100 } })
    }
  })
})

test("[K19] a turn that was asked again is tried on the request that was answered", async () => {
  let n = 0
  instead = () => (n++ === 0 ? Response.json({ error: { message: "once more" } }, { status: 503 }) : answered(sent.at(-1) as Sent))
  run = await started()
  const recorded = sent
  sent = []
  expect(recorded).toHaveLength(3)
  expect(await tryIt({ turn: 0 })).toMatchObject({ turn: 0, recorded: { reply: { text: "first" } } })
  expect(sent[0]).toEqual(recorded[1])
})

test("[K19] [K9] a turn that a fork has from its source is tried on the bytes that the source sent", async () => {
  run = await started()
  const recorded = sent
  const { id } = await t.ask<{ id: string }>("POST", `/v1/runs/${run}/fork`, { from: { step: "a", turn: 1 }, effects: "live" })
  expect(await over(id)).toMatchObject({ status: "succeeded" })
  sent = []
  for (const turn of [0, 1]) {
    expect(await t.ask<Tried>("POST", place("a", id), { turn })).toMatchObject({ turn })
    expect(sent.at(-1)).toEqual(recorded[turn])
  }
})

test("[K19] [J25] a turn of a sticky session has the conversation before it", async () => {
  const flow = 'name: s\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w, session: "${{session}}", inputs: { who: Bo } }\n'
  await t.ask("PUT", "/v1/catalog", { agents: { "w.md": agent() }, flows: { "f.yaml": FLOW, "s.yaml": flow } })
  const go = async (session?: string): Promise<{ id: string; session?: string }> => {
    const begun = await t.ask<{ id: string }>("POST", "/v1/flows/s/runs", { task: "more", ...(session === undefined ? {} : { session }) })
    const view = await over(begun.id)
    expect(view).toMatchObject({ status: "succeeded" })
    return view as unknown as { id: string; session?: string }
  }
  const first = await go("sess-1")
  sent = []
  const { id } = await go("sess-1")
  const recorded = sent
  sent = []
  expect(first.id).not.toBe(id)
  await t.ask("POST", place("a", id), {})
  expect(sent[0]).toEqual(recorded.at(-1))
  expect(sent[0]?.messages.length).toBeGreaterThan(4)
})
