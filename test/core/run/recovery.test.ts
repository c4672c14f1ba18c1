// Recovery: a key under way that no process works on is lost; what follows for a model call and for each kind of tool.

import { describe, expect, test } from "vitest"
import { DEFAULT_POLICY } from "../../../src/core/tool/policy/policy.ts"
import { LOST_LIMIT } from "../../../src/core/run/admit.ts"
import { messages } from "../../../src/core/run/session/conversation.ts"
import { agent, agentOf, flowOf, planOf, tool } from "../../support/kernel/builders.ts"
import { call, finish, replyOf, Shell } from "../../support/kernel/shell.ts"

const one = (snapshotEvery = 0): Shell => new Shell(planOf(flowOf([agent("a")])), { snapshotEvery })
/** Its agent calls what leaves the run. */
const far = (): Shell => {
  const tools = [
    tool("send", "write", { idempotent: true, reach: { to: { host: "mail.example" }, method: { fixed: "POST" } } }),
    tool("rejoin", "write", { idempotent: true, resumes: true }),
  ]
  const worker = agentOf("far", { tools: { kind: "list", names: tools.map(({ name }) => name) } })
  return new Shell(planOf(flowOf([agent("a", { agent: "far" })]), [worker], tools), { snapshotEvery: 1 })
}

describe("recovery", () => {
  test("[J10] an effect under way is lost and wanted again, under the same key", () => {
    const shell = one()
    shell.crash()
    expect(shell.events("action.lost")).toMatchObject([{ key: "a/1/0/model", kind: "model", attempt: 1 }])
    expect(shell.events("action.begun").map((e) => [e.key, e.attempt])).toEqual([
      ["a/1/0/model", 1],
      ["a/1/0/model", 2],
    ])
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[J11] a lost call of a tool that only reads, or takes a key, is made again; tool.called is journaled once", () => {
    for (const name of ["look", "put"]) {
      const shell = one()
      shell.reply("a", call(name))
      shell.crash()
      expect(shell.keys()).toEqual(["a/1/0/tool/c0"])
      expect(shell.events("tool.called")).toHaveLength(1)
      expect(shell.events("tool.uncertain")).toEqual([])
    }
  })

  test("[J11] a call that was lost twice is told as failed, and not begun again", () => {
    for (const name of ["look", "put"]) {
      const shell = one()
      shell.reply("a", call(name))
      shell.crash()
      expect(shell.events("tool.returned")).toEqual([])
      shell.crash()
      const [told, ...more] = shell.events("tool.returned")
      expect(more).toEqual([])
      expect(told).toMatchObject({ callId: "c0", tool: name, isError: true })
      expect(JSON.stringify(told?.content)).toMatch(/begun 2 times.*the server stopped.*ask for less/)
      expect(shell.events("action.begun").filter((e) => e.key === "a/1/0/tool/c0")).toHaveLength(2)
      // The model reads it and goes on.
      expect(shell.keys()).toEqual(["a/1/1/model"])
      shell.reply("a", finish())
      expect(shell.run.status).toBe("succeeded")
    }
  })

  test("[J11] a call that was lost twice and may have changed something outside ends uncertain", () => {
    const shell = far()
    shell.reply("a", call("send"))
    shell.crash()
    expect(shell.keys()).toEqual(["a/1/0/tool/c0"])
    shell.crash()
    expect(shell.events("tool.uncertain")).toMatchObject([{ tool: "send", callId: "c0" }])
    expect(shell.keys()).toEqual(["a/1/1/model"])
  })

  test("[J11] [T42] a call that goes on with what it began is made again however often it is lost", () => {
    const shell = far()
    shell.reply("a", call("rejoin"))
    for (let i = 0; i < 5; i++) shell.crash()
    expect(shell.keys()).toEqual(["a/1/0/tool/c0"])
    expect(shell.events("tool.returned")).toEqual([])
  })

  test("[J11] any other lost write ends uncertain: it is never sent twice, and the model learns of it", () => {
    const shell = one()
    shell.reply("a", call("post"), call("look"))
    shell.crash()
    expect(shell.events("tool.uncertain")).toMatchObject([{ tool: "post", callId: "c0", key: "a/1/0/tool/c0" }])
    expect(shell.keys()).toEqual(["a/1/0/tool/c1"])
    shell.returns("a", "c1")
    expect(shell.events("action.begun").filter((e) => e.key === "a/1/0/tool/c0")).toHaveLength(1)
    const session = shell.state("a").session
    const turns = session
      ? messages(
          session,
          session.seqs.flatMap((seq) => shell.log[seq - 1] ?? []),
        )
      : []
    expect(JSON.stringify(turns[2])).toContain("outcome")
  })

  test("[J11] a latched finish survives: when the uncertain call is settled the step ends", () => {
    const shell = one()
    shell.reply("a", call("post"), finish())
    shell.crash()
    expect(shell.run.status).toBe("succeeded")
    expect(shell.events("tool.uncertain")).toHaveLength(1)
  })

  test("[J3] a reply that arrives after its key was lost and answered is stale", () => {
    const shell = one()
    shell.crash()
    shell.reply("a", call("look"))
    expect(shell.tell({ type: "model.reply", key: "a/1/0/model", reply: replyOf([finish()]) })).toEqual({
      ok: false,
      error: { code: "stale" },
    })
  })

  test("[J3] a key of the wrong kind, an unknown key and a key that has not begun are stale", () => {
    const shell = one()
    const result = { isError: false, content: [], digest: "d" }
    const stale = { ok: false, error: { code: "stale" } }
    for (const key of ["a/1/0/model", "a/1/1/model", "", "toString"])
      expect(shell.tell({ type: "tool.result", key, result })).toEqual(stale)
    for (const key of ["a/1/1/model", "b/1/0/model", "__proto__"]) expect(shell.tell({ type: "lost", key })).toEqual(stale)
    shell.reply("a", call("look"))
    const key = shell.flying("a", "/tool/c0")
    expect(shell.tell({ type: "model.reply", key, reply: replyOf([finish()]) })).toEqual(stale)
    expect(shell.tell({ type: "model.failure", key, failure: { message: "no", retryable: false }, at: shell.now, dice: 0 })).toEqual(stale)
  })

  test("[J4] a step that ended while calls were under way accepts none of their answers", () => {
    const plan = planOf(flowOf([agent("a", { timeout: 1_000, on_error: "r" }), agent("b"), agent("r")]))
    const shell = new Shell(plan)
    shell.reply("a", call("look"), call("look", { n: 2 }))
    const keys = shell.keys().filter((k) => k.startsWith("a/"))
    shell.now += 1_000
    shell.tell({ type: "timer", key: "timeout/a/1", at: shell.now })
    expect(keys).toHaveLength(2)
    for (const key of keys)
      expect(shell.tell({ type: "tool.result", key, result: { isError: false, content: [], digest: "d" } }).ok).toBe(false)
    expect(shell.events("tool.returned")).toEqual([])
    expect(Object.keys(shell.run.underway)).toEqual(["b/1/0/model"])
  })

  test("[J12] a key that is lost repeatedly fails its step with source engine", () => {
    const shell = one()
    for (let i = 0; i < LOST_LIMIT; i++) shell.crash()
    expect(shell.run).toMatchObject({ status: "failed", error: { step: "a", source: "engine" } })
    expect(shell.events("action.begun")).toHaveLength(LOST_LIMIT)
  })

  test("[J10] a waiting retry and its time survive a crash", () => {
    for (const snapshotEvery of [0, 1]) {
      const shell = one(snapshotEvery)
      shell.fail("a")
      const at = shell.nextDue()
      shell.crash()
      expect(shell.nextDue()).toBe(at)
      expect(shell.keys()).toEqual([])
      shell.pass(at ?? 0)
      expect(shell.keys()).toEqual(["a/1/0/model"])
    }
  })

  test("[J16] at most six effects are under way; the others stay wanted until there is room", () => {
    const ids = Array.from({ length: 9 }, (_, i) => `s${i}`)
    const shell = new Shell(
      planOf(
        flowOf(
          ids.map((id) => agent(id)),
          { max_concurrent: 9 },
        ),
      ),
    )
    expect(shell.keys()).toHaveLength(6)
    expect(shell.running()).toHaveLength(9)
    shell.reply("s0", finish())
    expect(shell.keys()).toContain("s6/1/0/model")
    expect(shell.keys()).toHaveLength(6)
  })

  test("[J11] a lost call comes before calls that were approved in the meantime", () => {
    const policy = { ...DEFAULT_POLICY, hooks: { ...DEFAULT_POLICY.hooks, confirm: ["post"] } }
    const shell = new Shell(planOf(flowOf([agent("a")])), { rules: { policy, scopes: [], version: 1 } })
    shell.reply("a", call("post"), call("look"))
    shell.answer("i1", { decision: "approve" })
    shell.crash()
    expect(shell.keys()).toEqual(["a/1/0/tool/c1"])
    shell.returns("a", "c1")
    expect(shell.keys()).toEqual(["a/1/0/tool/c0"])
  })

  test("[J7] seq is dense from 1 and a run starts once", () => {
    const shell = one()
    shell.reply("a", finish())
    expect(shell.log.map((e) => e.seq)).toEqual(shell.log.map((_, i) => i + 1))
    const [started] = shell.events("run.started")
    expect(started && shell.tell({ type: "start", started })).toEqual({ ok: false, error: { code: "already_started" } })
  })
})
