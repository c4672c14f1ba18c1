// Graders: who says how good runs are that have ended, has them scored, and makes rows of a data set of them [V12, V13, V19, V28].

import { isEnd, isNo, STORM_MS, type Actor, type Life } from "./life.ts"

const SCORER = "tools-worked"
const SAMPLED = "work"
const DATASET = "cases"
const THUMBS = ["up", "down"] as const

interface Said {
  readonly scores: readonly { readonly scorer: string; readonly version: string }[]
  readonly feedback: readonly { readonly user?: string; readonly thumb?: string }[]
}
interface Shown {
  readonly status: string
  readonly effects?: string
  readonly rehearsed?: boolean
}
interface Row {
  readonly id: string
  readonly task: string
  readonly runs: readonly string[]
}

export const graders: Actor = {
  name: "graders",
  often: 0.2,
  play(life) {
    const rolls = life.rollsOf("graders")
    if (rolls.chance("samples", 0.5))
      life.at(rolls.roll("samples when") * 60_000, "a sample of runs is scored", async () => {
        const rule = { flows: [{ match: SAMPLED, scorers: [SCORER], sample: 1 }] }
        await life.admin.get("PUT", "/v1/settings/scoring", rule)
        life.told.sampledSince = life.now
      })
    life.at(rolls.roll("a data set when") * 60_000, "a data set", async () => {
      await life.admin.get("PUT", `/v1/datasets/${DATASET}`, { flow: SAMPLED })
      life.told.hasDataset = true
    })
    const count = 2 + rolls.below("how many", 4)
    for (let n = 0; n < count; n++) life.at(30_000 + rolls.roll("when") * (STORM_MS - 30_000), `a grader ${n}`, () => grade(life, n))
  },
  rest: async (life) => [...(await unsaid(life)), ...(await unscored(life)), ...(await rowsOfNobody(life))],
}

async function grade(life: Life, n: number): Promise<void> {
  const { admin, told } = life
  const rolls = life.rollsOf("graders")
  const known = told.starts.filter(({ by }) => by === "start")
  const started = known[rolls.below("which", Math.max(1, known.length))]
  if (!started) return
  while (!(await hasEnded(life, started.id))) {
    if (life.isOver || (life.isCalm && rolls.chance("gives up", 0.1))) return
    await life.sleep(5_000)
  }
  const user = `grader-${n}`
  const thumb = rolls.pick("thumb", THUMBS)
  const given = await admin.insist("POST", `/v1/runs/${started.id}/feedback`, { thumb, user }, { "idempotency-key": user })
  if (given.status === 201) told.thumbs.push({ run: started.id, user, thumb })
  else if (!isNo(given.status)) throw new Error(`feedback on ${started.id}: ${given.status} ${given.text.slice(0, 200)}`)
  const asked = await admin.insist("POST", `/v1/runs/${started.id}/scores`, { scorers: [SCORER] }, { "idempotency-key": `score-${user}` })
  if (asked.status === 202) told.scored.add(started.id)
  // A canceled run is not scored.
  else if (!isNo(asked.status) && asked.status !== 422)
    throw new Error(`scores of ${started.id}: ${asked.status} ${asked.text.slice(0, 200)}`)
  if (!told.hasDataset) return
  const from = { from: { runs: [started.id] } }
  await admin.get("POST", `/v1/datasets/${DATASET}/rows`, from, { "idempotency-key": `row-${user}` })
  if (rolls.chance("takes a row away", 0.4)) await takeAway(life, user)
}

/** A row by hand, which nobody else makes. */
async function takeAway({ admin, told }: Life, user: string): Promise<void> {
  const task = `by hand of ${user}`
  const add = ["POST", `/v1/datasets/${DATASET}/rows`, { rows: [{ task }] }, { "idempotency-key": `hand-${user}` }] as const
  // One that was answered at once is not on its way any more. A request that nobody heard the end of may add the row after its deletion.
  const isAnswered = (await admin.ask(...add).catch(() => undefined))?.status === 200
  if (!isAnswered) await admin.get(...add)
  const row = (await admin.all<Row>(`/v1/datasets/${DATASET}/rows?limit=100`)).find((it) => it.task === task)
  if (!row) throw new Error(`[V28] the row "${task}" was added, and is not there`)
  await admin.insist("DELETE", `/v1/datasets/${DATASET}/rows/${row.id}`)
  if (isAnswered) told.rowsGone.add(row.id)
}

/** Or is gone. */
async function hasEnded(life: Life, id: string): Promise<boolean> {
  const run = await life.run(id)
  return run === undefined || isEnd(run.status)
}

async function saidOf({ admin }: Life, run: string): Promise<Said | undefined> {
  const { status, text } = await admin.insist("GET", `/v1/runs/${run}/scores`)
  return status === 200 ? (JSON.parse(text) as Said) : undefined
}

async function unsaid(life: Life): Promise<string[]> {
  const wrong: string[] = []
  for (const { run, user, thumb } of life.told.thumbs) {
    const said = await saidOf(life, run)
    const own = said?.feedback.filter((it) => it.user === user) ?? []
    if (said && (own.length !== 1 || own[0]?.thumb !== thumb))
      wrong.push(`[V19] ${user} said "${thumb}" of ${run}, which has ${JSON.stringify(own).slice(0, 200)}`)
  }
  return wrong
}

/** Once by a version, and nothing that waits. */
async function unscored(life: Life): Promise<string[]> {
  const { told, world, tenant } = life
  const wrong: string[] = []
  const mustHave = new Set(told.scored)
  for (const { id, flow, asked } of told.starts)
    if (flow === SAMPLED && asked > (told.sampledSince ?? Number.POSITIVE_INFINITY)) {
      const run = await life.run<Shown>(id)
      // [V13] What is apart from the others is not sampled.
      const isApart = (run?.effects ?? "live") !== "live" || run?.rehearsed === true
      if (run && !isApart && isEnd(run.status) && run.status !== "canceled") mustHave.add(id)
    }
  for (const run of mustHave) {
    const said = await saidOf(life, run)
    const own = said?.scores.filter(({ scorer }) => scorer === SCORER) ?? []
    if (said && own.length === 0) wrong.push(`[V12] ${run} is to be scored by ${SCORER}, and is not`)
    if (new Set(own.map(({ version }) => version)).size < own.length) wrong.push(`[V12] ${run} is scored ${own.length} times by ${SCORER}`)
  }
  const { storage } = world.service.tenants.of(tenant)
  const left = storage.tables().includes("scoring") ? storage.rows("SELECT * FROM scoring").length : 0
  if (left > 0) wrong.push(`[V12] ${left} scores still wait, and nothing comes that could give them`)
  return wrong
}

async function rowsOfNobody(life: Life): Promise<string[]> {
  const { told, admin } = life
  if (!told.hasDataset) return []
  const wrong: string[] = []
  for (const { id, runs } of await admin.all<Row>(`/v1/datasets/${DATASET}/rows?limit=100`))
    if (told.rowsGone.has(id)) wrong.push(`[V28] the row ${id} was deleted, and is there`)
    else if (runs.length > 0 && runs.every((run) => told.deleted.has(run))) wrong.push(`[V31] the row ${id} is of ${runs.join()}, deleted`)
  return wrong
}
