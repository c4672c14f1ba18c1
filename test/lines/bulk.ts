// Measure 10 of flow control: two thousand runs again by one bulk, while the server is killed and others start runs [R42–R45].

import { z } from "zod"
import { sleep, type Scene } from "../crash/scene.ts"
import { allEnded, together } from "./book.ts"
import { begin } from "./exclusion.ts"

const SOURCE = "source"
const SAMPLES = 40
/** On a machine on which a start takes longer, others work too, and the median says nothing. */
const QUIET_MS = 60
const PATIENCE_MS = 600_000

const Bulk = z.looseObject({
  id: z.string(),
  status: z.string(),
  count: z.number(),
  done: z.number(),
  skipped: z.number(),
  failed: z.number(),
})
const Items = z.object({
  data: z.array(z.looseObject({ run: z.string(), outcome: z.string(), new: z.string().optional() })),
  next_cursor: z.string().nullable(),
})
const Rows = z.object({
  data: z.array(z.looseObject({ id: z.string(), fork: z.looseObject({ run: z.string() }).optional() })),
  next_cursor: z.string().nullable(),
})

export async function playBulk(scene: Scene, runs: number, kills: number): Promise<void> {
  const sources: string[] = []
  await together(
    Array.from({ length: runs }, (_, n) => n),
    async (n) => {
      sources[n] = await begin(scene, "leaf", `bulk source ${n}`, {}, [SOURCE])
    },
  )
  await allEnded(scene, () => undefined)
  const before = await waits(scene, "before", SAMPLES)
  const ask = { action: "again", filter: { tag: SOURCE }, most: runs }
  const { id } = await scene.insist("the bulk", async () => {
    const { status, said } = await scene.call("POST", "/v1/bulk", ask, { "idempotency-key": "measure-10" })
    return status === 202 ? z.looseObject({ id: z.string() }).parse(said) : undefined
  })
  const bulk = () => scene.insist("the bulk's progress", async () => Bulk.parse((await scene.call("GET", `/v1/bulk/${id}`)).said))
  const meanwhile = waits(scene, "meanwhile", SAMPLES)
  let seen = await bulk()
  const until = Date.now() + PATIENCE_MS
  for (let killed = 0; seen.status === "running" && Date.now() < until; seen = await bulk()) {
    if (killed < kills && seen.done >= ((killed + 0.5) / kills) * runs) {
      await scene.kill(`bulk: ${seen.done} of ${runs} are done`)
      killed += 1
    }
    await sleep(20)
  }
  const isDone = seen.status === "done" && seen.done === runs && seen.skipped + seen.failed === 0
  scene.check("[R44] every run of a bulk is done", isDone ? undefined : JSON.stringify(seen))
  const longer = (await meanwhile) / before
  console.log(
    `${runs} runs again with ${scene.kills.length} kills; a start is answered after ${before.toFixed(1)} ms, meanwhile ${longer.toFixed(2)} times as long`,
  )
  if (before <= QUIET_MS)
    scene.check("[R44] API starts wait at most a fifth longer meanwhile", longer <= 1.2 ? undefined : `${longer.toFixed(2)} times`)
  else console.log(`the machine is too busy to say how much longer starts wait: ${QUIET_MS} ms is the most for that`)
  await allEnded(scene, () => undefined)
  const items = await pages(scene, `/v1/bulk/${id}/items?`, Items)
  const made = await pages(scene, `/v1/runs?tag=${id}&`, Rows)
  const isEach = new Set(items.map(({ run }) => run)).size === runs && new Set(items.map((item) => item.new)).size === runs
  scene.check("[R44] each source is run again once", isEach ? undefined : `${items.length} items`)
  const told = new Set(items.map((item) => item.new))
  const isOne = made.length === runs && new Set(made.map((row) => row.fork?.run)).size === runs && made.every((row) => told.has(row.id))
  scene.check("[R44] no source has two new runs", isOne ? undefined : `${made.length} new runs`)
}

/** The median time to the answer of a start, of those that no kill met. */
async function waits(scene: Scene, when: string, samples: number): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < samples; n++) {
    const [at, kills] = [performance.now(), scene.kills.length]
    await begin(scene, "leaf", `${when} ${n}`, {})
    if (scene.kills.length === kills) times.push(performance.now() - at)
    await sleep(50)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}

async function pages<T>(
  scene: Scene,
  path: string,
  page: z.ZodType<{ readonly data: readonly T[]; readonly next_cursor: string | null }>,
): Promise<readonly T[]> {
  const all: T[] = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const at: string = cursor === "" ? "" : `&cursor=${cursor}`
    const { data, next_cursor } = await scene.insist(path, async () => page.parse((await scene.call("GET", `${path}limit=200${at}`)).said))
    all.push(...data)
    cursor = next_cursor
  }
  return all
}
