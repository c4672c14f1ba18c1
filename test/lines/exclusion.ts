// Measure 1: many starts with few keys, by everything that starts runs, while the server is killed [R5–R8, R14, R20].

import { sleep, textIn, type Scene } from "../crash/scene.ts"
import { allEnded, heldRuns, together, viewsOf, type Seen } from "./book.ts"
import { beyond, freeTimes, heldBy } from "./held.ts"

const KEYS = 50
/** Of a hundred starts. */
const SHARES = { one: 40, three: 25, hook: 12, fire: 3, newest: 4, soon: 4, gathered: 4 } as const
const IN_A_MAP = 20

interface Sent {
  readonly how: string
  readonly flow: string
  readonly key: string
  run?: string
}

export async function playExclusion(scene: Scene, starts: number, kills: number): Promise<void> {
  const hook = await made(scene, "/v1/hooks", {
    flow: "one",
    kind: "token",
    secret: "hs",
    dedupe: "${{trigger.body.delivery}}",
    mapping: { inputs: { key: "${{trigger.body.key}}" } },
  })
  const schedules = await Promise.all(
    Array.from({ length: 5 }, (_, n) =>
      made(scene, "/v1/schedules", { flow: "one", cron: "0 0 1 1 *", inputs: { key: `k${n}` }, overlap: "parallel" }),
    ),
  )
  const hows = Object.entries(SHARES).flatMap(([how, share]) => Array.from({ length: share }, () => how))
  const children = Math.floor((starts * (100 - hows.length)) / 100)
  const sent: Sent[] = Array.from({ length: starts - children }, (_, n) => {
    const how = hows[(n * 37) % hows.length] ?? "one"
    return { how, flow: how === "hook" || how === "fire" ? "one" : how, key: how === "fire" ? `k${n % 5}` : `k${scene.chance(KEYS - 1)}` }
  })
  const maps = Array.from({ length: Math.ceil(children / IN_A_MAP) }, (_, n) => ({
    flow: n % 2 === 0 ? "map-one" : "map-three",
    name: `map ${n}`,
  }))

  let answered = 0
  const moments = Array.from({ length: kills }, (_, n) => Math.floor(((n + 0.5) / kills) * sent.length))
  const killing = (async () => {
    for (const moment of moments) {
      while (answered < moment) await sleep(5)
      await sleep(scene.chance(200))
      await scene.kill(`exclusion: ${answered} starts are answered`)
    }
  })()
  await Promise.all([
    killing,
    together(
      maps,
      async ({ flow, name }) => {
        const items = Array.from({ length: IN_A_MAP }, () => `k${scene.chance(KEYS - 1)}`)
        await begin(scene, flow, name, { items })
      },
      2,
    ),
    together(sent, async (one, n) => {
      one.run = await send(scene, one, `start ${n}`, hook, schedules[n % schedules.length] ?? "")
      answered += 1
    }),
  ])
  console.log(`${sent.length} starts and ${maps.length} maps are answered`)
  const ids = await allEnded(scene, (left) => left > 0 && console.log(`${left} runs go on`))
  const seen = await viewsOf(scene, ids)
  scene.check("[R5] every run is listed once", new Set(ids).size === ids.length ? undefined : `${ids.length} rows`)
  checkAnswered(scene, sent, seen)
  checkHeld(scene, [...seen.values()])
  const begun = [...seen.values()].filter(({ start }) => start?.began !== undefined && start.concurrency)
  const count = (is: (run: Seen) => unknown): number => [...seen.values()].filter(is).length
  console.log(
    `${begun.length} runs began with a key; ${count(({ superseded }) => superseded)} superseded, ${count(({ error }) => error?.source === "start_expired")} expired, ${count(({ parent, start }) => parent && start?.concurrency)} by maps, ${count(({ start }) => (start?.merged ?? 1) > 1)} merged; ${scene.kills.length} kills`,
  )
}

function checkAnswered(scene: Scene, sent: readonly Sent[], seen: ReadonlyMap<string, Seen>): void {
  const own = Map.groupBy(sent, ({ run }) => run ?? "")
  for (const [id, starts] of own) {
    const run = seen.get(id)
    const [first] = starts
    const isAlone = starts.length === 1 || first?.flow === "gathered"
    const is =
      run?.superseded !== undefined ||
      run?.error?.source === "start_expired" ||
      (run?.status === "succeeded" && run.start?.began !== undefined)
    scene.check(
      "[R5] an answered start began once, was merged, was superseded, or expired",
      is && isAlone
        ? undefined
        : `${first?.how} ${first?.key}: ${starts.length} starts are ${id}, which is ${run?.status ?? "not there"} ${JSON.stringify(run?.error)}`,
    )
    if (first?.flow === "gathered")
      scene.check(
        "[R11] who joined is in the run",
        (run?.start?.merged ?? 1) >= starts.length ? undefined : `${id}: ${run?.start?.merged} of ${starts.length}`,
      )
  }
}

function checkHeld(scene: Scene, runs: readonly Seen[]): void {
  const held = heldBy(heldRuns(runs))
  for (const [key, intervals] of held) {
    const fault = beyond(intervals)
    scene.check("[R6] no more runs hold a key than its limit", fault === undefined ? undefined : `${key}: ${fault}`)
  }
  const free = [...held.values()].flatMap(freeTimes).toSorted((a, b) => a - b)
  console.log(
    `a freed key is taken after ${free[Math.floor(free.length * 0.5)]} ms, at the 95th percentile ${free[Math.floor(free.length * 0.95)]} ms (${free.length} times, kills included)`,
  )
}

async function send(scene: Scene, { how, flow, key }: Sent, name: string, hook: string, schedule: string): Promise<string> {
  if (how === "fire")
    return scene.insist(name, async () => {
      const { status, said } = await scene.call("POST", `/v1/schedules/${schedule}/fire`, {}, { "idempotency-key": name })
      return status === 202 ? textIn(said, "run") : refused(status, said)
    })
  return how === "hook" ? deliver(scene, hook, name, { key }) : begin(scene, flow, name, { key })
}

export function begin(scene: Scene, flow: string, name: string, inputs: object, tags: readonly string[] = []): Promise<string> {
  return scene.insist(name, async () => {
    const body = { task: name, inputs, tags }
    const { status, said } = await scene.call("POST", `/v1/flows/${flow}/runs`, body, { "idempotency-key": name })
    return status === 202 ? textIn(said, "id") : refused(status, said)
  })
}

export function deliver(scene: Scene, hook: string, name: string, body: object): Promise<string> {
  return scene.insist(name, async () => {
    const answer = await fetch(`${scene.victim.url}/v1/hooks/${hook}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${SECRET}` },
      body: JSON.stringify({ ...body, delivery: name }),
      signal: AbortSignal.timeout(20_000),
    })
    const said: unknown = await answer.json()
    // Sent again it is a duplicate with the same run; undecided, it has none yet.
    return answer.ok ? textIn(said, "run") : refused(answer.status, said)
  })
}

function refused(status: number, said: unknown): never {
  throw new Error(`${status}: ${JSON.stringify(said)}`)
}

export const SECRET = "the-hook's-own-secret"

export const made = (scene: Scene, path: string, body: object): Promise<string> =>
  scene.insist(path, async () => {
    const { status, said } = await scene.call("POST", path, body, { "idempotency-key": JSON.stringify([path, body]).slice(0, 200) })
    return status === 201 ? textIn(said, "id") : refused(status, said)
  })
