// Webhooks under kills [W3, S1, S14]: signed deliveries, each sent twice at once. A sender retries until it gets an answer,
// and never after that: the server alone is responsible for an acknowledged delivery.

import { createHmac } from "node:crypto"
import { z } from "zod"
import { sleep, textIn, type Scene } from "./scene.ts"

const SECRET = "the-hook's-own-secret"
const EACH = 14
const ROUNDS = 3
const Answer = z.looseObject({ run: z.string().nullable() })
const Rows = z.object({ data: z.array(z.looseObject({ id: z.string(), trigger: z.looseObject({ hook: z.string().optional() }) })) })

interface Delivery {
  readonly name: string
  readonly isWanted: boolean
  /** Runs named in its 2xx answers. */
  readonly runs: Set<string | null>
  answers: number
}

export async function playDeliveries(scene: Scene): Promise<void> {
  const { client } = scene
  await client.put("/v1/secrets/hooked", { value: SECRET })
  const hook = await scene.insist("the hook", async () => {
    const mapping = { task: "${{trigger.body.title}}" }
    const body = { flow: "work", kind: "github", secret: "hooked", mapping, filter: 'action == "opened"' }
    const { status, said } = await scene.call("POST", "/v1/hooks", body, { "idempotency-key": "the-hook" })
    return status === 201 ? textIn(said, "id") : undefined
  })
  const url = `${scene.victim.url}/v1/hooks/${hook}`

  const sendOnce = async (it: Delivery): Promise<true> => {
    const body = JSON.stringify({ action: it.isWanted ? "opened" : "closed", title: it.name })
    const headers = {
      "content-type": "application/json",
      "x-github-event": "issues",
      "x-github-delivery": it.name,
      "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`,
    }
    const answer = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(20_000) })
    if (!answer.ok) throw new Error(`${it.name}: ${answer.status} ${await answer.text()}`)
    it.answers += 1
    it.runs.add(Answer.parse(await answer.json()).run)
    return true
  }
  const deliver = (it: Delivery): Promise<true> =>
    scene.insist(`an answer to ${it.name}`, async () => (it.answers > 0 ? true : await sendOnce(it)))

  const all: Delivery[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    const batch = Array.from({ length: EACH }, (_, n) => ({
      name: `case-w${round}-${n}`,
      isWanted: n % 5 !== 4,
      runs: new Set<string | null>(),
      answers: 0,
    }))
    all.push(...batch)
    const after = 1 + scene.chance(EACH)
    const dead = (async () => {
      while (batch.reduce((sum, it) => sum + it.answers, 0) < after) await sleep(1)
      await sleep(scene.chance(15))
      await scene.kill(`webhooks: after ${after} answers or more`)
    })()
    await Promise.all([dead, ...batch.flatMap((it) => [deliver(it), deliver(it)])])
  }

  await Promise.all(all.map((it) => settle(scene, it, () => sendOnce(it))))
  const wanted = all.filter((it) => it.isWanted).length
  const rows = await scene.insist(
    "the list",
    async () => Rows.parse((await scene.call("GET", "/v1/runs?trigger=webhook&limit=200")).said).data,
  )
  const made = rows.filter((row) => row.trigger.hook === hook).length
  scene.check(
    "[W3] there are as many runs as deliveries that pass the filter",
    made === wanted ? undefined : `${made} runs of ${wanted} deliveries`,
  )
}

/** Much later, once more: the same run, or none. */
async function settle(scene: Scene, it: Delivery, sendOnce: () => Promise<true>): Promise<void> {
  const early = [...it.runs].join(", ")
  await scene.insist(`a late answer to ${it.name}`, sendOnce)
  const [run] = it.runs
  scene.check(
    "[W3] all answers to one delivery name the same run",
    it.runs.size === 1 ? undefined : `${it.name}: ${early}, then ${[...it.runs].join(", ")}`,
  )
  if (!it.isWanted) scene.check("[W1] a filtered delivery has no run", run === null ? undefined : `${it.name}: ${run}`)
  else if (typeof run === "string") {
    scene.runs.push(run)
    const seen = await scene.ended(run)
    const isRight = seen.status === "succeeded" && seen["task"] === it.name
    scene.check("[S1] the run of an acknowledged delivery exists and ends", isRight ? undefined : `${it.name}: ${seen.status}`)
  } else scene.check("[S1] the run of an acknowledged delivery exists and ends", `${it.name}: no run`)
}
