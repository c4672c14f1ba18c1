// Bulkers: who does one thing with many runs [R42–R45], looks how far it is until it is over, and stops some.

import { STORM_MS, type Actor, type Life } from "./life.ts"

const ACTIONS = ["again", "again", "fork", "cancel", "delete"] as const
type Action = (typeof ACTIONS)[number]

const GLOBS = ["wor*", "a*,files", "*s*d*"] as const

interface Bulk {
  readonly id: string
  readonly action: Action
  readonly status: "running" | "done" | "stopped"
  readonly count: number
  readonly done: number
  readonly skipped: number
  readonly failed: number
}
interface Item {
  readonly run: string
  readonly outcome: "waiting" | "done" | "skipped" | "failed"
  readonly new?: string
}

export const bulkers: Actor = {
  name: "bulkers",
  often: 0.25,
  play(life) {
    const rolls = life.rollsOf("bulkers")
    const count = 1 + rolls.below("how many", 2)
    for (let n = 0; n < count; n++) life.at(60_000 + rolls.roll("when") * (STORM_MS - 90_000), `bulk ${n}`, () => bulk(life, n))
  },
  rest: (life) => bulks(life),
}

async function bulk(life: Life, n: number): Promise<void> {
  const { admin, told } = life
  const rolls = life.rollsOf("bulkers")
  const action = rolls.pick("action", ACTIONS)
  const known = told.starts.filter(({ by }) => by === "start" && rolls.chance("this one", 0.4)).map(({ id }) => id)
  // Not those of threads: a message is one run.
  const which = rolls.chance("filter", 0.4) ? { filter: { flow: rolls.pick("flow", GLOBS), trigger: "api", q: "case" } } : { runs: known }
  if ("runs" in which && known.length === 0) return
  const how = action === "fork" ? { fork: { from: "failed", effects: "dry" } } : {}
  const asked = life.now
  const begun = await admin.get<{ id: string; count: number }>(
    "POST",
    "/v1/bulk",
    { action, ...which, ...how },
    { "idempotency-key": `bulk-${n}` },
  )
  if (rolls.chance("stop", 0.2)) {
    await life.sleep(rolls.roll("stop when") * 10_000)
    await admin.get("POST", `/v1/bulk/${begun.id}/stop`, {})
  }
  while ((await admin.get<Bulk>("GET", `/v1/bulk/${begun.id}`)).status === "running" && !life.isOver) await life.sleep(5_000)
  // What was begun before the stop ends too.
  await life.calm()
  await life.sleep(60_000)
  for (const item of await items(life, begun.id)) await hear(life, action, item, asked)
}

/** What was done is as if somebody had asked for each. */
async function hear(life: Life, action: Action, { run, outcome, new: made }: Item, asked: number): Promise<void> {
  const { told } = life
  if (outcome !== "done") return
  if (action === "cancel") told.canceled.add(run)
  else if (action === "delete") told.deleted.add(run)
  else if (made !== undefined) {
    const view = await life.run<{ readonly status: string; readonly task: string; readonly flow: string; readonly created: string }>(made)
    if (!view) return
    told.repeats.add(view.task)
    told.forks.push({ id: made, source: run })
    life.started(view.flow, view.task, made, action === "fork" ? "fork" : "again", asked, action === "fork" ? { effects: "dry" } : {})
  }
}

const items = (life: Life, id: string): Promise<Item[]> => life.admin.all<Item>(`/v1/bulk/${id}/items?limit=200`)

/** [R44] Each run of a bulk has its end, and no source was taken twice. */
async function bulks(life: Life): Promise<string[]> {
  const wrong: string[] = []
  for (const { id, action, status, count, done, skipped, failed } of await life.admin.all<Bulk>("/v1/bulk?limit=200")) {
    if (status === "running") wrong.push(`[R44] the bulk ${id} goes on: ${done} of ${count}`)
    const all = await items(life, id)
    const waiting = all.filter(({ outcome }) => outcome === "waiting").length
    if (all.length !== count || done + skipped + failed + waiting !== count)
      wrong.push(`[R45] the bulk ${id} counts ${done}, ${skipped}, ${failed} of ${count}, and ${waiting} of ${all.length} runs wait`)
    if (status === "done" && waiting > 0) wrong.push(`[R44] the bulk ${id} is done, and ${waiting} runs wait`)
    if (action !== "again" && action !== "fork") continue
    const made = await life.admin.all<{ id: string; fork?: { run: string } }>(`/v1/runs?limit=200&tag=${id}`)
    const sources = made.map(({ fork }) => fork?.run)
    if (new Set(sources).size !== sources.length) wrong.push(`[R44] the bulk ${id} made two runs of one: ${sources.join(", ")}`)
    const listed = new Set(all.map((item) => item.new))
    for (const run of made) if (!listed.has(run.id)) wrong.push(`[R44] ${run.id} has the tag of ${id}, which does not have it`)
  }
  return wrong
}
