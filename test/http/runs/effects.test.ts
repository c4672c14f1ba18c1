// The routes of effects [K31–K35]: the ledger of a run, the tenant's list, a person's word, taking back.

import { describe, expect, test } from "vitest"
import { runId, setUp } from "../../support/http/ask.ts"
import { FakeRun } from "../../support/http/fake-services.ts"
import type { EffectLine } from "../../../src/ports/tenant/effects.ts"

const RUN = runId("one")
const line = (key: string, more: Partial<EffectLine> = {}): EffectLine => ({
  key,
  idempotency_key: `eff_${"0".repeat(32)}`,
  run: RUN,
  step: "a",
  pass: 1,
  tool: "send",
  target: "mail.example",
  args: { to: "bob" },
  state: "uncertain",
  at: 1_795_338_003_000,
  undoable: false,
  ...more,
})

function withRun(effects: readonly EffectLine[] = [line("a/1/0/tool/c0")]) {
  const all = setUp()
  const run = new FakeRun(RUN).begin("f", { ended: "2026-11-23T09:00:00.000Z", status: "succeeded" })
  run.effects_ = [...effects]
  all.acme.runs.set(RUN, run)
  all.acme.effects_ = effects.map(({ key }) => ({ run: RUN, key }))
  return { ...all, run }
}

describe("the effects of a run", () => {
  test("[K31] are listed in order, with times in ISO; an unknown run is 404", async () => {
    const { ask } = withRun()
    const { body } = await ask("GET", `/v1/runs/${RUN}/effects`)
    expect(body["data"]).toMatchObject([{ key: "a/1/0/tool/c0", state: "uncertain", at: "2026-11-22T09:00:03.000Z" }])
    expect((await ask("GET", `/v1/runs/${runId("nobody")}/effects`)).status).toBe(404)
  })

  test("[K34] a person says once what happened, under the percent-encoded key, with the scope for answers", async () => {
    const { ask, services } = withRun()
    const path = `/v1/runs/${RUN}/effects/${encodeURIComponent("a/1/0/tool/c0")}`
    for (const body of [{ resolve: "maybe" }, {}, { resolve: "happened", more: 1 }])
      expect((await ask("POST", path, { body })).status).toBe(422)
    services.key("writer", "acme", ["runs:write", "runs:read"])
    expect((await ask("POST", path, { key: "writer", body: { resolve: "happened" } })).status).toBe(403)
    expect((await ask("POST", `/v1/runs/${RUN}/effects/nope`, { body: { resolve: "happened" } })).status).toBe(404)
    const done = await ask("POST", path, { body: { resolve: "happened" } })
    expect([done.status, done.body["state"], done.body["by"]]).toEqual([200, "confirmed", expect.any(String)])
    const again = await ask("POST", path, { body: { resolve: "did_not" } })
    expect([again.status, again.body["code"], again.body["effect"]]).toMatchObject([409, "not_uncertain", { state: "confirmed" }])
  })

  test("[K35] an ended run takes back; a running one is 409, unknown keys are 422", async () => {
    const { ask, run } = withRun([line("x", { undoable: true, state: "confirmed" }), line("y", { undoable: true, state: "confirmed" })])
    const path = `/v1/runs/${RUN}/undo`
    expect((await ask("POST", path)).body).toEqual({ run: RUN, keys: ["y", "x"] })
    expect((await ask("POST", path, { body: { keys: ["x"] } })).status).toBe(202)
    expect((await ask("POST", path, { body: { keys: ["z"] } })).status).toBe(422)
    expect((await ask("POST", path, { body: { keys: "all" } })).status).toBe(422)
    run.begin("f")
    const early = await ask("POST", path, { body: {} })
    expect([early.status, early.body["code"]]).toEqual([409, "run_not_over"])
  })
})

describe("the effects of all runs", () => {
  test("[K31] what is open is listed, by state, tool and host; with a run, all of that run", async () => {
    const { ask } = withRun([
      line("x", { state: "staged" }),
      line("y", { tool: "pay", target: "pay.example" }),
      line("z", { state: "confirmed" }),
    ])
    const keys = async (query: string) => ((await ask("GET", `/v1/effects${query}`)).body["data"] as { key: string }[]).map((e) => e.key)
    expect(await keys("")).toEqual(["x", "y"])
    expect(await keys("?state=staged")).toEqual(["x"])
    expect(await keys("?state=staged,uncertain")).toEqual(["x", "y"])
    expect(await keys("?tool=pay")).toEqual(["y"])
    expect(await keys("?host=pay.example")).toEqual(["y"])
    expect(await keys(`?run=${RUN}`)).toEqual(["x", "y", "z"])
    expect(await keys(`?run=${RUN}&state=confirmed`)).toEqual(["z"])
    expect(await keys(`?run=${runId("nobody")}`)).toEqual([])
  })

  test.each(["?state=maybe", "?limit=201", "?limit=0", "?cursor=foreign", "?more=1"])("[K31] %s is 422", async (query) => {
    const { ask } = withRun()
    expect((await ask("GET", `/v1/effects${query}`)).status).toBe(422)
  })
})
