// Receivers: who wants to hear of all runs, and is not there for a while [W6].

import { RECEIVER_HOST } from "../world/services.ts"
import { isEnd, isNo, STORM_MS, type Actor, type Life } from "./life.ts"

const EVENTS = ["run.succeeded", "run.failed", "run.canceled", "run.waiting"]

export const receivers: Actor = {
  name: "receivers",
  often: 0.25,
  play(life) {
    const rolls = life.rollsOf("receivers")
    const count = 1 + rolls.below("count", 2)
    for (let n = 0; n < count; n++) life.at(rolls.roll("when") * 60_000, `receiver ${n}`, () => receive(life, n))
    if (rolls.chance("down", 0.5))
      life.at(rolls.roll("down when") * STORM_MS, "the receiver is down", async () => {
        life.world.services.downUntil = life.now + rolls.roll("down for") * 120_000
        if (rolls.chance("redriven", 0.5)) await redrive(life)
      })
  },
  rest: (life) => heard(life),
}

async function receive(life: Life, n: number): Promise<void> {
  const rolls = life.rollsOf("receivers")
  const path = `/all/${life.tenant}/${life.nth}/${n}`
  const body = { url: `http://${RECEIVER_HOST}${path}`, secret: "receiver", events: EVENTS }
  const { id } = await life.admin.get<{ id: string }>("POST", "/v1/callbacks", body, { "idempotency-key": `receiver-${n}` })
  const receiver: { since: number; path: string; until?: number } = { since: life.now, path }
  life.told.receivers.set(id, receiver)
  if (!rolls.chance("deleted", 0.2)) return
  await life.sleep(rolls.roll("deleted when") * STORM_MS)
  const { status, text } = await life.admin.insist("DELETE", `/v1/callbacks/${id}`)
  if (status !== 204 && status !== 404) throw new Error(`its deletion: ${status} ${text.slice(0, 200)}`)
  receiver.until = life.now
}

/** Asks for messages that wait to be sent at once. */
async function redrive(life: Life): Promise<void> {
  for (const { id } of await life.admin.all<{ id: string }>("/v1/callback-deliveries?status=pending,dead")) {
    const { status, text } = await life.admin.insist("POST", `/v1/callback-deliveries/${id}/redrive`, {})
    if (status !== 202 && !isNo(status)) throw new Error(`redrive: ${status} ${text.slice(0, 200)}`)
  }
}

/** Each receiver has heard of the end of each run that began after it, under one id. */
async function heard(life: Life): Promise<string[]> {
  const wrong: string[] = []
  const { told, world } = life
  // After its fifth try a message waits for half an hour.
  const pending = await life.admin.all<{ run: string }>("/v1/callback-deliveries?status=pending&limit=200")
  for (const { id, name, asked } of told.starts) {
    const run = told.deleted.has(id) ? undefined : await life.run(id)
    if (!run || !isEnd(run.status)) continue
    for (const { since, path, until } of told.receivers.values()) {
      if (asked < since || until !== undefined) continue
      const own = world.services.messages.filter((it) => it.path === path && it.run === id && it.type === `run.${run.status}`)
      if (!own.some((it) => it.isTaken) && !pending.some((it) => it.run === id))
        wrong.push(`[W6] ${path} was not told that ${name} (${id}) ${run.status}`)
      if (new Set(own.map((it) => it.id)).size > 1) wrong.push(`[W6] ${path} was told of the end of ${name} (${id}) under several ids`)
    }
  }
  return wrong
}
