// Starts that no caller waits for, and desks that answer starts, while the one that starts or the one that is started dies [W3, W5, H6, F71].

import { SELF } from "cloudflare:test"
import { expect } from "vitest"
import { learnDesks } from "../../../src/cloudflare/desks/known-desks.ts"
import { CATALOG, type Tenant } from "../../support/worker/service-client.ts"
import { aborted, type House, type Kind } from "./kinds.ts"

const T = "aborts-launches"
let hook = ""
let schedule = ""

const SETUP = {
  tenant: T,
  catalog: {
    ...CATALOG,
    flows: { ...CATALOG.flows, "patient.yaml": "name: patient\ndescription: d\nsteps:\n  - { id: w, type: wait, signal: go }\n" },
  },
  async ready(t: Tenant) {
    client = t
    await t.ask("PUT", "/v1/secrets/hs", { value: "12345678" })
    hook = (await t.ask<{ id: string }>("POST", "/v1/hooks", { flow: "quick", kind: "token", secret: "hs" })).id
    schedule = (await t.ask<{ id: string }>("POST", "/v1/schedules", { flow: "quick", cron: "0 0 1 1 *", task: "go" })).id
  },
}

/** The id of the delivery's run; undefined: the sender was not told that it is accepted. */
async function deliver(): Promise<string | undefined> {
  const headers = { authorization: "Bearer 12345678", "content-type": "application/json" }
  const said = await SELF.fetch(`http://sluice/v1/hooks/${hook}`, { method: "POST", headers, body: "{}" })
  return said.ok ? (await said.json<{ run: string }>()).run : undefined
}

let client: Tenant
const fire = (): Promise<unknown> => client.ask("POST", `/v1/schedules/${schedule}/fire`, {})

/** Every delivery and every fire has its run, and it is over. */
async function launched(house: House): Promise<boolean> {
  const query = `SELECT run, due FROM delivery UNION ALL SELECT run, due FROM schedule_run`
  const owed = await house.aborts.rows<{ run: string; due: number | null }>(query)
  if (owed.some(({ due }) => due !== null)) return false
  for (const { run } of owed) if (house.isNew(run) && !(await house.isOver(run))) return false
  return true
}

/** A delivery whose start is met, one way or another. */
const delivered =
  (more: Pick<Kind, "call"> & Partial<Kind>) =>
  (house: House): Kind => {
    let id: string | undefined
    return {
      from: () => house.tenant,
      begin: async () => (id = await deliver()),
      isAtRest: () => launched(house),
      holds: async () => {
        if (id !== undefined) expect(await house.isOver(id)).toBe(true)
      },
      ...more,
    }
  }

/** The only place is taken, and given back while the kind's call is met. */
const queued =
  (more: Pick<Kind, "call"> & Partial<Kind>, isFreed = true) =>
  (house: House): Kind => {
    let [first, id]: (string | undefined)[] = []
    return {
      from: () => house.tenant,
      async begin() {
        await house.places(1)
        first = await house.start("patient")
        await house.soon(() => house.waits(first ?? ""))
        id = await deliver()
        if (!isFreed) return
        await house.soon(async () => (await house.row(id ?? ""))?.status === "queued")
        await house.t.ask("POST", `/v1/runs/${first}/cancel`, {})
      },
      isAtRest: async () => (isFreed ? launched(house) : id === undefined || (await house.row(id))?.status === "queued"),
      async holds() {
        await house.t.ask("POST", `/v1/runs/${first}/cancel`, {})
        await house.aborts.calm(() => launched(house))
        await house.places(50)
      },
      ...more,
    }
  }

/** The tenant's starts go to its desk. */
const desk = (house: House): Promise<string> => {
  learnDesks(T, 1, Date.now())
  return house.start("quick")
}
const DESK = `tenant ${T}/desk-0` as const

const onDesk =
  (more: Pick<Kind, "call"> & Partial<Kind>, after?: (house: House) => Promise<unknown>) =>
  (house: House): Kind => {
    let id: string | undefined
    return {
      from: () => DESK,
      async begin() {
        id = await desk(house)
        await after?.(house)
      },
      isAtRest: async () => id === undefined || house.isOver(id),
      ...more,
    }
  }

const kindOf = (asked: unknown): unknown => (asked as { trigger: { kind: unknown } }).trigger.kind

aborted(SETUP, {
  "a delivery starts its run": delivered({ call: "start", is: ([asked]) => kindOf(asked) === "webhook" }),

  "a fire starts its run": delivered({
    call: "start",
    is: ([asked]) => kindOf(asked) === "schedule",
    begin: () => fire(),
  }),

  "a queued run says that it is held": queued(
    {
      call: "runs.note",
      is: ([row]) => (row as { status: string }).status === "queued",
      from: ({ args: [row] }) => `run ${T}/${(row as { id: string }).id}`,
    },
    false,
  ),

  "a queued run is released": queued({ call: "release" }),

  "a desk asks for a lease": onDesk({ call: "desks.report" }),
  "a run reports to its desk": onDesk({ call: "desk.note", from: ({ args: [row] }) => `run ${T}/${(row as { id: string }).id}` }),
  "a desk asks for the definitions": onDesk({
    call: "starts.pin",
    is: ([, options]) => (options as { start?: object }).start === undefined,
  }),
  "a write recalls a lease": onDesk({ call: "desk.recall", from: () => `tenant ${T}` }, (house) =>
    house.t.ask("PUT", "/v1/settings/budget", { steps: 640 }),
  ),
  "a list asks the desk for what it knows": onDesk({ call: "desk.flush", from: () => `tenant ${T}` }, (house) =>
    house.t.ask("GET", "/v1/runs"),
  ),
})
