// [K23] `beyond: live`: where the recording ends, models are asked and reads are really made, but nothing is changed outside.

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ask, ended, flow, start, until } from "../../../support/worker/house.ts"

interface Row {
  readonly result: string
  readonly why?: string
  readonly live?: string
  readonly message?: string
}
interface Backtest {
  readonly status: string
  readonly usage: { readonly tokens: number }
  readonly runs: readonly Row[]
}
interface Seen {
  readonly method: string
  readonly path: string
}

const HOST = "api.counting.example"
const requests: Seen[] = []
const real = globalThis.fetch
const agent = (name: string, tools: string): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: live/${name}\ntools: ${tools}\n---\nDo it. \${{task}}\n`
const tool = (method: string, effect: string): object => ({
  description: "does it",
  parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false },
  request: { method, url: `https://${HOST}/${effect}/\${{args.n}}` },
  effect,
  untrusted: false,
  approval: "never",
})
const finish = (summary: string) => ({ finish: { status: "complete", summary } })
const calls = (...list: readonly (readonly [tool: string, args: object])[]) => ({
  calls: list.map(([name, args]) => ({ tool: name, args })),
})

/** The changed agent reads, writes outside, and works on the run's files, which its last read shows. */
const TURNS = {
  before: [calls(["write", { path: "kept.md", content: "of the recorded run" }]), finish("before")],
  a: [calls(["look", { n: 1 }], ["send", { n: 1 }]), finish("A")],
  b: [
    calls(["look", { n: 7 }], ["send", { n: 7 }], ["memory.write", { namespace: "n", content: "never kept" }]),
    calls(["read", { path: "kept.md" }], ["write", { path: "new.md", content: "of the backtest" }]),
    calls(["read", { path: "new.md" }]),
    finish("B"),
  ],
}
const STEPS = (name: string): string =>
  `  - { id: x, type: agent, agent: before }\n  - { id: s, type: agent, agent: ${name}, blockedBy: x }\n  - { id: h, type: code, inputs: { n: 2 }, outputs: [ { name: n, type: number } ] }\n`

let run = ""

async function backtest(body: object): Promise<Backtest> {
  const { id } = await ask<{ id: string }>("POST", "/v1/flows/counted/backtest", { against: { runs: [run] }, ...body })
  for (let i = 0; i < 1_000; i++) {
    const found = await ask<Backtest>("GET", `/v1/backtests/${id}`)
    if (found.status === "done") return found
    await new Promise((next) => setTimeout(next, 20))
  }
  throw new Error("the backtest does not end")
}
const change = { definitions: { "flows/counted.yaml": flow("counted", STEPS("b")) } }

beforeAll(async () => {
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    if (url.hostname !== HOST) return real(input, init)
    requests.push({ method: request.method, path: url.pathname })
    return new Response(`seen ${url.pathname}`)
  }
  await ask("PUT", "/v1/settings/providers/live", { kind: "scripted", turns: TURNS })
  await ask("PUT", "/v1/tools/look", tool("GET", "read"))
  await ask("PUT", "/v1/tools/send", tool("POST", "write"))
  await ask("PUT", "/v1/catalog", {
    agents: {
      "before.md": agent("before", "write"),
      "a.md": agent("a", "look, send"),
      "b.md": agent("b", "look, send, memory.write, read, write"),
    },
    flows: { "counted.yaml": flow("counted", STEPS("a")) },
    code: { "counted/h.ts": "export default function (input) { return { n: input.n * 2 } }\n" },
  })
  run = await start("counted")
  expect((await until(run, ended)).status).toBe("succeeded")
  expect(requests.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(["GET /read/1", "POST /write/1"])
}, 60_000)
afterAll(() => {
  globalThis.fetch = real
})

describe("a backtest that goes on live", () => {
  test("[K23] makes reads, asks models, and sends nothing that is not a read", async () => {
    requests.length = 0
    const done = await backtest({ change, beyond: "live" })
    expect(done.runs).toMatchObject([{ result: "diverged", why: "tools", live: "succeeded" }])
    expect(requests).toEqual([{ method: "GET", path: "/read/7" }])
    const memory = await ask<{ content: readonly { readonly text: string }[] }>("POST", "/v1/tools/memory.read", { namespace: "n" })
    expect(memory.content.some(({ text }) => text.includes("never kept"))).toBe(false)
    const files = await ask<{ data: readonly { readonly path: string }[] }>("GET", `/v1/runs/${run}/files`)
    expect(files.data.map(({ path }) => path)).toEqual(["kept.md"])
  })

  test("[K23] stops at its budget, and without `live` does nothing at all", async () => {
    requests.length = 0
    expect((await backtest({ change })).runs).toMatchObject([{ result: "diverged", why: "tools" }])
    expect((await backtest({ change, beyond: "live", budget: { tool_calls: 0 } })).runs).toMatchObject([{ live: "stopped" }])
    expect(requests).toEqual([])
    const one = await backtest({ change, beyond: "live", budget: { tool_calls: 1 } })
    expect([one.runs[0]?.live, requests.length]).toEqual(["stopped", 1])
  })

  test("[K23] [B1] asks no model when the most that the call may cost does not fit, or has no price and dollars are limited", async () => {
    for (const budget of [{ tokens: 1 }, { tokens: 600 }, { usd: 5 }]) {
      const done = await backtest({ change, beyond: "live", budget })
      expect([done.runs[0]?.live, done.usage.tokens]).toEqual(["stopped", 0])
    }
    const whole = await backtest({ change, beyond: "live", budget: { tokens: 200_000 } })
    expect(whole.runs).toMatchObject([{ live: "succeeded" }])
    const some = await backtest({ change, beyond: "live", budget: { tokens: 6_000 } })
    expect(some.usage.tokens).toBeLessThanOrEqual(6_000)
  })

  test("[K23] [B4] counts against the tenant's day, and gives back what it does not use", async () => {
    await ask("PUT", "/v1/settings/budget", { tokens: 1 })
    try {
      expect((await backtest({ change, beyond: "live" })).runs).toMatchObject([{ live: "stopped" }])
    } finally {
      await ask("PUT", "/v1/settings/budget", {})
    }
  })
})
