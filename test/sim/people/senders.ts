// Senders: services whose webhooks start runs [W1–W3]. Each delivery is signed, sent twice at once, again until it is answered, and once more in the calm.

import { createHmac } from "node:crypto"
import { HOOK_SECRET } from "../world/catalog.ts"
import { STORM_MS, type Actor, type Life } from "./life.ts"
import { Person } from "./person.ts"
import type { Delivery } from "./told.ts"

/** What happens to a service makes it send several at once. */
const BURSTS = 2
const IN_A_BURST = 4
const BURST_MS = 3_000
/** Deliveries of a hook that is deleted while their runs begin. */
const BRIEF = 3
const FLOWS = ["work", "quiz", "chain", "nest"] as const

export const senders: Actor = {
  name: "senders",
  often: 0.25,
  play(life) {
    const rolls = life.rollsOf("senders")
    life.at(rolls.roll("hook") * 30_000, "a hook", async () => {
      const flow = rolls.pick("flow", FLOWS)
      if (rolls.chance("brief", 0.5)) life.at(rolls.roll("brief when") * STORM_MS * 0.6, "a brief hook", () => brief(life, flow))
      const id = await hook(life, flow, "the-hook")
      for (let burst = 0; burst < BURSTS; burst++) {
        const at = rolls.roll("when") * (STORM_MS - 60_000)
        for (let n = 0; n < IN_A_BURST; n++)
          life.at(at + rolls.roll("in a burst") * BURST_MS, `delivery ${burst}-${n}`, () =>
            deliver(life, flow, id, `w${burst}-${n}`, !rolls.chance("filtered", 0.2)),
          )
      }
    })
  },
  rest: (life) => counted(life),
}

async function hook(life: Life, flow: string, key: string): Promise<string> {
  const mapping = { task: "${{trigger.body.title}}" }
  const body = { flow, kind: "github", secret: "hooked", mapping, filter: 'action == "opened"', autonomous: false }
  return (await life.admin.get<{ id: string }>("POST", "/v1/hooks", body, { "idempotency-key": key })).id
}

/** What was acknowledged begins all the same. */
async function brief(life: Life, flow: string): Promise<void> {
  const id = await hook(life, flow, "a-brief-hook")
  const asked = life.now
  const all = Array.from({ length: BRIEF }, (_, n): Delivery => ({
    hook: id,
    name: life.name(`b${n}`),
    passesFilter: true,
    runs: new Set(),
    again: new Set(),
  }))
  life.told.deliveries.push(...all)
  await Promise.all(all.map((it) => send(life, it)))
  const { status, text } = await life.admin.insist("DELETE", `/v1/hooks/${id}`)
  if (status !== 204 && status !== 404) throw new Error(`its deletion: ${status} ${text.slice(0, 200)}`)
  for (const { name, runs } of all) for (const run of runs) if (run !== null) life.started(flow, name, run, "delivery", asked)
}

async function deliver(life: Life, flow: string, hook: string, of: string, passesFilter: boolean): Promise<void> {
  const rolls = life.rollsOf("senders")
  const it: Delivery = { hook, name: life.name(of), passesFilter, runs: new Set(), again: new Set() }
  life.told.deliveries.push(it)
  const asked = life.now
  const twice = [send(life, it), life.sleep(rolls.roll("second") * 50).then(() => send(life, it))]
  // Whoever is answered first knows the run, which may not have begun.
  await Promise.race(twice)
  const [run] = it.runs
  if (typeof run === "string") life.started(flow, it.name, run, "delivery", asked)
  await Promise.all(twice)
  if (rolls.chance("redelivered", 0.2)) await redeliver(life, flow, it)
  await life.calm()
  await send(life, it)
  if (it.runs.size !== 1) life.found(`[W3] the delivery ${it.name} was answered with the runs ${[...it.runs].join(", ")}`)
  if (passesFilter === it.runs.has(null)) life.found(`[W1] the delivery ${it.name} was answered with ${[...it.runs].join(", ")}`)
}

export async function send(life: Life, it: Delivery): Promise<void> {
  const body = JSON.stringify({ action: it.passesFilter ? "opened" : "closed", title: it.name })
  const sender = new Person(life.world.service, "")
  for (;;) {
    try {
      const { status, text } = await sender.ask("POST", `/v1/hooks/${it.hook}`, body, {
        "x-github-event": "issues",
        "x-github-delivery": it.name,
        "x-hub-signature-256": `sha256=${createHmac("sha256", HOOK_SECRET).update(body).digest("hex")}`,
      })
      if (status === 200 || status === 202) return void it.runs.add((JSON.parse(text) as { run: string | null }).run)
      // [H6] No quota refuses a delivery.
      if (status < 500) throw new TypeError(`${it.name} is answered ${status}: ${text.slice(0, 300)}`)
    } catch (e) {
      if (e instanceof TypeError) throw e
    }
    if (life.isOver) return
    await life.sleep(2_000)
  }
}

async function redeliver(life: Life, flow: string, it: Delivery): Promise<void> {
  const all = await life.admin.all<{ id: string; external_id: string | null; verdict: string }>(`/v1/hooks/${it.hook}/deliveries`)
  const found = all.find((row) => row.external_id === it.name && row.verdict === "accepted")
  if (!found) {
    if (it.passesFilter) life.found(`[W3] the acknowledged delivery ${it.name} is not listed as accepted`)
    return
  }
  const asked = life.now
  life.told.repeats.add(it.name)
  const { run } = await life.admin.get<{ run: string }>(
    "POST",
    `/v1/hooks/${it.hook}/deliveries/${found.id}/redeliver`,
    {},
    { "idempotency-key": `again-${it.name}` },
  )
  it.again.add(run)
  life.started(flow, it.name, run, "redelivery", asked)
}

/** [W3] As many runs as deliveries that pass the filter. */
async function counted(life: Life): Promise<string[]> {
  const { told } = life
  const wanted = new Set(told.deliveries.flatMap((it) => [...it.runs, ...it.again]).filter((it) => it !== null && !told.deleted.has(it)))
  const rows = await life.admin.all<{ id: string }>("/v1/runs?trigger=webhook&limit=200")
  const missing = [...wanted].filter((id) => !rows.some((row) => row.id === id))
  const more = rows.filter((row) => !wanted.has(row.id) && told.starts.some((it) => it.id === row.id && it.by === "delivery"))
  const unknown = rows.filter((row) => !wanted.has(row.id)).map((it) => it.id)
  return [
    ...missing.map((id) => `[W3] the run ${id} of a delivery is not in the list`),
    ...(more.length + unknown.length > 0 ? [`[W3] runs of deliveries that nobody was told of: ${unknown.join(", ")}`] : []),
  ]
}
