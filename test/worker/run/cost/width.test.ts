// A fan at its full width [J16]: calls above those of the object leave through couriers, and nothing else about them differs.

import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test"
import { afterEach, beforeAll, expect, test, vi } from "vitest"
import { Couriers } from "../../../../src/cloudflare/outgoing/courier.ts"
import { agent, ask, call, ended, eventsOf, flow, start, stub, until } from "../../../support/worker/house.ts"
import { HELD_PROVIDER, heldModel } from "../../../support/worker/held-model.ts"

const WIDE = 50
const FINISH = [{ tool: "finish", args: { status: "complete", summary: "done" } }]
const DESK = "https://desk.example.com/ask"

const wide = (width: number): string =>
  flow(
    `wide-${width}`,
    Array.from({ length: WIDE }, (_, i) => `  - { id: s${i}, type: agent, agent: w }\n`).join(""),
    `max_concurrent: ${width}\n`,
  )

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/held", HELD_PROVIDER)
  await ask("PUT", "/v1/tools/desk", {
    description: "Asks the desk.",
    parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    request: { method: "GET", url: `${DESK}?n=\${{args.n}}` },
  })
  await ask("PUT", "/v1/settings/providers/twenty", {
    kind: "scripted",
    turns: {
      "*": [
        { calls: Array.from({ length: 20 }, (_, n) => ({ tool: "desk", args: { n } })) },
        { finish: { status: "complete", summary: "all asked" } },
      ],
    },
  })
  await ask("PUT", "/v1/catalog", {
    agents: {
      "w.md": agent("w").replace("rehearsal/default", "held/m"),
      "asker.md": agent("asker", "desk").replace("rehearsal/default", "twenty/m"),
    },
    flows: {
      "wide-50.yaml": wide(50),
      "wide-9.yaml": wide(9),
      "desks.yaml": flow("desks", "  - { id: a, type: agent, agent: asker }\n"),
    },
  })
})

afterEach(() => vi.restoreAllMocks())

const reaches = async (model: { asked: number }, count: number): Promise<void> => expect.poll(() => model.asked).toBe(count)

test("[J16] 50 branches ask their models at once, most of them through couriers", async () => {
  const hired = vi.spyOn(Couriers.prototype, "hire")
  const logged = vi.spyOn(console, "log")
  const model = heldModel(FINISH)
  const id = await start("wide-50")
  await reaches(model, WIDE)
  model.held = false
  const run = await until(id, ended)
  expect(run.status).toBe("succeeded")
  expect(Object.values(run.steps).map((step) => step.summary)).toEqual(Array(WIDE).fill("done"))
  // 4 of the object's own, and 6 of each courier.
  expect(hired).toHaveBeenCalledTimes(8)
  const first = (await eventsOf(id))[0]
  expect(first?.type === "run.started" && first.width).toBe(128)
  expect(JSON.stringify(logged.mock.calls)).not.toContain(HELD_PROVIDER.apiKey)
  expect(await ask("GET", `/v1/runs/${id}/replay`)).toMatchObject({ identical: true })
})

test("[J16] max_concurrent is what limits a fan", async () => {
  const model = heldModel(FINISH)
  const id = await start("wide-9")
  await reaches(model, 9)
  const opened = (await eventsOf(id)).filter((e) => e.type === "step.opened")
  expect(opened).toHaveLength(9)
  model.held = false
  expect((await until(id, ended)).status).toBe("succeeded")
})

test("[F34] a canceled run ends the calls that couriers carry", async () => {
  const model = heldModel(FINISH)
  const id = await start("wide-50")
  await reaches(model, WIDE)
  expect((await call("POST", `/v1/runs/${id}/cancel`, {})).ok).toBe(true)
  expect((await until(id, ended)).status).toBe("canceled")
  await expect.poll(() => model.aborted).toBe(WIDE)
})

test("[J10] an object that is lost while couriers carry its calls asks again, and each branch ends once", async () => {
  const model = heldModel(FINISH)
  const id = await start("wide-50")
  await reaches(model, WIDE)
  await abortAllDurableObjects()
  await runDurableObjectAlarm(stub(id))
  await reaches(model, 2 * WIDE)
  model.held = false
  expect((await until(id, ended)).status).toBe("succeeded")
  const events = await eventsOf(id)
  expect(events.filter((e) => e.type === "action.lost")).toHaveLength(WIDE)
  expect(events.filter((e) => e.type === "step.finished")).toHaveLength(WIDE)
})

test("[J16] the calls of one turn leave at once, and their results keep the model's order", async () => {
  const hired = vi.spyOn(Couriers.prototype, "hire")
  const real = fetch
  const waiting: (() => void)[] = []
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input)
    if (!url.startsWith(DESK)) return real(input, init)
    let isFree = false
    waiting.push(() => (isFree = true))
    while (!isFree) await new Promise((resolve) => setTimeout(resolve, 10))
    return Response.json({ answer: new URL(url).searchParams.get("n") })
  })
  const id = await start("desks")
  await expect.poll(() => waiting.length).toBe(20)
  for (const free of waiting.toReversed()) free()
  expect((await until(id, ended)).status).toBe("succeeded")
  const results = (await eventsOf(id)).flatMap((e) => (e.type === "tool.returned" && e.tool === "desk" ? [JSON.stringify(e.content)] : []))
  expect(results.map((text) => /answer\W+(\d+)/.exec(text)?.[1])).toEqual(Array.from({ length: 20 }, (_, n) => String(n)))
  expect(hired).toHaveBeenCalledTimes(3)
  vi.unstubAllGlobals()
})
