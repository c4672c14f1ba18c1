// Starts: who starts runs over the API, in all the ways of a start's body.

import { CALLBACK, flowAt } from "../world/catalog.ts"
import { STORM_MS, type Actor, type Life } from "./life.ts"

export const starts: Actor = {
  name: "starts",
  often: 1,
  play(life) {
    const rolls = life.rollsOf("starts")
    for (let n = 0; n < life.runs; n++) life.at(rolls.roll("when") * STORM_MS, `start ${n}`, () => start(life, n))
  },
}

const EFFECTS = ["staged", "dry", "live"] as const

async function start(life: Life, n: number): Promise<void> {
  const rolls = life.rollsOf("starts")
  const flow = flowAt(rolls.roll("flow"))
  const name = life.name(String(n))
  const hasCallback = rolls.chance("callback", 0.4)
  const effects = rolls.chance("effects", 0.2) ? rolls.pick("which effects", EFFECTS) : undefined
  const budget = rolls.chance("budget", 0.3) ? { usd: rolls.pick("which budget", [0.5, 0.5, 0.1, 0.05]) } : undefined
  const session = flow === "talk" ? `${life.tenant}-${rolls.below("session", 2)}` : undefined
  const isWaiting = rolls.chance("wait", 0.15)
  const body = {
    task: name,
    autonomous: rolls.chance("autonomous", 0.15),
    ...(hasCallback ? { callback: CALLBACK } : {}),
    ...(effects ? { effects } : {}),
    ...(budget ? { budget } : {}),
    ...(session ? { session } : {}),
    ...(rolls.chance("files", 0.1) ? { files: { "given.md": `for ${name}\n` } } : {}),
    ...(rolls.chance("tags", 0.2) ? { tags: ["sim", flow] } : {}),
  }
  const asked = life.now
  const answer = await life.admin.insist("POST", `/v1/flows/${flow}/runs`, body, {
    "idempotency-key": `start-${name}`,
    ...(isWaiting ? { prefer: "wait=20" } : {}),
  })
  if (answer.status !== 202 && !(isWaiting && answer.status === 200))
    throw new Error(`the start of ${flow} was answered ${answer.status}: ${answer.text.slice(0, 300)}`)
  const { id } = JSON.parse(answer.text) as { id: string }
  life.started(flow, name, id, "start", asked, {
    hasCallback,
    ...(budget ? { budget } : {}),
    ...(effects ? { effects } : {}),
    ...(session ? { session } : {}),
  })
  if (session) life.told.sessions.set(session, [...(life.told.sessions.get(session) ?? []), id])
}
