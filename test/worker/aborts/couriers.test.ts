// A call that leaves through another invocation [J16], while its run or the courier dies: each branch asks again and ends once.

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { Couriers } from "../../../src/cloudflare/outgoing/courier.ts"
import type { Courier } from "../../../src/cloudflare/outgoing/parcel.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { Aborts } from "../../support/worker/aborted-calls.ts"
import { HELD_PROVIDER, heldModel } from "../../support/worker/held-model.ts"
import { tenant, type Tenant } from "../../support/worker/service-client.ts"

const T = "aborts-couriers"
/** Four calls leave from the object itself, and one with a courier. */
const WIDE = 5
let t: Tenant
let aborts: Aborts

beforeAll(async () => {
  aborts = new Aborts(T)
  t = await tenant(T)
  await t.ask("PUT", "/v1/settings/providers/held", HELD_PROVIDER)
  const steps = Array.from({ length: WIDE }, (_, i) => `  - { id: s${i}, type: agent, agent: w }\n`).join("")
  await t.ask("PUT", "/v1/catalog", {
    agents: { "w.md": "---\nname: w\ndescription: w\nmodel: held/m\ntools: read\n---\nDo it. ${{task}}\n" },
    flows: { "wide.yaml": `name: wide\ndescription: d\nmax_concurrent: ${WIDE}\nsteps:\n${steps}` },
  })
})
afterAll(() => aborts.restore())
afterEach(() => vi.restoreAllMocks())

test.each([
  ["the run dies, and its call never leaves", "lost", "run"],
  ["the run dies, and the courier has sent its call", "sent", "run"],
  ["the courier dies before it sends the call", "lost", "courier"],
  ["the courier dies when its call is answered", "sent", "courier"],
] as const)("[J10] [J16] %s", async (_, how, who) => {
  aborts.begin()
  const model = heldModel([{ tool: "finish", args: { status: "complete", summary: "done" } }])
  const { hire } = Couriers.prototype
  let carried = 0
  let isMet = false
  vi.spyOn(Couriers.prototype, "hire").mockImplementation(async function (this: Couriers) {
    const courier = await hire.call(this)
    if (isMet) return courier
    isMet = true
    const proto = Object.getPrototypeOf(courier) as Courier
    const { send } = proto
    vi.spyOn(proto, "send").mockImplementationOnce(async function (this: Courier, ...call) {
      carried++
      if (how === "sent") await Reflect.apply(send, this, call)
      if (who === "courier") throw new Error("the courier is gone")
      return new Promise<never>(() => {})
    })
    return courier
  })
  const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/wide/runs", { task: "go" })
  await expect.poll(() => model.asked).toBe(how === "sent" ? WIDE : WIDE - 1)
  await expect.poll(() => carried).toBe(1)
  if (who === "run") await aborts.kill(`run ${T}/${id}`)
  model.held = false
  await aborts.calm(async () => (await aborts.events(id)).some((e) => e.type === "run.ended"))
  const events = await aborts.events(id)
  expect((await t.ask<RunView>("GET", `/v1/runs/${id}`)).status).toBe("succeeded")
  expect(events.filter((e) => e.type === "step.finished")).toHaveLength(WIDE)
  expect(events.filter((e) => e.type === "model.replied")).toHaveLength(WIDE)
  if (who === "run") expect(events.filter((e) => e.type === "action.lost")).toHaveLength(WIDE)
})
