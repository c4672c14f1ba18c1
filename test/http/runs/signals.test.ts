// Signals into a run, which `wait` steps wait for.

import { describe, expect, test } from "vitest"
import { runId, setUp } from "../../support/http/ask.ts"

const ID = runId("r")

function ready() {
  const all = setUp()
  const run = all.acme.run(ID).begin()
  const post = (name: string, body?: unknown, id = ID) => all.ask("POST", `/v1/runs/${id}/signals/${name}`, { body })
  return { ...all, run, post }
}

describe("signals", () => {
  test("[F41] any JSON is accepted with its sender's name and answered 202", async () => {
    const { post, run } = ready()
    for (const payload of [{ paid: true }, [1], 7, null]) expect((await post("paid", payload)).status).toBe(202)
    expect(run.signals.map((s) => s.payload)).toEqual([{ paid: true }, [1], 7, null])
    expect(run.signals[0]).toMatchObject({ name: "paid", by: "name of key-a" })
  })

  test("[H10] unknown runs and malformed names are the usual 404; a run that has ended or is full of signals is 409", async () => {
    const { post, run } = ready()
    expect((await post("paid", {}, runId("no"))).status).toBe(404)
    expect((await post("a%20b", {})).status).toBe(404)
    run.signalAnswer = "over"
    expect((await post("paid", {})).body["code"]).toBe("run_over")
    run.signalAnswer = "too_many"
    expect((await post("paid", {})).status).toBe(409)
  })

  test.each([
    [["paid", "shipped"], "piad", "paid"],
    [["paid", "shipped"], "SHIPED", "shipped"],
    [["paid"], "refund", undefined],
    [[], "paid", undefined],
  ])("[F23i] of steps that wait for %j, none waits for %s: 422 with what they wait for", async (known, name, suggestion) => {
    const { post, run } = ready()
    run.signalAnswer = { ok: false, code: "unknown_signal", known }
    const r = await post(name, {})
    const [fault] = r.body["errors"] as { message: string; suggestion?: string }[]
    expect([r.status, fault?.suggestion, run.signals]).toEqual([422, suggestion, []])
    for (const one of known) expect(fault?.message).toContain(`"${one}"`)
    expect(fault?.message).toContain(`"${name}"`)
  })

  test("[H3] a body that is not JSON is 400 and sends no signal", async () => {
    const { ask, run } = ready()
    const r = await ask("POST", `/v1/runs/${ID}/signals/paid`, { body: "{no", headers: { "content-type": "application/json" } })
    expect([r.status, run.signals]).toEqual([400, []])
  })
})
