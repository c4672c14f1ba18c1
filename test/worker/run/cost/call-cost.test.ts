// What a call of a model over the network costs, with a file that it writes: rows of the run's object, and what is asked of R2. Upper bounds;
// docs/decisions/0069 says what they were.

import { env } from "cloudflare:workers"
import { afterEach, beforeAll, expect, test, vi } from "vitest"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { ask, flow } from "../../../support/worker/house.ts"
import { counting, type RunCounts } from "../../../support/worker/run-counts.ts"
import { workOf, type WorkCounts } from "../../../support/worker/work-counts.ts"

const BASE = "https://calls.example.com/v1"
const AGENT = "---\nname: caller\ndescription: w\nmodel: calls/m\ntools: [write]\n---\nDo it: ${{task}}\n"
const chain = (length: number): string =>
  Array.from({ length }, (_, i) => `  - { id: s${i}, agent: caller, task: step ${i}${i > 0 ? `, blockedBy: [s${i - 1}]` : ""} }\n`).join("")

function calling(name: string, args: object): string {
  const chunk = (choice: object, more: object = {}): string =>
    `data: ${JSON.stringify({ id: "c1", model: "m", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }], ...more })}\n\n`
  const call = { index: 0, id: "call_1", type: "function", function: { name, arguments: JSON.stringify(args) } }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  return `${chunk({ delta: { tool_calls: [call] } })}${chunk({ delta: {}, finish_reason: "tool_calls" }, { usage })}data: [DONE]\n\n`
}

/** A model server: each session writes a file with this content, then finishes. */
function serve(content: (step: number) => string): void {
  const real = fetch
  let step = 0
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (!(input instanceof Request ? input.url : String(input)).startsWith(BASE)) return real(input, init)
    const { messages }: { messages: { role: string }[] } = JSON.parse(String(init?.body))
    const reply =
      messages.at(-1)?.role === "tool"
        ? calling("finish", { status: "complete", summary: "ok", files: [] })
        : calling("write", { path: "notes.md", content: content(++step) })
    return new Response(reply, { headers: { "content-type": "text/event-stream" } })
  })
}

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/calls", { kind: "openai-compatible", baseUrl: BASE, apiKey: "k-of-calls" })
  await ask("PUT", "/v1/catalog", {
    agents: { "caller.md": AGENT },
    flows: { "calls-3.yaml": flow("calls-3", chain(3)), "calls-6.yaml": flow("calls-6", chain(6)) },
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

interface Cost extends RunCounts {
  /** What is asked of R2. */
  readonly bodies: { readonly put: number; readonly head: number }
}

const costOf = (name: string): Promise<Cost> =>
  counting(async (countsOf) => {
    const bucket = Object.getPrototypeOf(env.BLOBS) as R2Bucket
    const [put, head] = [vi.spyOn(bucket, "put"), vi.spyOn(bucket, "head")]
    for (const spy of [put, head]) spy.mockClear()
    const run = await ask<RunView>("POST", `/v1/flows/${name}/runs`, { task: "go" }, { prefer: "wait=80" })
    expect(run.status).toBe("succeeded")
    const cost = { ...(await countsOf(run.id)), bodies: { put: put.mock.calls.length, head: head.mock.calls.length } }
    console.log(name, JSON.stringify(cost))
    return cost
  })

test("[J15] a session that writes a file and finishes is two rows of the journal, one of the file, and one body", async () => {
  let n = 0
  serve(() => `line ${n++}`)
  await costOf("calls-3")
  const [three, six] = [await costOf("calls-3"), await costOf("calls-6")]
  expect(six.rowsWritten - three.rowsWritten).toBeLessThanOrEqual(9)
  expect(six.statements - three.statements).toBeLessThanOrEqual(21)
  expect([three.bodies, six.bodies]).toEqual([
    { put: 3, head: 0 },
    { put: 6, head: 0 },
  ])
})

test("[F71] a file that is written again as it is takes no body, and in another run a question", async () => {
  serve(() => "the same line")
  expect((await costOf("calls-3")).bodies).toEqual({ put: 1, head: 0 })
  expect((await costOf("calls-6")).bodies).toEqual({ put: 0, head: 1 })
})

test("[N4] a session of two calls and a tool makes six AbortControllers and four timers: of the silence of each call, of the tool's time, and of the commit", async () => {
  let n = 0
  serve(() => `text ${n++}`)
  const workIn = async (name: string): Promise<WorkCounts> => {
    const counts = await workOf(async () => void (await ask("POST", `/v1/flows/${name}/runs`, { task: "go" }, { prefer: "wait=80" })))
    console.log(name, JSON.stringify(counts))
    return counts
  }
  for (const name of ["calls-3", "calls-6"]) await workIn(name)
  const [three, six] = [await workIn("calls-3"), await workIn("calls-6")]
  expect((six.controllers - three.controllers) / 3).toBeLessThanOrEqual(6)
  expect((six.timers - three.timers) / 3).toBeLessThanOrEqual(4)
})
