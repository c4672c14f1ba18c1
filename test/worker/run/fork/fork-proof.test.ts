// Forks prove themselves like any run: replay, receipt and comparison [K17, K18, K40, K42].

import { SELF } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import type { Comparison } from "../../../../src/api/doc/trust.doc.ts"
import type { Replayed } from "../../../../src/ports/run.ts"
import type { Verified } from "../../../../src/ports/tenant/receipts.ts"
import { amount } from "../../../support/amount.ts"
import { agent, ask, call, ended, eventsOf, flow, LOCAL, start, until } from "../../../support/worker/house.ts"

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a"), "b.md": agent("b") },
    flows: {
      "f.yaml": flow("f", "  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: b, blockedBy: a }\n"),
    },
  })
})

async function forked(id: string, body: object): Promise<string> {
  const fork = (await ask<{ id: string }>("POST", `/v1/runs/${id}/fork`, body)).id
  await until(fork, ended)
  return fork
}

async function proves(id: string): Promise<void> {
  const events = await eventsOf(id)
  expect(await ask<Replayed>("GET", `/v1/runs/${id}/replay`)).toEqual({ events: events.length, identical: true })
  const receipt = await (await call("GET", `/v1/runs/${id}/receipt`)).arrayBuffer()
  const headers = { authorization: `Bearer ${LOCAL}`, "content-type": "text/plain" }
  const sent = await SELF.fetch("http://sluice/v1/receipts/verify", { method: "POST", headers, body: receipt })
  expect(await sent.json<Verified>()).toMatchObject({ valid: true, checks: { replay: true } })
}

const source = async (): Promise<string> => {
  const id = await start("f", { rehearse: true })
  await until(id, ended)
  return id
}

describe("a fork", () => {
  test("[K18] [K40] from a step, with a changed agent and with words in an agent's place, replays and has a receipt that holds", async () => {
    const id = await source()
    const brief = agent("b").replace("Do it.", "Be brief.")
    const bodies = [
      { from: { step: "b" }, effects: "live" },
      { from: { step: "b" }, effects: "live", patch: { definitions: { "agents/b.md": brief } } },
      { from: { step: "b" }, effects: "live", instead: { finish: { status: "complete", summary: "by hand" } } },
      { from: { step: "b", turn: 0 }, effects: "live", instead: { reply: { text: "hm", toolCalls: [{ name: "ls", args: {} }] } } },
      { effects: "live", patch: { task: "another task" } },
    ]
    for (const body of bodies) {
      const fork = await forked(id, body)
      await proves(fork)
      // A fork of a fork too, at places where one is possible.
      for (const { seq } of await eventsOf(fork)) {
        if (seq % amount(1, 3) !== 0) continue
        const r = await call("POST", `/v1/runs/${fork}/fork`, { from: { seq }, effects: "live" })
        if (r.status !== 202) continue
        const { id: again } = await r.json<{ id: string }>()
        await until(again, ended)
        await proves(again)
      }
    }
  })

  test("[K17] has its source's history in common, up to its cut", async () => {
    const id = await source()
    const fork = await forked(id, { from: { step: "b" }, effects: "live", instead: { finish: { status: "complete", summary: "by hand" } } })
    const own = (await eventsOf(fork)).find((e) => e.type === "run.forked")
    if (own?.type !== "run.forked") throw new Error("a fork begins with run.forked")
    const found = await ask<Comparison>("GET", `/v1/runs/${id}/compare/${fork}`)
    expect(found.common).toEqual({ seq: own.source.seq, head: own.prev })
    expect(found.steps.map(({ step, same }) => [step, same])).toEqual([
      ["a", true],
      ["b", false],
    ])
    expect([found.first, found.definitions]).toEqual([{ step: "b", pass: 1 }, []])
  })
})
