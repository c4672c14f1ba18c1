// A run as it was after any of its events [K5], and the changes of its workspace as events [K6].

import { evictDurableObject, SELF } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { agent, ask, call, ended, eventsOf, flow, LOCAL, start, stub, until } from "../../../support/worker/house.ts"

const SAID = [
  { calls: [{ tool: "write", args: { path: "n.txt", content: "one" } }] },
  { calls: [{ tool: "write", args: { path: "n.txt", content: "two" } }] },
  { calls: [{ tool: "bash", args: { command: "rm n.txt && printf x > d.txt" } }] },
  { finish: { status: "complete", summary: "A" } },
]

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/sc", {
    kind: "scripted",
    turns: { a: SAID, b: [{ finish: { status: "complete", summary: "B" } }] },
  })
  const scripted = (name: string): string => agent(name, "write, bash").replace("rehearsal/default", `sc/${name}`)
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": scripted("a"), "b.md": scripted("b") },
    flows: { "two.yaml": flow("two", "  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: b, blockedBy: a }\n") },
  })
})

const at = (id: string, seq: number) => ask<RunView>("GET", `/v1/runs/${id}?at=${seq}`)
const filesAt = async (id: string, seq: number) =>
  (await ask<{ data: { path: string; size: number }[] }>("GET", `/v1/runs/${id}/files?at=${seq}`)).data.map((f) => [f.path, f.size])

describe("moments", () => {
  test("[K5] the view at every seq is the view of then, and at the last one that of now", async () => {
    const id = await start("two")
    await until(id, ended)
    const events = await eventsOf(id)
    await evictDurableObject(stub(id))
    for (const e of events) expect((await at(id, e.seq)).seq).toBe(e.seq)
    expect(await at(id, events.length)).toEqual(await ask("GET", `/v1/runs/${id}`))
    const first = await at(id, 1)
    expect([first.status, first.steps["a"]?.status, first.usage.tokens, first.ended]).toEqual(["running", "pending", 0, undefined])
    const mid = await at(id, events.find((e) => e.type === "step.finished" && e.step === "a")?.seq ?? 0)
    expect([mid.steps["a"]?.status, mid.steps["a"]?.summary, mid.steps["b"]?.status]).toEqual(["complete", "A", "pending"])
  })

  test("[K6] each change is an event of its call, in one decision with the result, and the files of every seq are their fold", async () => {
    const id = await start("two", { files: { "given.txt": "given" } })
    await until(id, ended)
    const events = await eventsOf(id)
    const changed = events.flatMap((e) => (e.type === "file.changed" ? [e] : []))
    expect(changed.map((e) => [e.step, e.path, e.size])).toEqual([
      ["a", "n.txt", 3],
      ["a", "n.txt", 3],
      ["a", "n.txt", 0],
      ["a", "d.txt", 1],
    ])
    const [one, two, three] = changed
    expect(await filesAt(id, 1)).toEqual([["given.txt", 5]])
    expect(await filesAt(id, one?.seq ?? 0)).toEqual([
      ["given.txt", 5],
      ["n.txt", 3],
    ])
    expect(await (await call("GET", `/v1/runs/${id}/files/n.txt?at=${two?.seq}`)).text()).toBe("two")
    expect((await call("GET", `/v1/runs/${id}/files/n.txt?at=${three?.seq}`)).status).toBe(404)
    const now = await ask("GET", `/v1/runs/${id}/files`)
    expect(await ask("GET", `/v1/runs/${id}/files?at=${events.length}`)).toEqual(now)
    for (const e of changed) {
      const result = events.find((x) => x.type === "tool.returned" && x.callId === e.callId && x.seq > e.seq)
      expect(result?.at).toBe(e.at)
    }
  })

  test("[K5] a seq that is not there is 422 with both bounds, and a run that is not there is 404 first", async () => {
    const id = await start("two")
    const { seq: last } = await until(id, ended)
    for (const bad of ["0", "-1", "x", "", "1.5", String(last + 1), "9".repeat(30)])
      for (const path of ["", "/files", "/files/n.txt"]) {
        const answer = await SELF.fetch(`http://sluice/v1/runs/${id}${path}?at=${bad}`, { headers: { authorization: `Bearer ${LOCAL}` } })
        const { first, last: end } = await answer.json<{ first: number; last: number }>()
        expect([path, bad, answer.status, first, end]).toEqual([path, bad, 422, 1, last])
      }
    expect((await call("GET", `/v1/runs/run_${"0".repeat(26)}?at=zzz`)).status).toBe(404)
  })
})
