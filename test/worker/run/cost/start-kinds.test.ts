// Each way to start a run, seen in the first event of its journal: all contain the caller's trace [H8], and a child also its
// parent's receiver [W6].

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { SELF } from "cloudflare:test"
import { Webhook } from "standardwebhooks"
import { beforeAll, describe, expect, test } from "vitest"
import type { EventOf } from "../../../../src/core/run/event.ts"
import { agent, ask, call, ended, eventsOf, flow, LOCAL, runOf, until } from "../../../support/worker/house.ts"
import { until as untilIt } from "../../../support/worker/service-client.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const SPAN = "00f067aa0ba902b7"
const TRACED = { traceparent: `00-${TRACE}-${SPAN}-01` }
const SECRET = `whsec_${btoa("a standard secret of 32 bytes ok")}`
/** An event type that does not occur in these tests, so that no receiver is called. */
const CALLBACK = { url: "https://receiver.example.com/in", secret: "hs", events: ["run.failed"] }

beforeAll(async () => {
  await call("PUT", "/v1/secrets/hs", { value: SECRET })
  await ask("PUT", "/v1/settings/providers/team", {
    kind: "scripted",
    turns: {
      lead: [
        { calls: [{ tool: "call_agent", args: { agent: "mate", prompt: "look" } }] },
        { finish: { status: "complete", summary: "all done" } },
      ],
      mate: [{ finish: { status: "complete", summary: "found it" } }],
    },
  })
  await call("PUT", "/v1/settings/roles", { planning: "team/mate" })
  await ask("PUT", "/v1/catalog", {
    agents: {
      "a.md": agent("a"),
      "lead.md": "---\nname: lead\ndescription: d\nmodel: team/lead\nrole: coordinator\nroutes: [mate]\n---\n${{task}}\n",
      "mate.md": "---\nname: mate\ndescription: d\nmodel: team/mate\n---\n${{task}}\n",
    },
    flows: {
      "quick.yaml": flow("quick", "  - { id: a, type: agent, agent: a }\n"),
      "parent.yaml": flow("parent", "  - { id: r, type: flow-ref, flow: quick }\n"),
      "team.yaml": flow("team", "  - { id: a, type: agent, agent: lead }\n"),
    },
  })
})

type Started = EventOf<"run.started">

async function startedOf(id: string): Promise<Started> {
  const first = await untilIt(async () => (await eventsOf(id).catch(() => []))[0], `the start of ${id}`)
  if (first.type !== "run.started") throw new Error(`the journal of ${id} begins with ${first.type}`)
  return first
}

const traced = async (path: string, body: unknown): Promise<Response> => call("POST", path, body, TRACED)
const idOf = async (answer: Response, field = "id"): Promise<string> => {
  const body = await answer.json<Record<string, string>>()
  if (!answer.ok) throw new Error(`${answer.status} ${JSON.stringify(body)}`)
  return body[field] ?? ""
}

/** Each kind of start that a request can make; each returns the id of its run. */
const KINDS: Record<string, () => Promise<string>> = {
  api: async () => idOf(await traced("/v1/flows/quick/runs", { task: "go" })),
  architect: async () => idOf(await traced("/v1/architect", { task: "make a flow" }), "run"),
  async subagent() {
    const { details } = await (await traced("/v1/tools/subagent", { agent: "a", task: "go" })).json<{ details: { runId: string } }>()
    return details.runId
  },
  async mcp() {
    const client = new Client({ name: "test", version: "1" }, { capabilities: {}, versionNegotiation: { mode: "auto" } })
    const transport = new StreamableHTTPClientTransport(new URL("http://sluice/mcp"), {
      requestInit: { headers: { authorization: `Bearer ${LOCAL}`, ...TRACED } },
      fetch: (url, init) => SELF.fetch(String(url), init as RequestInit),
    })
    await client.connect(transport)
    const result = await client.callTool({ name: "flow_quick", arguments: { task: "go" } })
    return (result.structuredContent as { run: string }).run
  },
  async webhook() {
    const hook = await ask<{ id: string }>("POST", "/v1/hooks", { flow: "quick", kind: "standard", secret: "hs", mapping: { task: "go" } })
    const [at, body] = [new Date(), JSON.stringify({ n: 1 })]
    const signed = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(SECRET).sign("msg_1", at, body),
    }
    const headers = { "content-type": "application/json", ...signed, ...TRACED }
    return idOf(await SELF.fetch(`http://sluice/v1/hooks/${hook.id}`, { method: "POST", headers, body }), "run")
  },
}

describe("what a start contains", () => {
  test.each(Object.entries(KINDS))("[H8] %s: the trace of the request that starts the run", async (_kind, start) => {
    expect((await startedOf(await start())).trace).toEqual({ id: TRACE, parent: SPAN })
  })

  test("[H8] [W5] a run started by a schedule has no request's trace", async () => {
    const { id } = await ask<{ id: string }>("POST", "/v1/schedules", { flow: "quick", cron: "0 0 29 2 *", task: "go" })
    const { run } = await ask<{ run: string }>("POST", `/v1/schedules/${id}/fire`, {}, TRACED)
    const started = await startedOf(run)
    expect([started.trigger.kind, started.trace, started.callback]).toEqual(["schedule", undefined, undefined])
  })

  test.each([
    ["a flow's child", "parent"],
    ["an agent of a team", "team"],
  ])("[H8] [W6] %s has the trace and the receiver of its parent", async (_kind, name) => {
    const id = await idOf(await traced(`/v1/flows/${name}/runs`, { task: "go", callback: CALLBACK }))
    expect((await until(id, ended)).status).toBe("succeeded")
    const [child = ""] = (await runOf(id)).children
    const [parent, started] = [await startedOf(id), await startedOf(child)]
    expect(parent).toMatchObject({ callback: CALLBACK, trace: { id: TRACE, parent: SPAN } })
    expect(started).toMatchObject({ callback: CALLBACK, trace: { id: TRACE }, parent: { run: id, depth: 1, root: id } })
    // It is linked to its parent's step, not to the caller's span.
    expect(started.trace?.parent).not.toBe(SPAN)
  })
})
