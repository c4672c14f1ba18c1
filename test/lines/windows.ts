// Measure 2: a burst of deliveries to few keys becomes one run of each key, with its last body, and a batch has each body once, in order [R9–R11].

import { sleep, type Scene } from "../crash/scene.ts"
import { allEnded, together, viewsOf } from "./book.ts"
import { deliver, made } from "./exclusion.ts"

const KEYS = 20
const EACH = 50
const WITHIN_MS = 10_000

export async function playWindows(scene: Scene, kills: number, period: string): Promise<void> {
  const dedupe = "${{trigger.body.delivery}}"
  const hook = await made(scene, "/v1/hooks", {
    flow: "leaf",
    kind: "token",
    secret: "hs",
    dedupe,
    mapping: { inputs: { key: "${{trigger.body.key}}", value: "${{trigger.body.value}}" } },
    start: { debounce: { key: "${{trigger.body.key}}", period, timeout: "30m" } },
  })
  const joined = new Map<string, Set<string>>()
  const began = Date.now()
  const killing = (async () => {
    for (let n = 0; n < kills; n++) {
      await sleep(Math.max(0, began + ((n + 0.5) / kills) * WITHIN_MS - Date.now()))
      await scene.kill("windows: in the middle of the burst")
    }
  })()
  await Promise.all([
    killing,
    // One sender for each key, which sends the next delivery when the last one is answered.
    ...Array.from({ length: KEYS }, async (_, k) => {
      for (let n = 0; n < EACH; n++) {
        await sleep(Math.max(0, began + (n / EACH) * WITHIN_MS - Date.now()))
        const run = await deliver(scene, hook, `window ${k} ${n}`, { key: `w${k}`, value: `${n}` })
        joined.set(`w${k}`, (joined.get(`w${k}`) ?? new Set()).add(run))
      }
    }),
  ])
  console.log(`${KEYS * EACH} deliveries are answered after ${Date.now() - began} ms`)
  await allEnded(scene, () => undefined)
  const seen = await viewsOf(
    scene,
    [...joined.values()].flatMap((runs) => [...runs]),
  )
  for (const [key, runs] of joined) {
    scene.check("[R9] the deliveries to a key are one run", runs.size === 1 ? undefined : `${key}: ${[...runs].join(", ")}`)
    const last = seen.get([...runs].at(-1) ?? "")
    const is = `${last?.status} with ${JSON.stringify(last?.inputs)}, made of ${last?.start?.merged}`
    const isLast = last?.status === "succeeded" && last.inputs?.["value"] === `${EACH - 1}`
    scene.check("[R9] it has its key's last body", isLast ? undefined : `${key}: ${is}`)
    scene.check("[R11] all of them count as having started it", runs.size > 1 || last?.start?.merged === EACH ? undefined : `${key}: ${is}`)
  }
  await playBatch(scene, Math.min(kills, 1))
}

const BATCH = 50

async function playBatch(scene: Scene, kills: number): Promise<void> {
  const mapping = { inputs: { key: "${{trigger.body.key}}", items: "${{trigger.body.value}}" } }
  const hook = await made(scene, "/v1/hooks", { flow: "all", kind: "token", secret: "hs", dedupe: "${{trigger.body.delivery}}", mapping })
  const runs = new Map<string, Set<string>>()
  let answered = 0
  const killing = (async () => {
    for (let n = 0; n < kills; n++) {
      while (answered < BATCH) await sleep(5)
      await scene.kill("windows: in the middle of the batches")
    }
  })()
  const keys = ["b0", "b1", "b2", "b3"]
  await Promise.all([
    killing,
    together(keys, async (key) => {
      for (let n = 0; n < BATCH; n++) {
        const run = await deliver(scene, hook, `batch ${key} ${n}`, { key, value: `${key}/${n}` })
        runs.set(key, (runs.get(key) ?? new Set()).add(run))
        answered += 1
      }
    }),
  ])
  await allEnded(scene, () => undefined)
  for (const key of keys) {
    const own = [...(runs.get(key) ?? [])]
    const items = [...(await viewsOf(scene, own)).values()].flatMap(({ inputs }) => inputs?.["items"] ?? [])
    const wanted = Array.from({ length: BATCH }, (_, n) => `${key}/${n}`)
    const isRight = own.length === 1 && JSON.stringify(items) === JSON.stringify(wanted)
    scene.check(
      "[R10] a batch has each body once, in order",
      isRight ? undefined : `${key}: ${own.length} runs with ${JSON.stringify(items).slice(0, 200)}`,
    )
  }
}
