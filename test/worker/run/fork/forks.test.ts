// Forks over the whole Worker [K7–K16]: at every cut of a run with a loop, children, a map, a handler, a question, a wait, files and a
// budget; what is kept; what a fork has of its own.

import { abortAllDurableObjects, evictDurableObject, SELF } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { amount } from "../../../support/amount.ts"
import { agent, ask, call, ended, eventsOf, flow, LOCAL, runOf, start, stub, until } from "../../../support/worker/house.ts"

const done = (summary: string, more: object = {}) => ({ finish: { status: "complete", summary, ...more } })
const TURNS = {
  writer: [{ calls: [{ tool: "write", args: { path: "n.txt", content: "one" } }] }, done("wrote")],
  asker: [{ calls: [{ tool: "ask_user", args: { question: "which?", type: "select", options: ["x", "y"] } }] }, done("asked")],
  judge: [done("again", { branch: "loop" }), done("enough", { branch: "exit" })],
  step: [done("ok")],
}
const TEN = Array.from({ length: 10 }, (_, i) => i + 1)

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/sc", { kind: "scripted", turns: TURNS })
  const scripted = (name: string, tools = "write, ask_user"): string => agent(name, tools).replace("rehearsal/default", `sc/${name}`)
  await ask("PUT", "/v1/catalog", {
    agents: {
      ...Object.fromEntries(Object.keys(TURNS).map((name) => [`${name}.md`, scripted(name)])),
      "last.md": agent("last").replace("rehearsal/default", "sc/none"),
    },
    flows: {
      "child.yaml": flow("child", "  - { id: x, type: agent, agent: step }\n", "inputs: { n: { type: number } }\n"),
      "all.yaml": flow(
        "all",
        `  - { id: w, type: agent, agent: writer }
  - { id: j, type: agent-loop-decision, agent: judge, task: enough, loop_target: w, exit_target: q, max_iterations: 3 }
  - { id: q, type: agent, agent: asker }
  - { id: c, type: code, inputs: { n: "\${{config.n}}" }, outputs: [double] }
  - { id: p, type: wait, for: 30ms }
  - { id: r, type: flow-ref, flow: child, inputs: { n: "\${{config.n}}" } }
  - { id: m, type: map, over: "\${{config.list}}", do: child, inputs: { n: "\${{item}}" } }
  - { id: z, type: agent, agent: step }
`,
        "autonomous: false\nconfig: { n: 2, list: [1, 2, 3] }\nbudget: { steps: 60, tokens: 900000 }\n",
        'outputs: { double: "${{result.c.double}}", total: "${{result.m.total}}", z: "${{result.z}}" }\n',
      ),
      "ten.yaml": flow(
        "ten",
        TEN.map(
          (n) => `  - { id: s${n}, type: agent, agent: ${n === 10 ? "last" : "step"}${n > 1 ? `, blockedBy: s${n - 1}` : ""} }\n`,
        ).join(""),
      ),
    },
    code: { "all/c.ts": "export default ({ n }: { n: number }) => ({ double: n * 2 })\n" },
  })
})

interface Forked {
  readonly id: string
}
const fork = (id: string, body: object = {}) => call("POST", `/v1/runs/${id}/fork`, body)
async function forked(id: string, body: object = {}): Promise<string> {
  return (await ask<Forked>("POST", `/v1/runs/${id}/fork`, body)).id
}

/** Answers every question until the run has ended. */
async function settle(id: string): Promise<RunView> {
  for (;;) {
    const run = await until(id, (r) => ended(r) || r.pending > 0)
    if (ended(run)) return run
    const { data } = await ask<{ data: { id: string }[] }>("GET", `/v1/runs/${id}/interactions?status=pending`)
    for (const { id: question } of data) await call("POST", `/v1/runs/${id}/interactions/${question}`, { answer: "x" })
  }
}

const results = (run: RunView): unknown => [
  run.status,
  run.output,
  Object.entries(run.steps).map(([id, s]) => [id, s.status, s.pass, s.summary, s.branch, s.outputs]),
]
/** Children have ids of their own, and time passes. */
const without = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(/run_[0-9a-z]+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "~"))

describe("forks", () => {
  test("[K16] at every seq: 422 with the nearest cuts, or the fork ends as the source did", { timeout: 240_000 }, async () => {
    const id = await start("all")
    const source = await settle(id)
    expect(source.status).toBe("succeeded")
    const events = await eventsOf(id)
    const head = JSON.stringify(events)
    let forks = 0
    let refused = 0
    for (const { seq } of events) {
      if (seq % amount(1, 3) !== 0) continue
      const answer = await fork(id, { from: { seq }, effects: "live" })
      if (answer.status === 422) {
        const { before, after, code } = await answer.json<{ before: number | null; after: number | null; code: string }>()
        expect([seq, code, before === null || before < seq, after === null || after > seq]).toEqual([seq, "not_forkable", true, true])
        refused += 1
        continue
      }
      const { id: fresh } = await answer.json<Forked>()
      if (seq % 7 === 0) await evictDurableObject(stub(fresh))
      const run = await settle(fresh)
      expect([seq, without(results(run))]).toEqual([seq, without(results(source))])
      const log = await eventsOf(fresh)
      expect(JSON.stringify(log.slice(0, seq))).toBe(JSON.stringify(events.slice(0, seq)))
      expect(chained(log)).toBe(true)
      const replay = await ask<{ identical: boolean }>("GET", `/v1/runs/${fresh}/replay`)
      expect([seq, replay]).toEqual([seq, { events: log.length, identical: true }])
      forks += 1
    }
    expect([forks > amount(60, 15), refused > amount(10, 3)]).toEqual([true, true])
    expect(JSON.stringify(await eventsOf(id))).toBe(head)
  })

  test("[K7] [K10] a fork of a child, of a paused and of a running run; each has its own place in the list", async () => {
    const id = await start("all")
    const { children } = await settle(id)
    const [child = ""] = children
    const alone = await settle(await forked(child))
    expect([alone.status, alone.parent, alone.fork?.run]).toEqual(["succeeded", undefined, child])

    const waiting = await start("all")
    await until(waiting, (r) => r.pending > 0)
    await ask("POST", `/v1/runs/${waiting}/pause`, {})
    const fresh = await forked(waiting, { from: { interaction: "i1" }, instead: { answer: { answer: "y" } }, tags: ["mine"] })
    const run = await settle(fresh)
    expect([run.status, run.tags, run.trigger]).toEqual(["succeeded", ["mine"], { kind: "fork", key: "local" }])
    expect((await runOf(waiting)).status).toBe("paused")
    await ask("POST", `/v1/runs/${waiting}/cancel`, {})
    const listed = await ask<{ data: RunView[] }>("GET", `/v1/runs?fork_of=${waiting}`)
    expect(listed.data.map((row) => [row.id, row.fork, row.effects])).toEqual([[fresh, run.fork, "staged"]])
  })

  test("[K9] a fork is its own after the memory of every object is lost, and its moments show both histories", async () => {
    const id = await start("all")
    await settle(id)
    const fresh = await forked(id, {
      from: { step: "z" },
      patch: { definitions: { "agents/step.md": agent("step").replace("rehearsal/default", "sc/writer") } },
    })
    await abortAllDurableObjects()
    const run = await settle(fresh)
    expect([run.status, run.steps["z"]?.summary]).toEqual(["succeeded", "wrote"])
    const cut = run.fork?.seq ?? 0
    const before = await ask<RunView>("GET", `/v1/runs/${fresh}?at=${cut}`)
    expect([before.id, before.fork, before.steps["z"]?.status]).toEqual([id, undefined, "pending"])
    const at = await ask<RunView>("GET", `/v1/runs/${fresh}?at=${cut + 1}`)
    expect([at.id, at.fork, at.usage.tokens, at.inherited?.steps]).toEqual([fresh, run.fork, 0, run.inherited?.steps])
    expect(await ask("GET", `/v1/runs/${fresh}?at=${run.seq}`)).toEqual(run)
    const again = await settle(await forked(fresh, { from: { step: "z" } }))
    expect([again.status, again.steps["z"]?.summary, again.fork?.run]).toEqual(["succeeded", "wrote", fresh])
    // [K18] [K40] Two histories, two sets of definitions: one journal that this build makes again, and a receipt of it that holds.
    for (const { id: one, seq } of [run, again]) {
      expect(await ask("GET", `/v1/runs/${one}/replay`)).toEqual({ events: seq, identical: true })
      const receipt = await (await call("GET", `/v1/runs/${one}/receipt`)).text()
      const verified = await SELF.fetch("http://sluice/v1/receipts/verify", {
        method: "POST",
        headers: { authorization: `Bearer ${LOCAL}`, "content-type": "text/plain" },
        body: receipt,
      })
      expect(await verified.json()).toMatchObject({ valid: true, checks: { replay: true } })
    }
  })

  test("[K7] a check says what a fork would keep, ask again and hold back, and starts nothing", async () => {
    const id = await start("all")
    await settle(id)
    const check = await ask<{ kept: { step: string; pass: number }[]; asked: { step: string }[]; staged: unknown[] }>(
      "POST",
      `/v1/runs/${id}/fork?check=1`,
      { from: { step: "r" } },
    )
    expect(check.kept.map((s) => [s.step, s.pass])).toEqual([
      ["w", 2],
      ["j", 2],
      ["q", 1],
      ["c", 1],
      ["p", 1],
    ])
    expect(check.asked.map((s) => s.step)).toEqual(["r", "m", "z"])
    expect(check.staged).toEqual([])
    // [K12] A step whose end is given is not asked.
    const given = { from: { step: "r" }, instead: { finish: { status: "complete", summary: "by hand" } } }
    const ended = await ask<{ asked: { step: string }[] }>("POST", `/v1/runs/${id}/fork?check=1`, given)
    expect(ended.asked.map((s) => s.step)).toEqual(["m", "z"])
    expect((await call("POST", `/v1/runs/${id}/fork?check=1`, { from: { step: "nope" } })).status).toBe(422)
    const patched = (definitions: object) =>
      ask<{ changed: string[] }>("POST", `/v1/runs/${id}/fork?check=1`, { from: { step: "z" }, patch: { definitions } })
    expect((check as { changed?: unknown }).changed).toEqual([])
    expect((await patched({ "agents/step.md": agent("step").replace("rehearsal/default", "sc/writer") })).changed).toContain("z")
    expect((await ask<{ data: unknown[] }>("GET", `/v1/runs?fork_of=${id}`)).data).toEqual([])
  })
})

describe("the rules of now", () => {
  test("[K10] a call that waits for a person is refused as policy when its tool was deleted since", async () => {
    const parameters = { type: "object", properties: { to: { type: "string" } } }
    await ask("PUT", "/v1/tools/send", {
      description: "Send.",
      parameters,
      request: { method: "POST", url: "https://mail.example/send" },
      approval: "always",
    })
    const sender = agent("sender", "send").replace("rehearsal/default", "sc/sender")
    await ask("PUT", "/v1/settings/providers/sc", {
      kind: "scripted",
      turns: { ...TURNS, sender: [{ calls: [{ tool: "send", args: { to: "bob" } }] }, done("sent")] },
    })
    const put = (path: string, body: string, type: string) =>
      SELF.fetch(`http://sluice${path}`, { method: "PUT", headers: { authorization: `Bearer ${LOCAL}`, "content-type": type }, body })
    await put("/v1/agents/sender", sender, "text/markdown")
    await put("/v1/flows/sends", flow("sends", "  - { id: a, type: agent, agent: sender }\n"), "application/yaml")
    const id = await start("sends")
    await until(id, (r) => r.pending > 0)
    expect((await call("DELETE", "/v1/tools/send")).status).toBe(204)
    const run = await until(
      await forked(id, { effects: "live", from: { interaction: "i1" }, instead: { answer: { decision: "approve" } } }),
      ended,
    )
    const own = (await eventsOf(run.id)).filter((e) => e.seq > (run.fork?.seq ?? 0))
    expect(own.flatMap((e) => (e.type === "tool.refused" ? [[e.tool, e.code]] : []))).toEqual([["send", "policy"]])
    expect(own.filter((e) => e.type === "tool.called")).toEqual([])
    await ask("POST", `/v1/runs/${id}/cancel`, {})
  })
})

describe("an approval", () => {
  test("[K9] [S9] of the history lets nothing go in a fork: the call asks anew, under a hash of its own", async () => {
    const asks = agent("writer", "write")
      .replace("rehearsal/default", "sc/writer")
      .replace("tools:", "tool_approvals: { write: always }\ntools:")
    const put = (path: string, body: string, type: string) =>
      SELF.fetch(`http://sluice${path}`, { method: "PUT", headers: { authorization: `Bearer ${LOCAL}`, "content-type": type }, body })
    await put("/v1/agents/asks", asks.replace("name: writer", "name: asks"), "text/markdown")
    await put("/v1/flows/asks", flow("asks", "  - { id: a, type: agent, agent: asks }\n"), "application/yaml")
    const id = await start("asks")
    await until(id, (r) => r.pending > 0)
    await ask("POST", `/v1/runs/${id}/interactions/i1`, { decision: "approve" })
    await until(id, ended)
    const events = await eventsOf(id)
    const seq = events.find((e) => e.type === "interaction.answered")?.seq ?? 0
    const fresh = await forked(id, { from: { seq }, effects: "live" })
    const run = await until(fresh, (r) => r.pending > 0)
    const { data } = await ask<{ data: { id: string; payload: { args: object; hash: string } }[] }>(
      "GET",
      `/v1/runs/${fresh}/interactions?status=pending`,
    )
    const was = events.find((e) => e.type === "interaction.asked")
    const hash = was?.type === "interaction.asked" ? was.payload["hash"] : undefined
    expect(data.map((i) => [i.id, i.payload.args])).toEqual([["i2", { path: "n.txt", content: "one" }]])
    expect([run.status, data[0]?.payload.hash.length, data[0]?.payload.hash === hash]).toEqual(["waiting", 64, false])
    expect((await eventsOf(fresh)).filter((e) => e.type === "tool.called")).toEqual([])
    await ask("POST", `/v1/runs/${fresh}/interactions/i2`, { decision: "approve", hash: data[0]?.payload.hash })
    expect((await until(fresh, ended)).status).toBe("succeeded")
    expect(await ask("GET", `/v1/runs/${fresh}/replay`)).toMatchObject({ identical: true })
  })
})

describe("a failed run of ten steps", () => {
  const put = (text: string) =>
    SELF.fetch("http://sluice/v1/agents/last", {
      method: "PUT",
      headers: { authorization: `Bearer ${LOCAL}`, "content-type": "text/markdown" },
      body: text,
    })
  const modelsAsked = (events: readonly RunEvent[], after: number): string[] =>
    events.flatMap((e) => (e.type === "action.begun" && e.kind === "model" && e.seq > after ? [e.step] : []))

  test("[K9] [K13] forked at step 10 with its agent mended: the steps before are asked nothing", async () => {
    const id = await start("ten")
    const failed = await until(id, ended)
    expect([failed.status, failed.error?.step]).toEqual(["failed", "s10"])
    const mended = agent("last").replace("rehearsal/default", "sc/step")
    const run = await settle(await forked(id, { from: { step: "s10" }, patch: { definitions: { "agents/last.md": mended } } }))
    expect(run.status).toBe("succeeded")
    expect(modelsAsked(await eventsOf(run.id), run.fork?.seq ?? 0)).toEqual(["s10"])

    await put(mended)
    const again = await settle((await ask<Forked>("POST", `/v1/runs/${id}/again`, {})).id)
    expect([again.status, again.fork, again.effects]).toEqual(["succeeded", { run: id, seq: 1 }, "live"])
    expect(modelsAsked(await eventsOf(again.id), 1)).toHaveLength(10)
  })
})

function chained(events: readonly RunEvent[]): boolean {
  return events.every((e, i) => e.seq === i + 1)
}
