// A delivery or a fire that cannot start leaves a failed run that can be found [W8].

import { evictDurableObject, SELF } from "cloudflare:test"
import { describe, expect, test } from "vitest"
import { ended, runObject, tenant, until, type Tenant } from "../../../support/worker/service-client.ts"

const AGENT = "---\nname: a\ndescription: a\nmodel: rehearsal/default\ntools: read\n---\n${{task}}\n"
const flow = (more = ""): string => `name: f\ndescription: d\n${more}steps:\n  - { id: s, type: agent, agent: a }\n`
const PLAIN = { agents: { "a.md": AGENT }, flows: { "f.yaml": flow() } }

interface Row {
  readonly id: string
  readonly flow: string
  readonly status: string
  readonly error?: { readonly source: string; readonly message: string }
  readonly trigger: { readonly kind: string; readonly hook?: string; readonly schedule?: string }
}

async function hooked(
  id: string,
  hook: object = {},
): Promise<Tenant & { send: (body: object) => Promise<{ run: string; verdict: string }>; hook: string }> {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/catalog", PLAIN)
  await t.ask("PUT", "/v1/secrets/hs", { value: "12345678" })
  const made = await t.ask<{ id: string; url: string }>("POST", "/v1/hooks", { flow: "f", kind: "token", secret: "hs", ...hook })
  const send = async (body: object): Promise<{ run: string; verdict: string }> =>
    (
      await SELF.fetch(`http://sluice/v1/hooks/${made.id}`, {
        method: "POST",
        headers: { authorization: "Bearer 12345678", "content-type": "application/json" },
        body: JSON.stringify(body),
      })
    ).json()
  return Object.assign(t, { send, hook: made.id })
}

async function found(t: Tenant, run: string): Promise<Row> {
  await ended(t, run)
  await until(async () => (await t.ask<{ data: Row[] }>("GET", "/v1/runs?status=failed")).data.some((r) => r.id === run), "the row")
  const [row] = (await t.ask<{ data: Row[] }>("GET", "/v1/runs?status=failed")).data.filter((r) => r.id === run)
  if (!row) throw new Error("it was listed a moment ago")
  // The same from its journal, in an object that has just woken.
  await evictDurableObject(runObject(t.id, run))
  const view = await t.ask<Row>("GET", `/v1/runs/${run}`)
  expect([view.status, view.error, view.flow]).toEqual([row.status, row.error, row.flow])
  const events = await t.ask<{ data: { type: string }[] }>("GET", `/v1/runs/${run}/events`)
  expect(events.data.map((e) => e.type)).toEqual(["run.started", "run.ended"])
  return row
}

describe("a delivery that cannot start", () => {
  test("[W8] whose flow is gone leaves a failed run, and the delivery names it", async () => {
    const t = await hooked("fs-gone")
    expect((await t.raw("DELETE", "/v1/flows/f?force=1")).status).toBe(204)
    const { run, verdict } = await t.send({ n: 1 })
    expect(verdict).toBe("accepted")
    expect(await found(t, run)).toMatchObject({
      flow: "f",
      status: "failed",
      error: { source: "config", message: 'there is no flow "f"' },
      trigger: { kind: "webhook", hook: t.hook },
    })
    const { data } = await t.ask<{ data: object[] }>("GET", `/v1/hooks/${t.hook}/deliveries`)
    expect(data).toMatchObject([{ verdict: "failed", run, reason: 'there is no flow "f"' }])
    // The sender may try again, and the run can be deleted like any other.
    expect((await t.send({ n: 1 })).run).not.toBe(run)
    expect((await t.raw("DELETE", `/v1/runs/${run}`)).status).toBe(204)
  })

  test.each([
    ["fs-inputs", { "f.yaml": flow("inputs: { n: { type: number, required: true } }\n") }, /the flow needs the input "n"/],
    ["fs-task", { "f.yaml": flow("task_required: true\n") }, /needs a task/],
    ["fs-broken", { "f.yaml": flow() }, /agent "a"|a\.md|does not/],
  ])("[W8] %s: its flow has changed since", async (id, flows, why) => {
    const t = await hooked(id)
    await t.ask("PUT", "/v1/catalog", { flows })
    if (id === "fs-broken") expect((await t.raw("DELETE", "/v1/agents/a?force=1")).status).toBe(204)
    const { run } = await t.send({ n: "x" })
    expect((await found(t, run)).error?.message).toMatch(why)
  })

  test("[W8] it counts for no place: the next run starts", async () => {
    const t = await hooked("fs-place")
    await t.raw("DELETE", "/v1/flows/f?force=1")
    for (let n = 0; n < 3; n++) await found(t, (await t.send({ n })).run)
    await t.ask("PUT", "/v1/catalog", PLAIN)
    const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/f/runs", { task: "go" })
    expect((await ended(t, id)).status).toBe("succeeded")
  })
})

describe("a schedule that cannot start", () => {
  test("[W8] its fire leaves a failed run, and `last` names it", async () => {
    const t = await tenant("fs-schedule")
    await t.ask("PUT", "/v1/catalog", PLAIN)
    const { id } = await t.ask<{ id: string }>("POST", "/v1/schedules", { flow: "f", cron: "0 0 1 1 *", task: "go" })
    await t.raw("DELETE", "/v1/flows/f?force=1")
    const fired = await t.raw("POST", `/v1/schedules/${id}/fire`, {})
    const body = (await fired.json()) as { code: string; run: string }
    expect([fired.status, body.code]).toEqual([422, "not_started"])
    expect(await found(t, body.run)).toMatchObject({
      status: "failed",
      error: { message: 'there is no flow "f"' },
      trigger: { kind: "schedule", schedule: id },
    })
    expect(await t.ask("GET", `/v1/schedules/${id}`)).toMatchObject({ last: { run: body.run, error: 'there is no flow "f"' } })
  })
})
