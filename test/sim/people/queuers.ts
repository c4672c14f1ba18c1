// Queuers: who starts flows whose starts stand in line [R1–R14], several at once and with few keys, and now and then cancels or deletes one.

import { isNo, STORM_MS, type Actor, type Life } from "./life.ts"

const FLOWS = ["turn", "turn", "turn", "lone", "paced", "paced", "via", "last", "last", "lot", "lot"] as const
const KEYS = ["one", "two"] as const
const PRIORITIES = ["high", "low"] as const
const BURSTS = 3
const IN_A_BURST = 6
const BURST_MS = 8_000

export const queuers: Actor = {
  name: "queuers",
  often: 0.25,
  play(life) {
    const rolls = life.rollsOf("queuers")
    for (let burst = 0; burst < BURSTS; burst++) {
      const at = rolls.roll("when") * STORM_MS * 0.8
      const flow = rolls.pick("flow", FLOWS)
      for (let n = 0; n < IN_A_BURST; n++)
        life.at(at + rolls.roll("in a burst") * BURST_MS, `a start in line ${burst}-${n}`, () => start(life, flow, `q${burst}-${n}`))
    }
  },
}

async function start(life: Life, usual: (typeof FLOWS)[number], of: string): Promise<void> {
  const rolls = life.rollsOf("queuers")
  const flow = rolls.chance("another flow", 0.2) ? rolls.pick("which flow", FLOWS) : usual
  const [name, key] = [life.name(of), rolls.pick("key", KEYS)]
  const block = {
    ...(rolls.chance("priority", 0.3) ? { priority: rolls.pick("which priority", PRIORITIES) } : {}),
    ...(rolls.chance("delay", 0.15) ? { delay: 1_000 + rolls.below("how late", 20_000) } : {}),
  }
  const body = {
    task: name,
    inputs: { key, ...(flow === "lot" ? { items: [name] } : {}) },
    ...(Object.keys(block).length === 0 ? {} : { start: block }),
  }
  const asked = life.now
  const { status, text } = await life.admin.insist("POST", `/v1/flows/${flow}/runs`, body, { "idempotency-key": `start-${name}` })
  // [R7] Its key is taken.
  if (status === 409 && flow === "lone" && text.includes("key_busy")) return
  if (status !== 202) throw new Error(`the start of ${flow} was answered ${status}: ${text.slice(0, 300)}`)
  const { id } = JSON.parse(text) as { id: string }
  life.told.joins.push({ run: id, flow, key, name, asked, at: life.now })
  if (rolls.chance("meddles", 0.2)) await meddle(life, id)
}

/** [R11] A window goes with all its starts. */
async function meddle(life: Life, run: string): Promise<void> {
  const rolls = life.rollsOf("queuers")
  await life.sleep(rolls.roll("meddles when") * 20_000)
  const isDeleted = rolls.chance("deletes", 0.5)
  const { status, text } = await life.admin.insist(isDeleted ? "DELETE" : "POST", `/v1/runs/${run}${isDeleted ? "" : "/cancel"}`)
  // It was deleted by a request whose answer was lost.
  if (isDeleted && (status < 300 || status === 404)) life.told.deleted.add(run)
  else if (status >= 300 && !isNo(status))
    throw new Error(`${isDeleted ? "the deletion" : "the cancel"} of ${run}: ${status} ${text.slice(0, 200)}`)
}
