// Effects carried out [K31–K35]: what goes out, under which name, what comes back, and what taking back refers to.

import { describe, expect, test } from "vitest"
import { Ledger, withRequest } from "../../../src/core/run/effects/ledger.ts"
import { readHttpTool } from "../../../src/core/tool/http-tool.ts"
import type { HttpToolDef } from "../../../src/core/tool/tool-def.ts"
import { DEFAULT_POLICY, DEFAULT_RULES } from "../../../src/core/tool/policy/policy.ts"
import type { NetRequest } from "../../../src/ports/net.ts"
import { httpTool } from "../../../src/tools/registered/http-tool.ts"
import { Outside } from "../../../src/ports/outside.ts"
import { agent, done, flow, sha256, Stand, until } from "../../support/engine/stand.ts"

const BODY = {
  description: "Sends.",
  parameters: { type: "object", properties: { to: { type: "string" } }, additionalProperties: false },
  request: { method: "POST", url: "https://mail.example/v1/send", body: { to: "${{args.to}}" } },
}
function def(more: object = {}): HttpToolDef {
  const read = readHttpTool("send", { ...BODY, ...more })
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  return read.value
}

/** A run whose one agent calls `send`, and what left. */
function stand(more: object = {}, answer: (request: NetRequest) => string | Error = () => '{"id":7}', head = "", before = "") {
  const s = new Stand(flow(`${before}  - { id: a, type: agent, agent: a }\n`, head), [agent("a", "tools: send\n")], [httpTool(def(more))])
  const sent: NetRequest[] = []
  s.powers = {
    net: {
      fetch: async (request) => {
        sent.push(request)
        const said = answer(request)
        if (said instanceof Error) throw said
        return {
          status: 200,
          url: request.url,
          headers: { "content-type": "application/json" },
          body: new Outside(new TextEncoder().encode(said)),
        }
      },
    },
  }
  const send = async (...to: string[]): Promise<void> => {
    await (await s.next("a")).answer({ calls: to.map((one) => ({ name: "send", args: { to: one } })) })
    await s.settle()
  }
  const finish = async (turn = done()): Promise<void> => {
    await (await s.next("a")).answer(turn)
    await s.settle()
  }
  const answer_ = async (commit: unknown, rules = s.rules): Promise<void> => {
    const i = Object.values(s.conductor.run.interactions).find((one) => one.kind === "effects" && one.status === "pending")
    s.conductor.tell({ type: "answer", id: i?.id ?? "", body: { answer: { commit } as never }, by: "ann", rules })
    await over(s)
  }
  return { s, sent, send, finish, commit: answer_ }
}
const over = (s: Stand): Promise<void> =>
  until(
    () => s.conductor.run.ended !== undefined && Object.keys(s.conductor.run.underway).length === 0,
    () => `still ${JSON.stringify(s.events().slice(-2))}`,
  )
const rows = (s: Stand) => {
  const ledger = new Ledger(s.plan)
  for (const e of s.events()) ledger.take(e)
  return ledger.rows
}
const settledIn = (s: Stand) => s.events().flatMap((e) => (e.type === "effect.settled" ? [[e.run, e.state]] : []))
const keyOf = (key: string): string => `eff_${sha256(`run_x/${key}`).slice(0, 32)}`

describe("an effect", () => {
  test("[K31] goes out with the name that its run and key have, live and committed; a header of the definition wins", async () => {
    const live = stand()
    live.s.start()
    await live.send("bob")
    expect(live.sent.map((r) => r.headers?.["idempotency-key"])).toEqual([keyOf("a/1/0/tool/c0")])
    const staged = stand()
    staged.s.start("go", true, { effects: "staged" })
    await staged.send("bob", "eve")
    await staged.finish()
    expect(staged.sent).toEqual([])
    await staged.commit("all")
    expect(staged.sent.map((r) => [r.body, r.headers?.["idempotency-key"]])).toEqual([
      ['{"to":"bob"}', keyOf("a/1/0/tool/c0")],
      ['{"to":"eve"}', keyOf("a/1/0/tool/c1")],
    ])
    expect(rows(staged.s).map((row) => row.state)).toEqual(["confirmed", "confirmed"])
    const own = stand({ request: { ...BODY.request, headers: { "Idempotency-Key": "mine-${{args.to}}" } } })
    own.s.start()
    await own.send("bob")
    expect(own.sent.map((r) => [r.headers?.["Idempotency-Key"], r.headers?.["idempotency-key"]])).toEqual([["mine-bob", undefined]])
  })

  test("[K31] a read has no such name", async () => {
    const { s, sent, send } = stand({ request: { method: "GET", url: "https://mail.example/v1/send" } })
    s.start("go", true, { effects: "dry" })
    await send("bob")
    expect(sent.map((r) => [r.method, r.headers?.["idempotency-key"]])).toEqual([["GET", undefined]])
    expect(rows(s)).toEqual([])
  })

  test("[K31] a request that got no answer is uncertain; a connection that was never made, or an error that was answered, is failed", async () => {
    for (const [message, state] of [
      ["https://mail.example did not answer: connection reset", "uncertain"],
      ["timed out after 30000 ms", "uncertain"],
      ["address refused: closed", "failed"],
      ["https://mail.example did not answer: connect ECONNREFUSED 1.2.3.4:443", "failed"],
    ] as const) {
      const { s, send } = stand({}, () => new Error(message))
      s.start()
      await send("bob")
      expect(rows(s).map((row) => row.state)).toEqual([state])
    }
  })

  test("[K31] its row shows the request as it is sent, with the names of secret headers", () => {
    const tool = httpTool(def({ auth: { scope: "mail" } }))
    const row = {
      key: "k",
      run: "r",
      step: "a",
      pass: 1,
      tool: "send",
      target: "",
      args: { to: "bob" },
      state: "staged",
      at: 0,
      undoable: false,
    } as const
    const plan = { ...new Stand(flow("  - { id: a, type: agent, agent: a }\n"), [agent("a")], []).plan, tools: new Map([["send", tool]]) }
    expect(withRequest(plan, row).request).toEqual({
      method: "POST",
      url: "https://mail.example/v1/send",
      secretHeaders: ["authorization"],
      body: '{"to":"bob"}',
    })
  })

  test("[K32] is judged by rules that have become stricter since the answer", async () => {
    const { s, sent, send, finish, commit } = stand()
    s.start("go", true, { effects: "staged" })
    await send("bob")
    await finish()
    const denylist = [{ tool: "send", args: "bob", reason: "not to bob" }]
    const stricter = { ...DEFAULT_RULES, policy: { ...DEFAULT_POLICY, denylist }, version: 5 }
    s.rules = stricter
    await commit("all", DEFAULT_RULES)
    expect([sent, rows(s).map((row) => row.state)]).toEqual([[], ["refused"]])
    expect(s.types().filter((type) => type === "rules.changed")).toHaveLength(1)
  })

  test("[K32] nothing goes out while the secrets cannot be read", async () => {
    const { s, sent, send, finish, commit } = stand()
    s.start("go", true, { effects: "staged" })
    await send("bob")
    await finish()
    s.vaultIsDown = true
    await commit("all")
    expect([sent, rows(s).map((row) => [row.state, row.reason])]).toEqual([[], [["failed", expect.stringContaining("nothing was sent")]]])
  })

  test("[K32] a child's effect is carried out by the child, in its place in the order", async () => {
    const { s, send, finish, commit, sent } = stand({}, undefined, "", "  - { id: r, type: flow-ref, flow: g, task: sub }\n")
    const asked: string[] = []
    s.commitBelow = async ({ run, key, by }) => {
      asked.push(`${run} ${key} ${by} after ${sent.length}`)
      return { state: "confirmed" }
    }
    s.start("go", true, { effects: "staged" })
    await s.settle()
    // A child of another flow may have a step of the same name, and its calls then have the same keys.
    const kept = { key: "a/1/0/tool/c0", run: "run_child", step: "a", pass: 1, callId: "c0", tool: "send", args: { to: "eve" } }
    s.childEnds("r", 0, { effects: [kept] })
    await send("bob")
    await finish()
    const shown = Object.values(s.conductor.run.interactions).flatMap((i) => i.payload["effects"] as { key: string }[])
    const keys = shown.map((e) => e.key)
    expect(keys).toEqual(["run_child/a/1/0/tool/c0", "a/1/0/tool/c0"])
    await commit([keys[0]])
    expect([asked, sent]).toEqual([["run_child a/1/0/tool/c0 ann after 0"], []])
    expect(settledIn(s)).toEqual([
      ["run_child", "confirmed"],
      [undefined, "discarded"],
    ])
  })
})

describe("taking back", () => {
  const undo = { method: "DELETE", url: "https://mail.example/v1/send/${{result.id}}?to=${{args.to}}", body: undefined }
  test("[K35] refers to the arguments and to the answer, whether it came live or was committed", async () => {
    for (const effects of [undefined, "staged"] as const) {
      const { s, sent, send, finish, commit } = stand({ undo: { method: undo.method, url: undo.url } }, ({ method }) =>
        method === "POST" ? '{"id":"m/7"}' : "{}",
      )
      s.start("go", true, effects ? { effects } : {})
      await send("bob")
      await finish()
      if (effects) await commit("all")
      s.conductor.tell({ type: "undo", by: "ann" })
      await over(s)
      expect(sent.slice(1).map((r) => [r.method, r.url, r.headers?.["idempotency-key"]])).toEqual([
        ["DELETE", "https://mail.example/v1/send/m%2F7?to=bob", keyOf("a/1/0/tool/c0/undo")],
      ])
      expect(rows(s).map((row) => row.state)).toEqual(["undone", "confirmed"])
    }
  })

  test("[K35] before a flow with on_failure: undo fails", async () => {
    const { s, sent, send, finish } = stand(
      { undo: { method: "DELETE", url: "https://mail.example/v1/send" } },
      () => "{}",
      "on_failure: undo\n",
    )
    s.start()
    await send("bob", "eve")
    await finish(done("no", { status: "error" }))
    await over(s)
    expect([sent.map((r) => r.method), s.conductor.run.status, s.types().at(-1)]).toEqual([
      ["POST", "POST", "DELETE", "DELETE"],
      "failed",
      "run.ended",
    ])
    expect(rows(s).map((row) => row.state)).toEqual(["undone", "undone", "confirmed", "confirmed"])
  })
})

describe("a registration", () => {
  test.each([
    [{ simulate: "${{args.nobody}}" }, "/simulate"],
    [{ simulate: "${{result.id}}" }, "/simulate"],
    [{ simulate: "${{task}}" }, "/simulate"],
    [{ simulate: "" }, "/simulate"],
    [{ idempotent: "yes" }, "/idempotent"],
    [{ undo: { method: "DELETE" } }, "/undo/url"],
    [{ undo: { method: "DELETE", url: "https://other.example/x" } }, "/undo/url"],
    [{ undo: { method: "DELETE", url: "http://mail.example/x" } }, "/undo/url"],
    [{ undo: { method: "DELETE", url: "https://mail.example/${{args.nobody}}" } }, "/undo"],
    [{ undo: { method: "GET", url: "https://mail.example/x", body: {} } }, "/undo/body"],
    [{ request: { ...BODY.request, url: "https://mail.example/${{result.id}}" } }, "/request"],
  ])("[K32] [K35] with %j is refused at %s", (more, pointer) => {
    const read = readHttpTool("send", { ...BODY, ...more })
    expect(read.ok ? [] : read.error.map((fault) => fault.pointer)).toContain(pointer)
  })
})
