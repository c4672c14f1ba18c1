// Schedules over HTTP [W5].

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const GOOD = { flow: "f", cron: "30 9 * * 1-5" }

function ready(face: Parameters<ReturnType<typeof setUp>["acme"]["catalog"]["flow"]>[0] = {}) {
  const all = setUp()
  all.acme.catalog.flow(face)
  return all
}

describe("a schedule", () => {
  test("[W5] is created, read, replaced as a whole and deleted", async () => {
    const { ask } = ready()
    const made = await ask("POST", "/v1/schedules", { body: { ...GOOD, zone: "Europe/Berlin", task: "go", overlap: "queue" } })
    const row = {
      id: "sch_0",
      ...GOOD,
      zone: "Europe/Berlin",
      task: "go",
      overlap: "queue",
      enabled: true,
      created: "1970-01-01T00:00:00.000Z",
      next: "1970-01-01T00:01:00.000Z",
      last: null,
    }
    expect([made.status, made.headers.get("location"), made.body]).toEqual([201, "/v1/schedules/sch_0", row])
    expect((await ask("GET", "/v1/schedules")).body).toEqual({ data: [row], next_cursor: null })
    expect((await ask("GET", "/v1/schedules/sch_0")).body).toEqual(row)
    const { task: _task, ...rest } = row
    expect((await ask("PUT", "/v1/schedules/sch_0", { body: { ...GOOD, enabled: false } })).body).toEqual({
      ...rest,
      zone: "UTC",
      overlap: "skip",
      enabled: false,
      next: null,
    })
    expect((await ask("DELETE", "/v1/schedules/sch_0")).status).toBe(204)
    for (const [method, path] of [
      ["GET", ""],
      ["PUT", ""],
      ["DELETE", ""],
      ["POST", "/fire"],
    ] as const)
      expect((await ask(method, `/v1/schedules/sch_0${path}`, method === "PUT" ? { body: GOOD } : {})).status).toBe(404)
  })

  test.each([
    [{ cron: "61 * * * *" }, "/cron"],
    [{ cron: "* * *" }, "/cron"],
    [{ cron: "0 0 30 2 *" }, "/cron"],
    [{ zone: "Mars/Olympus" }, "/zone"],
    [{ overlap: "wait" }, "/overlap"],
    [{ inputs: { n: 1 } }, "/inputs/n"],
    [{ task: 7 }, "/task"],
    [{ crom: "x" }, "/crom"],
  ])("[W5] %j is refused by its pointer", async (more, pointer) => {
    const { ask, acme } = ready()
    const r = await ask("POST", "/v1/schedules", { body: { ...GOOD, ...more } })
    expect([r.status, r.body["errors"]]).toEqual([422, [expect.objectContaining({ pointer })]])
    await acme.schedules.create({ ...GOOD, zone: "UTC", overlap: "skip", enabled: true })
    expect((await ask("PUT", "/v1/schedules/sch_0", { body: { ...GOOD, ...more } })).status).toBe(422)
    // [H10] Faults of the body matter only if the schedule exists.
    expect((await ask("PUT", "/v1/schedules/sch_9", { body: { ...GOOD, ...more } })).status).toBe(404)
  })

  test("[W5] of a flow that does not exist, or without a required task, is refused", async () => {
    const { ask, acme } = ready({ task_required: true })
    expect((await ask("POST", "/v1/schedules", { body: GOOD })).body["errors"]).toEqual([expect.objectContaining({ pointer: "/task" })])
    acme.catalog.pinResult = { ok: false, code: "not_found" }
    for (const flow of ["none", "../x"])
      expect((await ask("POST", "/v1/schedules", { body: { ...GOOD, flow } })).body["errors"]).toEqual([
        expect.objectContaining({ pointer: "/flow" }),
      ])
    expect(acme.schedules.rows).toEqual([])
  })

  test("[W5] [T32] stores no secret in its task", async () => {
    const { ask, acme } = ready()
    await acme.secrets.put("token", ["CANARY-1234567890"])
    expect((await ask("POST", "/v1/schedules", { body: { ...GOOD, task: "use CANARY-1234567890" } })).body["task"]).toBe(
      "use [secret:token]",
    )
  })

  test("[W5] [N5] needs the scope admin", async () => {
    const { ask, services } = ready()
    services.key("writer", "acme", ["runs:read", "runs:write"])
    for (const path of ["", "/preview", "/sch_0/fire"])
      expect((await ask("POST", `/v1/schedules${path}`, { key: "writer", body: GOOD })).status).toBe(403)
  })

  test("[W5] has a maximum number per tenant", async () => {
    const { ask, acme } = ready()
    acme.schedules.full = true
    expect((await ask("POST", "/v1/schedules", { body: GOOD })).body["code"]).toBe("too_many_schedules")
  })

  test("[W5] a fire answers its verdict; a refused start is a problem document", async () => {
    const { ask, acme } = ready()
    await ask("POST", "/v1/schedules", { body: GOOD })
    const fire = (body?: unknown) => ask("POST", "/v1/schedules/sch_0/fire", { body })
    expect([(await fire()).status, (await fire({})).body]).toEqual([202, { run: "run_fired", verdict: "started" }])
    acme.schedules.fired = { run: null, verdict: "skipped" }
    expect((await fire()).body).toEqual({ run: null, verdict: "skipped" })
    acme.schedules.fired = { run: null, verdict: "failed", reason: 'there is no flow "f"' }
    expect((await fire()).body).toMatchObject({ status: 422, code: "not_started" })
    expect((await fire({ now: true })).status).toBe(422)
  })
})

describe("a preview", () => {
  const preview = async (body: unknown) => {
    const { ask } = ready()
    return ask("POST", "/v1/schedules/preview", { body })
  }

  test("[W5] lists the next fires and writes nothing", async () => {
    const berlin = { cron: "30 9 * * 1-5", zone: "Europe/Berlin", from: "2026-03-27T09:00:00Z", count: 3 }
    expect((await preview(berlin)).body).toEqual({
      next: ["2026-03-30T07:30:00.000Z", "2026-03-31T07:30:00.000Z", "2026-04-01T07:30:00.000Z"],
    })
    expect((await preview({ cron: "* * * * *" })).body["next"]).toHaveLength(5)
    expect((await preview({ cron: "0 12 * * *", from: "2026-01-01T14:00:00+02:00", count: 1 })).body).toEqual({
      next: ["2026-01-02T12:00:00.000Z"],
    })
  })

  test.each([
    [{ cron: "61 * * * *" }, ["/cron"]],
    [{ cron: "nope", zone: "Nowhere" }, ["/cron", "/zone"]],
    [{ cron: "* * * * *", from: "tomorrow" }, ["/from"]],
    [{ cron: "* * * * *", count: 0 }, ["/count"]],
    [{ cron: "* * * * *", count: 101 }, ["/count"]],
    [{ cron: "* * * * *", count: 1.5 }, ["/count"]],
    [{}, ["/cron"]],
  ])("[W5] %j is refused", async (body, pointers) => {
    const r = await preview(body)
    const errors: unknown = r.body["errors"]
    expect([r.status, Array.isArray(errors) && errors.map((e) => e.pointer)]).toEqual([422, pointers])
  })

  test("[W5] [H3] at the end of the calendar the list is short, and not slow", async () => {
    const spent = cpuClock()
    expect((await preview({ cron: "0 0 29 2 *", from: "9996-01-01T00:00:00Z", count: 100 })).status).toBe(200)
    expect(spent()).toBeLessThan(4_000)
  })
})
