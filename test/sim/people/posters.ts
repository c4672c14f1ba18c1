// Posters: services and schedules whose starts stand in line [R1, R9–R11, R17]: deliveries in bursts to a hook of one key, and fires by hand.

import { isNo, STORM_MS, type Actor, type Life } from "./life.ts"
import { send } from "./senders.ts"
import type { Delivery } from "./told.ts"

const HOOKED = ["turn", "paced", "last", "last", "lot", "lot"] as const
const FIRED = ["turn", "paced"] as const
const KEYS = ["one", "two"] as const
const BURSTS = 2
const IN_A_BURST = 5
const BURST_MS = 6_000
const FIRES = 3

export const posters: Actor = {
  name: "posters",
  often: 0.2,
  play(life) {
    const rolls = life.rollsOf("posters")
    life.at(rolls.roll("hook") * 30_000, "a hook with a block", () => post(life))
    if (rolls.chance("fires", 0.6)) life.at(rolls.roll("schedule") * 60_000, "a schedule with a block", () => fire(life))
  },
}

async function post(life: Life): Promise<void> {
  const rolls = life.rollsOf("posters")
  const [flow, key] = [rolls.pick("flow", HOOKED), rolls.pick("key", KEYS)]
  const title = "${{trigger.body.title}}"
  const start = { priority: rolls.pick("priority", ["high", "low"] as const), ...(rolls.chance("delay", 0.3) ? { delay: 4_000 } : {}) }
  const mapping = { task: title, inputs: { key, ...(flow === "lot" ? { items: title } : {}) } }
  const body = { flow, kind: "github", secret: "hooked", mapping, filter: 'action == "opened"', autonomous: false, start }
  const { id } = await life.admin.get<{ id: string }>("POST", "/v1/hooks", body, { "idempotency-key": "a-hook-with-a-block" })
  for (let burst = 0; burst < BURSTS; burst++) {
    const at = rolls.roll("when") * STORM_MS * 0.7
    for (let n = 0; n < IN_A_BURST; n++)
      life.at(at + rolls.roll("in a burst") * BURST_MS, `a delivery in line ${burst}-${n}`, () =>
        deliver(life, { flow, key, hook: id }, `p${burst}-${n}`),
      )
  }
}

/** [W3] Sent twice at once and once more in the calm, it is one start of one run. */
async function deliver(life: Life, { flow, key, hook }: { flow: string; key: string; hook: string }, of: string): Promise<void> {
  const rolls = life.rollsOf("posters")
  const it: Delivery = { hook, name: life.name(of), passesFilter: true, runs: new Set(), again: new Set() }
  life.told.deliveries.push(it)
  const asked = life.now
  // Undecided, it is answered without a run.
  const runOf = (): string | undefined => [...it.runs].find((run) => run !== null)
  const twice = [send(life, it), life.sleep(rolls.roll("second") * 50).then(() => send(life, it))]
  await Promise.race(twice)
  let run = runOf()
  // An answer without a run may be one of nothing accepted.
  const first = run === undefined ? undefined : life.now
  await Promise.all(twice)
  await life.calm()
  while (run === undefined && !life.isOver) {
    await send(life, it)
    run = runOf()
    if (run === undefined) await life.sleep(5_000)
  }
  if (run !== undefined) life.told.joins.push({ run, flow, key, name: it.name, asked, at: first ?? life.now, delivered: true })
  await send(life, it)
  it.runs.delete(null)
  if (!life.isOver && it.runs.size !== 1) life.found(`[R11] the delivery ${it.name} was answered with the runs ${[...it.runs].join(", ")}`)
}

async function fire(life: Life): Promise<void> {
  const rolls = life.rollsOf("posters")
  const [flow, key, task] = [rolls.pick("fired flow", FIRED), rolls.pick("fired key", KEYS), life.name("pf")]
  life.told.repeats.add(task)
  const body = { flow, cron: "0 0 1 1 *", task, inputs: { key }, overlap: "parallel", start: { priority: "low" } }
  const { id } = await life.admin.get<{ id: string }>("POST", "/v1/schedules", body, { "idempotency-key": "a-schedule-with-a-block" })
  for (let n = 0; n < FIRES; n++) {
    await life.sleep(rolls.roll("fire") * 20_000)
    const asked = life.now
    const { status, text } = await life.admin.insist("POST", `/v1/schedules/${id}/fire`, {}, { "idempotency-key": `block-fire-${n}` })
    if (status === 202) {
      const { run } = JSON.parse(text) as { run: string | null }
      if (run !== null) life.told.joins.push({ run, flow, key, name: task, asked, at: life.now })
    } else if (!isNo(status)) throw new Error(`a fire in line: ${status} ${text.slice(0, 200)}`)
  }
}
