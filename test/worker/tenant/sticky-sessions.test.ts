// Sticky sessions through the whole Worker: created, continued, busy, unknown, left behind by a crash, listed, deleted, expired.

import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test } from "vitest"
import { holderOf } from "../../../src/core/run/session/sticky.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { HELD_PROVIDER, heldModel } from "../../support/worker/held-model.ts"
import { ended, until as untilRun } from "../../support/worker/house.ts"
import { until } from "../../support/worker/service-client.ts"

const KEY = { authorization: "Bearer sl_local_dev", "content-type": "application/json" }
const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  SELF.fetch(`http://sluice${path}`, {
    method,
    headers: { ...KEY, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const ask = async <T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> => {
  const r = await call(method, path, body, headers)
  const text = await r.text()
  if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${text}`)
  return JSON.parse(text) as T
}

interface Told {
  readonly content: readonly { readonly text: string }[]
  readonly isError?: boolean
  readonly details: {
    readonly sessionId: string
    readonly runId: string
    readonly finish?: object
    readonly finalized?: { readonly status: string; readonly result?: string; readonly error?: string }
  }
}
interface Row {
  readonly agent: string
  readonly id: string
  readonly runs: number
  readonly busy: boolean
  readonly tainted: boolean
}
const sub = (agent: string, task: string, more: object = {}): Promise<Told> => ask("POST", "/v1/tools/subagent", { agent, task, ...more })
const rows = async (): Promise<readonly Row[]> => (await ask<{ data: Row[] }>("GET", "/v1/sessions")).data
const row = async (agent: string, id: string): Promise<Row | undefined> => (await rows()).find((r) => r.agent === agent && r.id === id)
const eventsOf = async (run: string): Promise<RunEvent[]> => (await ask<{ data: RunEvent[] }>("GET", `/v1/runs/${run}/events`)).data
const systemOf = async (run: string) => (await eventsOf(run)).flatMap((e) => (e.type === "model.replied" ? [e.system] : []))
const tenant = () => env.TENANT.get(env.TENANT.idFromName("local"))
const runStub = (id: string) => env.RUN.get(env.RUN.idFromName(`local/${id}`))
const sql = (query: string, ...values: (string | number)[]) =>
  runInDurableObject(tenant(), (_, ctx) => ctx.storage.sql.exec<Record<string, string | number>>(query, ...values).toArray())

const agent = (name: string, head = "", model = `scripts/${name}`): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: ${model}\ntools: read\n${head}---\nDo it: \${{task}}\n`
const sure = (summary: string, more: object = {}) => ({ finish: { status: "complete", summary, ...more } })

const SLOW = [{ tool: "finish", args: { status: "complete", summary: "slow" } }]
/** Continued conversations have more turns. */
const slowly = () => heldModel([...SLOW, ...SLOW, ...SLOW])

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/scripts", {
    kind: "scripted",
    turns: {
      a: [sure("noted")],
      b: [sure("of b")],
      bad: [{ finish: { status: "error", summary: "no luck", artifacts: "half" } }],
      closer: [
        { text: "prose" },
        { calls: [{ tool: "subagent_finalize", args: { status: "SUCCESS", result: "  " } }] },
        { finish: { status: "SUCCESS", result: "the result" } },
      ],
      talker: [{ text: "talk" }],
    },
  })
  await ask("PUT", "/v1/settings/providers/held", HELD_PROVIDER)
  await ask("PUT", "/v1/catalog", {
    agents: {
      "a.md": agent("a"),
      "b.md": agent("b"),
      "bad.md": agent("bad"),
      "closer.md": agent("closer", "finalizer: subagent_finalize\n"),
      "talker.md": agent("talker", "finalizer: subagent_finalize\n"),
      "slow.md": agent("slow", "", "held/m"),
    },
    flows: {
      "diary.yaml":
        "name: diary\ndescription: d\nsteps:\n  - { id: note, type: agent, agent: a, session: diary }\n  - { id: more, type: agent, agent: a, session: diary, blockedBy: note }\n",
      "named.yaml": 'name: named\ndescription: d\nsteps:\n  - { id: note, type: agent, agent: a, session: "${{session}}" }\n',
      "slowly.yaml": "name: slowly\ndescription: d\nsteps:\n  - { id: note, type: agent, agent: slow, session: shared }\n",
    },
  })
})

describe("subagent", () => {
  test("[J25] [T2] B7 a call without sessionId makes one; the result is text with status and session, and also data", async () => {
    const r = await sub("a", "remember 42")
    expect(r.details).toMatchObject({ finish: { status: "complete", summary: "noted" }, finalized: { status: "SUCCESS", result: "noted" } })
    expect(r.content[0]?.text).toBe(`**Status:** SUCCESS\n**Session ID:** \`${r.details.sessionId}\`\n\n---\n\nnoted`)
    expect(r.details.sessionId).toMatch(/^[0-9a-f-]{36}$/)
    expect(await row("a", r.details.sessionId)).toMatchObject({ runs: 1, busy: false, tainted: false })
  })

  test("[J25] the next call continues where the last one ended, under the same system prompt, at once", async () => {
    const first = await sub("a", "remember 42")
    const { sessionId } = first.details
    const second = await sub("a", "what was it?", { sessionId })
    const third = await sub("a", "sure?", { sessionId })
    expect([second, third].map((r) => r.details.sessionId)).toEqual([sessionId, sessionId])
    const opened = (await eventsOf(third.details.runId)).find((e) => e.type === "session.opened")
    expect(opened).toMatchObject({ session: sessionId, chunks: [expect.any(String), expect.any(String)] })
    const [prompt] = await systemOf(first.details.runId)
    expect(await systemOf(third.details.runId)).toEqual([prompt])
    expect(await row("a", sessionId)).toMatchObject({ runs: 3, busy: false })
  })

  test("[J25] B12 B13 unknown, another agent's and malformed sessions start nothing", async () => {
    const { sessionId } = (await sub("a", "one")).details
    const before = (await ask<{ data: unknown[] }>("GET", "/v1/runs?limit=200")).data.length
    for (const body of [
      { agent: "b", sessionId },
      { agent: "a", sessionId: "00000000-0000-4000-8000-000000000000" },
    ]) {
      const r = await sub(body.agent, "x", { sessionId: body.sessionId })
      expect([r.isError, r.content[0]?.text]).toEqual([true, expect.stringMatching(/unknown session/)])
    }
    for (const bad of ["../../etc", "", ".", "a b", "x".repeat(129)])
      expect((await call("POST", "/v1/tools/subagent", { agent: "a", task: "x", sessionId: bad })).status).toBe(422)
    expect((await call("POST", "/v1/tools/subagent", { agent: "nobody", task: "x" })).status).toBe(422)
    expect((await ask<{ data: unknown[] }>("GET", "/v1/runs?limit=200")).data.length).toBe(before)
  })

  test("[J25] a run that was lost just after its end saves its conversation before anyone sees that end", async () => {
    const { sessionId, runId } = (await sub("a", "remember 42")).details
    // As a crash between the end and the save leaves it.
    const claims = (await eventsOf(runId)).flatMap((e) => (e.type === "session.opened" ? [holderOf(runId, e.step, 1)] : []))
    await sql("DELETE FROM session_chunk WHERE agent = 'a' AND id = ?", sessionId)
    await sql("UPDATE session SET claim = ?, since = ? WHERE agent = 'a' AND id = ?", claims[0] ?? "", Date.now(), sessionId)
    await runInDurableObject(runStub(runId), (_, ctx) => void ctx.storage.kv.delete("sessions_saved"))
    await evictDurableObject(runStub(runId))
    expect(await row("a", sessionId)).toMatchObject({ runs: 0, busy: true })
    expect((await ask<RunView>("GET", `/v1/runs/${runId}`)).status).toBe("succeeded")
    expect(await row("a", sessionId)).toMatchObject({ runs: 1, busy: false })
  })

  test("[J25] B14 of two calls at once one gets the session, and the other learns that it is busy", async () => {
    const model = slowly()
    model.held = false
    const { sessionId } = (await sub("slow", "first")).details
    model.held = true
    const both = [sub("slow", "x", { sessionId }), sub("slow", "y", { sessionId })] as const
    // The run that has the session waits for the model.
    const busy = await Promise.race(both)
    model.held = false
    const [one, two] = await Promise.all(both)
    expect([one, two].filter((r) => r.isError)).toHaveLength(1)
    expect(busy.content[0]?.text).toMatch(/busy/)
    expect(await row("slow", sessionId)).toMatchObject({ runs: 2 })
  })

  test("[G2] B10 B11 subagent_finalize: refused and told in the same session; the caller sees the finish, or that there was none", async () => {
    const r = await sub("closer", "t")
    expect(r.details.finalized).toEqual({ status: "SUCCESS", result: "the result" })
    expect((await eventsOf(r.details.runId)).filter((e) => e.type === "model.replied")).toHaveLength(3)
    const bad = await sub("bad", "t")
    expect([bad.isError, bad.details.finalized]).toEqual([undefined, { status: "ERROR", error: "no luck", result: "half" }])
    const never = await sub("talker", "t")
    expect([never.isError, never.details.sessionId.length]).toEqual([true, 36])
    expect(never.content[0]?.text).toMatch(/never finished.*subagent_finalize/)
    expect((await sub("talker", "again", { sessionId: never.details.sessionId })).details.sessionId).toBe(never.details.sessionId)
    for (const tool of ["finish", "subagent_finalize"]) expect((await call("POST", `/v1/tools/${tool}`, {})).status).toBe(404)
  })
})

describe("a step's session", () => {
  const run = (flow: string, body: object = {}) =>
    ask<RunView>("POST", `/v1/flows/${flow}/runs`, { task: "go", ...body }, { prefer: "wait=50" })

  test("[J25] is created if it is missing; the next step and the next run continue it", async () => {
    expect((await run("diary")).status).toBe("succeeded")
    expect(await row("a", "diary")).toMatchObject({ runs: 2, busy: false })
    const again = await run("diary")
    const opened = (await eventsOf(again.id)).flatMap((e) => (e.type === "session.opened" ? [e.chunks.length] : []))
    expect(opened).toEqual([2, 3])
  })

  test("[J25] has the name that the start gives, and no name if the start gives none", async () => {
    await run("named", { session: "given" })
    expect(await row("a", "given")).toMatchObject({ runs: 1 })
    const none = await run("named")
    expect((await eventsOf(none.id)).some((e) => e.type === "session.opened")).toBe(false)
    expect((await call("POST", "/v1/flows/named/runs", { task: "go", session: "../x" })).status).toBe(422)
  })

  test("[J25] [H5] is read over the API: what was said and called, by run, without prompt or sealed state, in pages of any size", async () => {
    const ids = [await run("named", { session: "open-book" }), await run("named", { session: "open-book" })].map((r) => r.id)
    type Page = { data: Record<string, unknown>[]; next_cursor: string | null }
    const whole = await ask<Page & { id: string; runs: number }>("GET", "/v1/sessions/a/open-book")
    expect(whole).toMatchObject({ agent: "a", id: "open-book", runs: 2, busy: false, next_cursor: null })
    const once = (part: number) => [
      { part, run: ids[part - 1], role: "user", text: "go" },
      {
        part,
        run: ids[part - 1],
        role: "assistant",
        text: "",
        toolCalls: [{ name: "finish", args: { status: "complete", summary: "noted" } }],
      },
      { part, run: ids[part - 1], role: "tool", tool: "finish", content: [{ type: "text", text: "Accepted." }], isError: false },
    ]
    expect(whole.data).toMatchObject([...once(1), ...once(2)])
    expect(JSON.stringify(whole)).not.toMatch(/Do it:|"state"|"prompt"|sealed/)
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      const seen = []
      for (let cursor: string | null = ""; cursor !== null;) {
        const page: Page = await ask("GET", `/v1/sessions/a/open-book?limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`)
        expect(page.data.length).toBeLessThanOrEqual(limit)
        seen.push(...page.data)
        cursor = page.next_cursor
      }
      expect([limit, seen]).toEqual([limit, whole.data])
    }
    expect((await call("GET", "/v1/sessions/b/open-book")).status).toBe(404)
    expect((await call("GET", "/v1/sessions/a/..%2Fx")).status).toBe(404)
    expect((await call("GET", "/v1/sessions/a/open-book?limt=1")).status).toBe(422)
  })

  test("[H5] [J21] a step's messages take `limit` and `cursor`", async () => {
    const { id } = await run("diary")
    const path = `/v1/runs/${id}/steps/note/messages`
    type Page = { data: unknown[]; next_cursor: string | null }
    const whole = await ask<Page>("GET", path)
    expect([whole.data.length > 2, whole.next_cursor]).toEqual([true, null])
    const seen = []
    for (let cursor: string | null = "0"; cursor !== null;) {
      const page: Page = await ask("GET", `${path}?limit=1&cursor=${cursor}`)
      expect(page.data.length).toBe(1)
      seen.push(...page.data)
      cursor = page.next_cursor
    }
    expect(seen).toEqual(whole.data)
    for (const query of ["limit=0", "limit=201", "cursor=x", "cursor=1.x", "cursor=-1"])
      expect([query, (await call("GET", `${path}?${query}`)).status]).toEqual([query, 422])
  })

  test("[J10] [J25] a crash in the middle of a turn keeps the session, and the run saves it", async () => {
    const model = slowly()
    const { id } = await ask<{ id: string }>("POST", "/v1/flows/slowly/runs", { task: "go" })
    await until(async () => model.asked > 0, "the call of the model")
    await abortAllDurableObjects()
    expect((await sub("slow", "x", { sessionId: "shared" })).content[0]?.text).toMatch(/busy/)
    model.held = false
    await untilRun(id, ended)
    await until(async () => !(await row("slow", "shared"))?.busy, "the saving")
    expect(await row("slow", "shared")).toMatchObject({ runs: 1, busy: false })
  })

  test("[J25] after a crash between the end of a run and saving, the run's alarm saves the session once", async () => {
    const done = await run("named", { session: "late" })
    // As if the report had never arrived: the claim remains, and nothing was saved.
    await sql("UPDATE session SET claim = ?, since = 0 WHERE agent = 'a' AND id = 'late'", `${done.id}/note/1`)
    await sql("DELETE FROM session_chunk WHERE agent = 'a' AND id = 'late'")
    await runInDurableObject(runStub(done.id), async (_, ctx) => {
      ctx.storage.kv.delete("sessions_saved")
      await ctx.storage.setAlarm(Date.now() + 60_000)
    })
    await evictDurableObject(runStub(done.id))
    expect(await row("a", "late")).toMatchObject({ runs: 0, busy: true })
    for (let i = 0; i < 2; i++) await runDurableObjectAlarm(runStub(done.id))
    await until(async () => !(await row("a", "late"))?.busy, "the saving")
    expect(await row("a", "late")).toMatchObject({ runs: 1, busy: false })
  })

  test("[J25] a claim lapses if its run never started or ended long ago", async () => {
    const { sessionId } = (await sub("a", "one")).details
    await sql("UPDATE session SET claim = 'run_gone/agent/1', since = ? WHERE agent = 'a' AND id = ?", Date.now(), sessionId)
    expect((await sub("a", "x", { sessionId })).content[0]?.text).toMatch(/busy/)
    await sql("UPDATE session SET since = ? WHERE agent = 'a' AND id = ?", Date.now() - 121_000, sessionId)
    expect((await sub("a", "two", { sessionId })).isError).toBeUndefined()
  })
})

test("[J25] [N3] a claim that arrives after its run has ended, or was deleted, takes nothing", async () => {
  const { sessionId, runId } = (await sub("a", "one")).details
  await until(async () => (await sql("SELECT 1 FROM run WHERE id = ? AND ended IS NOT NULL", runId)).length > 0, "the end in the list")
  const claim = () => tenant().ask("sessions", "claim", [{ agent: "a", id: sessionId, by: `${runId}/agent/2` }])
  expect(await claim()).toMatchObject({ ok: false })
  expect((await call("DELETE", `/v1/runs/${runId}`)).status).toBe(204)
  expect(await claim()).toMatchObject({ ok: false })
  expect(await row("a", sessionId)).toMatchObject({ busy: false })
})

describe("the list", () => {
  test("[J25] a session is deleted once, and then it is unknown", async () => {
    const { sessionId } = (await sub("a", "one")).details
    expect((await call("DELETE", `/v1/sessions/a/${sessionId}`)).status).toBe(204)
    expect((await call("DELETE", `/v1/sessions/a/${sessionId}`)).status).toBe(404)
    expect((await sub("a", "x", { sessionId })).content[0]?.text).toMatch(/unknown session/)
    expect(await sql("SELECT 1 FROM session_chunk WHERE id = ?", sessionId)).toEqual([])
  })

  test("[J25] B16 a session expires; using it extends its time", async () => {
    const { sessionId } = (await sub("a", "one")).details
    const expires = async () => Number((await sql("SELECT expires FROM session WHERE id = ?", sessionId))[0]?.["expires"])
    const days = ((await expires()) - Date.now()) / 86_400_000
    expect([days > 29.9, days <= 30]).toEqual([true, true])
    await sql("UPDATE session SET expires = ? WHERE id = ?", Date.now() + 1_000, sessionId)
    await sub("a", "two", { sessionId })
    expect((await expires()) - Date.now()).toBeGreaterThan(29 * 86_400_000)
    await sql("UPDATE session SET expires = ? WHERE id = ?", Date.now() - 1, sessionId)
    expect((await sub("a", "x", { sessionId })).content[0]?.text).toMatch(/unknown session/)
    expect(await row("a", sessionId)).toBeUndefined()
  })

  test("[J25] only the newest runs of a long conversation are read", async () => {
    const { sessionId } = (await sub("a", "one")).details
    await sql("UPDATE session_chunk SET bytes = 399990 WHERE id = ?", sessionId)
    const second = await sub("a", "two", { sessionId })
    const third = await sub("a", "three", { sessionId })
    const opened = async (r: Told) =>
      (await eventsOf(r.details.runId)).flatMap((e) => (e.type === "session.opened" ? [e.chunks.length] : []))
    expect([await opened(second), await opened(third)]).toEqual([[1], [1]])
  })
})
