// Threads [P1] through the whole Worker: from each way to start a run to its journal, the run, the list, and its sticky session.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { SELF } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import chatFlow from "../../../templates/chat/flows/chat.yaml?raw"
import host from "../../../templates/chat/agents/host.md?raw"
import { HELD_PROVIDER, heldModel } from "../../support/worker/held-model.ts"
import { agent, ask, call, ended, eventsOf, flow, LOCAL, runOf, start, until } from "../../support/worker/house.ts"

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/th", {
    kind: "scripted",
    turns: {
      sticky: [{ finish: { status: "complete", summary: "noted" } }],
      "*": [{ finish: { status: "complete", summary: "done" } }],
    },
  })
  await ask("PUT", "/v1/settings/providers/held", HELD_PROVIDER)
  await ask("PUT", "/v1/settings/roles", { planning: "th/planner" })
  await call("PUT", "/v1/secrets/threadhook", { value: "token-of-the-thread-hook" })
  const scripted = (name: string): string => agent(name).replace("rehearsal/default", `th/${name}`)
  await ask("PUT", "/v1/catalog", {
    agents: { "sticky.md": scripted("sticky"), "host.md": host.replace("@fast", "held/m") },
    flows: {
      "chat.yaml": chatFlow,
      "talk.yaml": flow("talk", '  - { id: a, type: agent, agent: sticky, session: "${{session}}" }\n'),
      "calls.yaml": flow("calls", "  - { id: b, type: flow-ref, flow: talk, task: go }\n"),
    },
  })
})

interface Listed {
  readonly data: readonly { readonly id: string; readonly thread: string; readonly session?: string }[]
}
const listed = (query: string): Promise<Listed> => ask<Listed>("GET", `/v1/runs?${query}`)
const startedOf = async (id: string) => {
  const [first] = await eventsOf(id)
  if (first?.type !== "run.started") throw new Error("the journal does not begin with run.started")
  return first
}
const sha256 = async (text: string): Promise<string> =>
  [...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))]
    .map((b) => b.toString(16).padStart(2, "0"))
    .join("")

describe("the project that `init chat` makes", () => {
  test("[P1] remembers: a second message of a thread is sent with the first and its answer, and the prompt has neither", async () => {
    const answer = { tool: "finish", args: { status: "complete", summary: "answered", reply: "Good day, Ada." } }
    const model = heldModel([answer, answer])
    model.held = false
    for (const task of ["My name is Ada.", "What is my name?"])
      expect((await until(await start("chat", { task, thread: "visitor-1" }), ended)).status).toBe("succeeded")
    const [first = [], second = []] = model.sent
    const [system, ...said] = second.map(({ content }) => JSON.stringify(content))
    expect(system).toBe(JSON.stringify(first[0]?.content))
    expect(system).not.toMatch(/Ada|my name/)
    expect(said[0]).toContain("My name is Ada.")
    expect(said.at(-1)).toContain("What is my name?")
  })
})

describe("a start that names a thread", () => {
  test("[P1] has it in run.started, in the run and in its list item, and the list finds it", async () => {
    const thread = "support / ticket #42 (50 % done)"
    const id = await start("talk", { thread })
    const done = await until(id, ended)
    expect([done.thread, (await startedOf(id)).thread]).toEqual([thread, thread])
    const found = await listed(`thread=${encodeURIComponent(thread)}`)
    expect(found.data.map((run) => [run.id, run.thread])).toEqual([[id, thread]])
    expect((await listed(`thread=${encodeURIComponent(thread)}&flow=other`)).data).toEqual([])
  })

  test("[P1] [J25] continues the session of that name; any other thread has the session of its digest", async () => {
    for (const [thread, session] of [
      ["customer-7", "customer-7"],
      [".hidden", `t-${(await sha256(".hidden")).slice(0, 32)}`],
      ["a b", `t-${(await sha256("a b")).slice(0, 32)}`],
      ["x".repeat(129), `t-${(await sha256("x".repeat(129))).slice(0, 32)}`],
    ]) {
      for (const runs of [1, 2]) {
        const id = await start("talk", { thread })
        expect((await until(id, ended)).status).toBe("succeeded")
        expect((await startedOf(id)).session).toBe(session)
        const { data } = await ask<{ data: { id: string; runs: number }[] }>("GET", "/v1/sessions")
        expect(data.find((row) => row.id === session)).toMatchObject({ runs })
      }
    }
  })

  test("[P1] keeps the session that it names besides", async () => {
    const id = await start("talk", { thread: "a thread", session: "mine" })
    expect(await startedOf(id)).toMatchObject({ thread: "a thread", session: "mine" })
  })

  test("[P1] is refused when the thread is not 1 to 256 printable ASCII characters", async () => {
    expect((await until(await start("talk", { thread: "~".repeat(256) }), ended)).status).toBe("succeeded")
    for (const thread of ["", "~".repeat(257), "tab\there", "line\n", "é", "\u007f", 7, null]) {
      const r = await call("POST", "/v1/flows/talk/runs", { task: "go", thread })
      expect([thread, r.status, JSON.stringify(await r.json())]).toEqual([thread, 422, expect.stringContaining('"/thread"')])
    }
  })
})

describe("a start without a thread", () => {
  test("[P1] has its run's id as thread, no thread in its journal, and no session", async () => {
    const id = await start("talk")
    const done = await until(id, ended)
    const first = await startedOf(id)
    expect([done.thread, first.thread, first.session]).toEqual([id, undefined, undefined])
    expect((await listed(`thread=${id}`)).data.map((run) => [run.id, run.thread, run.session])).toEqual([[id, id, undefined]])
  })
})

describe("each way to start a run", () => {
  test("[P1] a hook's mapping makes the thread from the delivery; an empty one names none, a bad one fails visibly", async () => {
    const hook = await ask<{ id: string }>("POST", "/v1/hooks", {
      flow: "talk",
      kind: "token",
      secret: "threadhook",
      mapping: { task: "go", thread: "${{trigger.body.ticket}}" },
    })
    const deliver = async (ticket: unknown): Promise<string> => {
      const r = await SELF.fetch(`http://sluice/v1/hooks/${hook.id}`, {
        method: "POST",
        headers: { authorization: "Bearer token-of-the-thread-hook", "content-type": "application/json" },
        body: JSON.stringify({ ticket }),
      })
      expect(r.status).toBe(202)
      return ((await r.json()) as { run: string }).run
    }
    expect((await until(await deliver("ticket 9"), ended)).thread).toBe("ticket 9")
    const none = await deliver(null)
    expect((await until(none, ended)).thread).toBe(none)
    const bad = await until(await deliver("größer"), ended)
    expect([bad.status, bad.error?.message]).toEqual(["failed", expect.stringContaining("printable ASCII")])
    const wrong = await call("PUT", `/v1/hooks/${hook.id}`, { flow: "talk", kind: "token", secret: "threadhook", mapping: { thread: 7 } })
    expect([wrong.status, JSON.stringify(await wrong.json())]).toEqual([422, expect.stringContaining("/mapping/thread")])
  })

  test("[P1] a schedule starts its runs in its thread", async () => {
    const made = await ask<{ id: string; thread: string }>("POST", "/v1/schedules", {
      flow: "talk",
      cron: "0 0 1 1 *",
      thread: "nightly report",
    })
    expect(made.thread).toBe("nightly report")
    const fired = await ask<{ run: string }>("POST", `/v1/schedules/${made.id}/fire`)
    expect((await until(fired.run, ended)).thread).toBe("nightly report")
    const refused = await call("PUT", `/v1/schedules/${made.id}`, { flow: "talk", cron: "0 0 1 1 *", thread: "é" })
    expect(refused.status).toBe(422)
  })

  test("[P1] an MCP client names it in `_meta`", async () => {
    const client = new Client({ name: "test", version: "1" }, { capabilities: {} })
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://sluice/mcp"), {
        requestInit: { headers: { authorization: `Bearer ${LOCAL}` } },
        fetch: (url, init) => SELF.fetch(url, init),
      }),
    )
    const result = await client.callTool({ name: "flow_talk", arguments: { task: "go" }, _meta: { "dev.sluice/thread": "from mcp" } })
    const { run } = result.structuredContent as { run: string }
    expect((await runOf(run)).thread).toBe("from mcp")
    await client.close()
  })

  test("[P1] the architect's runs of one session are in the thread that opened it", async () => {
    const r = await call("POST", "/v1/architect", { task: "a flow that greets", thread: "drafts 1" })
    expect(r.status).toBe(202)
    const { id, run } = (await r.json()) as { id: string; run: string }
    await until(run, ended)
    expect((await startedOf(run)).thread).toBe("drafts 1")
    const again = await ask<{ run: string }>("POST", `/v1/architect/${id}/revise`, { notes: "shorter" })
    await until(again.run, ended)
    expect((await startedOf(again.run)).thread).toBe("drafts 1")
  })

  test("[P1] a child has a thread of its own", async () => {
    const parent = await until(await start("calls", { thread: "of the parent" }), ended)
    const [child = ""] = parent.children
    expect((await runOf(child)).thread).toBe(child)
    expect((await startedOf(child)).thread).toBeUndefined()
  })
})
