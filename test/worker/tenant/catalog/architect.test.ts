// The architect through the whole Worker: a scripted model writes, reads the diagnostics and corrects; a person accepts, sends back or discards.

import { abortAllDurableObjects, evictDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test } from "vitest"
import { stagingAuthor } from "../../../../src/cloudflare/authoring/architect.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { HELD_PROVIDER, heldModel, type HeldModel } from "../../../support/worker/held-model.ts"
import { until as untilIt } from "../../../support/worker/service-client.ts"

const KEY = { authorization: "Bearer sl_local_dev", "content-type": "application/json" }
const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  SELF.fetch(`http://sluice${path}`, {
    method,
    headers: { ...KEY, ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
const ask = async <T = Told>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> => {
  const r = await call(method, path, body, headers)
  const text = await r.text()
  if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${text}`)
  return JSON.parse(text) as T
}

interface Told {
  readonly id: string
  readonly status: string
  readonly run: string
  readonly iteration: number
  readonly flow?: string
  readonly valid: boolean
  readonly files: readonly { path: string; change: string; diagnostics: readonly { code: string }[]; moved?: unknown }[]
  readonly diff: Readonly<Record<string, string>>
  readonly error?: { message: string }
}

const WAIT = { prefer: "wait=50" }
const agent = (name: string, body = "Do it."): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: rehearsal/default\ntools: read\n---\n${body}\n\n\${{task}}\n`
const flow = (name: string, agentName: string, more = ""): string =>
  `name: ${name}\ndescription: the flow ${name}\nsteps:\n  - id: work\n    type: agent\n    agent: ${agentName}\n${more}`
const agentWrite = (name: string, body?: string) => ({
  tool: "agent_write",
  args: { path: `agents/${name}.md`, content: agent(name, body) },
})
const flowWrite = (name: string, content: string) => ({ tool: "flow_write", args: { path: `flows/${name}.yaml`, content } })
const finish = (name: string) => ({ finish: { status: "complete", summary: `made ${name}`, flow_path: `flows/${name}.yaml` } })

/** One turn of a script, played by the model of the tenant's role `planning`. */
const scripts: Record<string, unknown[]> = {
  // Writes a flow whose agent is missing and one with broken YAML, reads the diagnostics, and corrects them.
  mends: [
    { calls: [{ tool: "agent_catalog", args: {} }] },
    { calls: [flowWrite("mended", flow("mended", "mender").replace("type: agent", "type: agnet"))] },
    { calls: [flowWrite("mended", flow("mended", "mender"))] },
    { calls: [agentWrite("mender")] },
    { calls: [flowWrite("mended", flow("mended", "mender"))] },
    { calls: [{ tool: "agent_catalog", args: {} }] },
    finish("mended"),
  ],
  first: [{ calls: [agentWrite("drafter")] }, { calls: [flowWrite("draft", flow("draft", "drafter"))] }, finish("draft")],
  second: [{ calls: [flowWrite("draft", flow("draft", "drafter", "    task: short and plain\n"))] }, finish("draft")],
  edits: [{ calls: [flowWrite("house", flow("house", "keeper", "    task: sweep ${{task}}\n"))] }, finish("house")],
  fails: [{ calls: [agentWrite("half")] }, { error: { status: 401, message: "no entry" } }],
  direct: [{ calls: [agentWrite("direct")] }, finish("direct")],
  idle: [{ finish: { status: "complete", summary: "nothing to do", flow_path: "none" } }],
}

const played = (script: string) => ask("PUT", "/v1/settings/roles", { planning: `scripts/${script}` })

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/scripts", { kind: "scripted", turns: scripts })
  await ask("PUT", "/v1/catalog", { agents: { "keeper.md": agent("keeper") }, flows: { "house.yaml": flow("house", "keeper") } })
})

/** Writes an agent, then hangs. */
async function slowly(): Promise<HeldModel> {
  await ask("PUT", "/v1/settings/providers/held", HELD_PROVIDER)
  await ask("PUT", "/v1/settings/roles", { planning: "held/m" })
  const last = { tool: "finish", args: finish("slow-draft").finish }
  return heldModel([agentWrite("slowly"), flowWrite("slow-draft", flow("slow-draft", "slowly")), last], 1)
}

const open = async (script: string, body: object = { task: "make it" }): Promise<Told> => {
  await played(script)
  return ask("POST", "/v1/architect", body, WAIT)
}
const eventsOf = async (run: string): Promise<RunEvent[]> => (await ask<{ data: RunEvent[] }>("GET", `/v1/runs/${run}/events`)).data
const revision = async (): Promise<number> => (await ask<{ revision: number }>("GET", "/v1/catalog")).revision
async function until(id: string, right: (told: Told) => boolean): Promise<Told> {
  for (let i = 0; i < 3_000; i++) {
    const told = await ask("GET", `/v1/architect/${id}`)
    if (right(told)) return told
    await new Promise((r) => setTimeout(r, 10))
  }
  throw new Error(`session ${id} does not get there: ${JSON.stringify(await ask("GET", `/v1/architect/${id}`))}`)
}

describe("write, read the diagnostics, correct", () => {
  test("[F73, F75] a file with errors is not staged, the model gets the diagnostics, and the corrected flow is ready, accepted in one revision, and runs", async () => {
    const before = await revision()
    const session = await open("mends")
    expect(session).toMatchObject({ status: "ready", flow: "mended", iteration: 1, valid: true })
    expect(session.files.map(({ path, change, diagnostics }) => [path, change, diagnostics.length])).toEqual([
      ["agents/mender.md", "added", 0],
      ["flows/mended.yaml", "added", 0],
    ])
    expect(session.diff["flows/mended.yaml"]).toContain("+    agent: mender")

    const answers = (await eventsOf(session.run)).flatMap((e) =>
      e.type === "tool.returned" ? [JSON.parse(e.content.map((part) => (part.type === "text" ? part.text : "")).join("")) as unknown] : [],
    )
    expect(answers[1]).toMatchObject({ written: false, diagnostics: [{ severity: "error", line: 5 }] })
    expect(answers[2]).toMatchObject({ written: false, diagnostics: [{ code: "FV-AGENT" }] })
    expect(answers.slice(3, 5)).toMatchObject([{ written: true }, { written: true, diagnostics: [] }])
    const names = (rows: unknown): string[] => (rows as { name: string }[]).map((row) => row.name)
    expect([names(answers[0]).includes("mender"), names(answers[5]).includes("mender")]).toEqual([false, true])

    expect([await revision(), (await call("GET", "/v1/flows/mended")).status]).toEqual([before, 404])
    const done = await ask<{ revision: number; paths: string[] }>("POST", `/v1/architect/${session.id}/accept`)
    expect(done).toMatchObject({ revision: before + 1, paths: ["agents/mender.md", "flows/mended.yaml"] })
    expect(await ask("POST", `/v1/architect/${session.id}/accept`)).toEqual(done)
    const { data } = await ask<{ data: unknown[] }>("GET", "/v1/catalog/history?limit=1")
    expect(data).toMatchObject([{ revision: before + 1, by: "local", action: "write", changed: 2 }])
    const run = await ask<RunView>("POST", "/v1/flows/mended/runs", { task: "go", rehearse: true }, WAIT)
    expect(run.status).toBe("succeeded")
    const after = await ask("GET", `/v1/architect/${session.id}`)
    expect([after.status, after.diff]).toEqual(["accepted", session.diff])
  })

  test("[G8] outside a session, an agent with the role writes to the catalog directly", async () => {
    await played("direct")
    const r = await ask<object>("POST", "/v1/tools/subagent", { agent: "flow-architect", task: "directly" })
    expect(r).toMatchObject({ details: expect.anything() })
    expect(await (await call("GET", "/v1/agents/direct")).text()).toBe(agent("direct"))
    expect(JSON.stringify(await ask<object>("GET", "/v1/architect"))).not.toContain("directly")
  })

  test("[F41] a change request includes the current flow, with its templates unexpanded, and its own agents", async () => {
    await ask("PUT", "/v1/catalog", {
      agents: { "keeper.md": agent("keeper") },
      flows: { "house.yaml": flow("house", "keeper", "    task: keep ${{task}}\n") },
    })
    const session = await open("edits", { flow: "house", change: "sweep instead" })
    expect(session).toMatchObject({ status: "ready", flow: "house" })
    expect(session.diff).toEqual({ "flows/house.yaml": expect.stringContaining("-    task: keep ${{task}}\n+    task: sweep ${{task}}\n") })
    const opened = (await eventsOf(session.run)).find((e) => e.type === "step.opened")
    const text = JSON.stringify(opened)
    expect([text.includes("keep ${{task}}"), text.includes("agents/keeper.md"), text.includes("sweep instead")]).toEqual([true, true, true])
    await ask("POST", `/v1/architect/${session.id}/accept`)
    expect(await (await call("GET", "/v1/flows/house")).text()).toContain("sweep ${{task}}")
  })
})

describe("sent back", () => {
  test("[J11] a new run gets the same files, the notes and the difference; then the session is ready again", async () => {
    const session = await open("first")
    await played("second")
    const again = await ask("POST", `/v1/architect/${session.id}/revise`, { notes: "shorter, please" }, WAIT)
    expect(again).toMatchObject({ id: session.id, status: "ready", iteration: 2, valid: true })
    expect(again.run).not.toBe(session.run)
    expect(again.files.map((f) => f.path)).toEqual(["agents/drafter.md", "flows/draft.yaml"])
    expect(again.diff["flows/draft.yaml"]).toContain("+    task: short and plain")
    const task = (await ask<RunView>("GET", `/v1/runs/${again.run}`)).task
    expect([task.includes("shorter, please"), task.includes("name: draft"), task.includes("agents/drafter.md")]).toEqual([true, true, true])
    await ask("POST", `/v1/architect/${session.id}/accept`)
    expect((await call("POST", `/v1/architect/${session.id}/revise`, { notes: "more" })).status).toBe(409)
    expect((await call("DELETE", `/v1/architect/${session.id}`)).status).toBe(409)
  })

  test("[F73] a flow that changed in the meantime is not overwritten: 409 names it, and the next round sees the new text", async () => {
    await ask("PUT", "/v1/catalog", { flows: { "house.yaml": flow("house", "keeper") }, agents: { "keeper.md": agent("keeper") } })
    const session = await open("edits", { flow: "house", change: "sweep" })
    await call("PUT", "/v1/flows/house", flow("house", "keeper", "    description: theirs\n"), { "content-type": "application/yaml" })
    const before = await revision()
    const refused = await call("POST", `/v1/architect/${session.id}/accept`)
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: "catalog_moved", changed: [{ path: "flows/house.yaml" }] }])
    expect(await revision()).toBe(before)
    expect((await ask("GET", `/v1/architect/${session.id}`)).files[0]?.moved).toBeDefined()
    await played("edits")
    const again = await ask("POST", `/v1/architect/${session.id}/revise`, { notes: "once more" }, WAIT)
    expect((await ask<RunView>("GET", `/v1/runs/${again.run}`)).task).toContain("description: theirs")
    expect((await ask("POST", `/v1/architect/${session.id}/accept`)).status).toBe("accepted")
  })

  test("[F73] a draft that no longer validates is 422 with its diagnostics, and nothing is written", async () => {
    await ask("PUT", "/v1/catalog", { flows: { "house.yaml": flow("house", "keeper") }, agents: { "keeper.md": agent("keeper") } })
    const session = await open("edits", { flow: "house", change: "sweep" })
    await call("DELETE", "/v1/agents/keeper?force=1")
    const before = await revision()
    const refused = await call("POST", `/v1/architect/${session.id}/accept`)
    expect([refused.status, await refused.json()]).toMatchObject([
      422,
      { code: "not_written", diagnostics: { "flows/house.yaml": [{ code: "FV-AGENT" }] } },
    ])
    expect([await revision(), (await ask("GET", `/v1/architect/${session.id}`)).valid]).toEqual([before, false])
  })
})

describe("not accepted", () => {
  test("[F34] a failed run leaves a failed session with a reason, which cannot be accepted", async () => {
    const session = await open("fails")
    expect(session).toMatchObject({
      status: "failed",
      files: [{ path: "agents/half.md" }],
      error: { message: expect.stringContaining("no entry") },
    })
    expect((await call("POST", `/v1/architect/${session.id}/accept`)).status).toBe(409)
    await played("first")
    const again = await ask("POST", `/v1/architect/${session.id}/revise`, { notes: "try again", fresh: true }, WAIT)
    expect([again.status, again.files.some((f) => f.path === "agents/half.md")]).toEqual(["ready", false])
  })

  test("[F34] an architect that writes nothing has failed", async () => {
    expect(await open("idle")).toMatchObject({
      status: "failed",
      valid: false,
      files: [],
      error: { message: expect.stringContaining("without changing any file") },
    })
  })

  test("[F34] discarding a session cancels its run, deletes its files, and refuses late writes", async () => {
    await slowly()
    const { id, run } = await ask("POST", "/v1/architect", { task: "slowly" })
    expect((await call("POST", `/v1/architect/${id}/accept`)).status).toBe(409)
    expect((await call("POST", `/v1/architect/${id}/revise`, { notes: "now" })).status).toBe(409)
    expect((await call("DELETE", `/v1/architect/${id}`)).status).toBe(204)
    expect((await call("DELETE", `/v1/architect/${id}`)).status).toBe(204)
    expect((await ask<RunView>("GET", `/v1/runs/${run}`)).status).toBe("canceled")
    expect(await ask("GET", `/v1/architect/${id}`)).toMatchObject({ status: "discarded", files: [] })
    const late = await stagingAuthor(env, "local", id, run).writeAgent("agents/late.md", agent("late"))
    expect(late).toMatchObject({ written: false })
  })

  test("[F73] of two sessions for one flow, the first is accepted and the second is refused with the reason", async () => {
    await ask("PUT", "/v1/catalog", { flows: { "house.yaml": flow("house", "keeper") }, agents: { "keeper.md": agent("keeper") } })
    scripts["other"] = [{ calls: [flowWrite("house", flow("house", "keeper", "    task: paint\n"))] }, finish("house")]
    await ask("PUT", "/v1/settings/providers/others", { kind: "scripted", turns: scripts })
    const one = await open("edits", { flow: "house", change: "sweep" })
    await ask("PUT", "/v1/settings/roles", { planning: "others/other" })
    const two = await ask("POST", "/v1/architect", { flow: "house", change: "paint" }, WAIT)
    expect([one.diff["flows/house.yaml"]?.includes("paint"), two.diff["flows/house.yaml"]?.includes("sweep")]).toEqual([false, false])
    const { data } = await ask<{ data: { id: string; status: string }[] }>("GET", "/v1/architect?limit=2")
    expect(data.map((row) => row.id)).toEqual([two.id, one.id])
    expect((await ask("POST", `/v1/architect/${one.id}/accept`)).status).toBe("accepted")
    expect((await call("POST", `/v1/architect/${two.id}/accept`)).status).toBe(409)
  })
})

describe("crashes", () => {
  test("[J10] objects evicted in the middle lose no staged file, and the run's end reaches the session", async () => {
    const model = await slowly()
    const before = await revision()
    const { id, run } = await ask("POST", "/v1/architect", { task: "slowly" })
    await until(id, (told) => told.files.length === 1)
    await untilIt(async () => model.asked > 0, "the second call of the model")
    await abortAllDurableObjects()
    model.held = false
    const session = await until(id, (told) => told.status !== "working")
    expect([session.status, session.files.map((f) => f.path)]).toEqual(["ready", ["agents/slowly.md", "flows/slow-draft.yaml"]])
    expect((await eventsOf(run)).some((e) => e.type === "action.lost")).toBe(true)
    expect([await revision(), (await call("GET", "/v1/agents/slowly")).status]).toEqual([before, 404])
    await evictDurableObject(env.TENANT.get(env.TENANT.idFromName("local")))
    expect((await ask("POST", `/v1/architect/${id}/accept`)).status).toBe("accepted")
    await evictDurableObject(env.TENANT.get(env.TENANT.idFromName("local")))
    expect(await ask("GET", `/v1/architect/${id}`)).toMatchObject({ status: "accepted", diff: session.diff })
  })

  test("[H4] two starts with one key are one session", async () => {
    await played("first")
    const key = { "idempotency-key": "architect-1" }
    const one = await ask("POST", "/v1/architect", { task: "make it" }, key)
    expect((await ask("POST", "/v1/architect", { task: "make it" }, key)).id).toBe(one.id)
    expect((await call("POST", "/v1/architect", { task: "another" }, key)).status).toBe(422)
    await until(one.id, (told) => told.status === "ready")
  })
})
