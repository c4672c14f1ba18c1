// Planners: who has a schedule of every minute, fires it by hand, and deletes it in the calm [W5].

import { STORM_MS, type Actor, type Life } from "./life.ts"
import type { Schedule } from "./told.ts"

const OVERLAPS = ["skip", "queue", "parallel"] as const
const FLOWS = ["work", "nap", "quiz"] as const

export const planners: Actor = {
  name: "planners",
  often: 0.2,
  play(life) {
    const rolls = life.rollsOf("planners")
    life.at(rolls.roll("when") * 120_000, "a schedule", () => plan(life))
  },
}

async function plan(life: Life): Promise<void> {
  const { admin, told } = life
  const rolls = life.rollsOf("planners")
  const overlap = rolls.pick("overlap", OVERLAPS)
  const flow = rolls.pick("flow", FLOWS)
  const task = life.name("f")
  told.repeats.add(task)
  const body = { flow, cron: "* * * * *", task, overlap }
  const { id } = await admin.get<{ id: string }>("POST", "/v1/schedules", body, { "idempotency-key": "the-schedule" })
  const schedule: Schedule = { id, flow, overlap, since: life.now }
  told.schedules.push(schedule)
  for (let n = 0; n < 2; n++) {
    await life.sleep(rolls.roll("fire") * 60_000)
    if (life.now > STORM_MS) break
    await fire(life, schedule, n)
  }
  await fireOnce(life, schedule)
  while (!life.isCalm && life.now < STORM_MS) await life.sleep(5_000)
  const { status, text } = await admin.insist("DELETE", `/v1/schedules/${id}`)
  if (status !== 204 && status !== 404) throw new Error(`its deletion: ${status} ${text.slice(0, 200)}`)
  schedule.until = life.now
  await life.calm()
  await life.sleep(60_000)
  const known = new Set(told.starts.map((it) => it.id))
  for (const row of await admin.all<{ id: string; trigger: { schedule?: string } }>("/v1/runs?trigger=schedule&limit=200"))
    if (row.trigger.schedule === id && !known.has(row.id)) life.started(flow, task, row.id, "fire", schedule.since)
}

/** Twice, without a key: whoever gets no answer does not ask again. */
async function fireOnce(life: Life, { id, overlap }: Schedule): Promise<void> {
  const runs: (string | null)[] = []
  for (let n = 0; n < 2 && overlap === "parallel"; n++) {
    const answer = await life.admin.ask("POST", `/v1/schedules/${id}/fire`, {}).catch(() => undefined)
    if (answer?.status === 202) runs.push((JSON.parse(answer.text) as { run: string | null }).run)
  }
  const [first, second] = runs
  if (typeof first === "string" && first === second) life.found(`[W5] two fires of ${id} by hand are the one run ${first}`)
}

async function fire(life: Life, { id, flow }: Schedule, n: number): Promise<void> {
  const asked = life.now
  const { status, text } = await life.admin.insist("POST", `/v1/schedules/${id}/fire`, {}, { "idempotency-key": `fire-${n}` })
  if (status !== 202) throw new Error(`a fire by hand: ${status} ${text.slice(0, 200)}`)
  const { run, verdict } = JSON.parse(text) as { run: string | null; verdict: string }
  life.told.fires.push({ schedule: id, verdict, run, at: life.now })
  if (run !== null) life.started(flow, life.name("f"), run, "fire", asked)
}
