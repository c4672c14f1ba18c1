// [G6, Q1] Replies of many calls through the whole Worker: its journal in SQLite, and the API's views.

import { beforeAll, describe, expect, test } from "vitest"
import { agent, ask, ended, flow, runOf, start, until } from "../../support/worker/house.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"

const MODEL = "many/m"
const STEP = "  - id: a\n    type: agent\n    agent: caller\n    task: go\n"

const turns = (count: number, tool: string, args: (i: number) => object): object => ({
  kind: "scripted",
  turns: {
    "*": [
      { calls: Array.from({ length: count }, (_, i) => ({ tool, args: args(i) })) },
      { finish: { status: "complete", summary: "done" } },
    ],
  },
})

/** The whole journal, page by page. */
async function journal(id: string): Promise<RunEvent[]> {
  const all: RunEvent[] = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { data: RunEvent[]; next_cursor: string | null } = await ask(
      "GET",
      `/v1/runs/${id}/events?limit=1000${cursor === "" ? "" : `&cursor=${cursor}`}`,
    )
    all.push(...page.data)
    cursor = page.next_cursor
  }
  return all
}

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "caller.md": agent("caller", "write, ask_user").replace("rehearsal/default", MODEL) },
    flows: { "many.yaml": flow("many", STEP), "asks.yaml": flow("asks", STEP, "autonomous: false\n") },
  })
})

describe("a reply of many calls", () => {
  test("[G6] 3,000 writes: 128 files, 2,872 refusals, one result for each call, and the run ends well", async () => {
    await ask(
      "PUT",
      "/v1/settings/providers/many",
      turns(3000, "write", (i) => ({ path: `f${i}.txt`, content: "x" })),
    )
    const id = await start("many")
    const run = await until(id, ended)
    expect(run.status).toBe("succeeded")
    expect(run.usage.tool_calls).toBe(128)
    const events = await journal(id)
    const refused = events.flatMap((e) => (e.type === "tool.refused" ? [e.code] : []))
    expect([refused.length, new Set(refused)]).toEqual([2872, new Set(["too_many"])])
    expect(events.filter((e) => e.type === "tool.returned")).toHaveLength(128)
  })

  test("[Q1] 2,000 questions: 20 are open", async () => {
    await ask(
      "PUT",
      "/v1/settings/providers/many",
      turns(2000, "ask_user", (i) => ({ question: `Why ${i}?`, type: "input" })),
    )
    const id = await start("asks", { autonomous: false })
    const run = await until(id, (r) => r.status === "waiting")
    expect(run.pending).toBe(20)
    const { data } = await ask<{ data: unknown[] }>("GET", `/v1/runs/${id}/interactions?status=pending`)
    expect(data).toHaveLength(20)
    await ask("POST", `/v1/runs/${id}/cancel`, {})
    expect((await runOf(id)).pending).toBe(0)
  })
})
