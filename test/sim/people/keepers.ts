// Keepers of keys: who creates a key, uses it, follows a run with it, and revokes it.

import { STORM_MS, type Actor, type Life } from "./life.ts"
import { Person } from "./person.ts"
import type { Key } from "./told.ts"

/** [H1], [S18] A revoked key may be good for 5 s, counted from when it was asked for by the clock of whoever asked. Isolates tell each other what they
 *  were answered, and the clock of each may be wrong by 2 s: so an isolate may count up to 4 s less. */
export const GRACE_MS = 9_000

export const keepers: Actor = {
  name: "keepers",
  often: 0.25,
  play(life) {
    const rolls = life.rollsOf("keepers")
    for (let n = 0; n < 3; n++) life.at(rolls.roll("when") * STORM_MS * 0.8, `key ${n}`, () => keep(life, n))
  },
}

async function keep(life: Life, n: number): Promise<void> {
  const { admin, told } = life
  const rolls = life.rollsOf("keepers")
  const made = await admin.get<{ id: string; key?: string }>(
    "POST",
    "/v1/keys",
    { name: `kept ${n}`, scopes: ["runs:read"] },
    // Some who ask choose no key of their own: each try makes another one.
    n === 0 ? {} : { "idempotency-key": `key-${n}` },
  )
  const key: Key = { id: made.id, created: life.now, uses: [] }
  told.keys.push(key)
  // A replayed answer does not show it [H4]: nobody has it.
  const holder = made.key === undefined ? undefined : new Person(life.world.service, made.key)
  if (holder) {
    for (let uses = rolls.below("uses", 4); uses > 0; uses--) {
      await use(life, key, holder, true)
      await life.sleep(rolls.roll("pause") * 8_000)
    }
    const run = told.starts.at(-1)
    if (run) life.at(0, `reading with key ${n}`, () => watch(life, key, holder, run.id))
    await life.sleep(rolls.roll("until revoked") * 30_000)
  }
  const { status, text } = await admin.insist("DELETE", `/v1/keys/${made.id}`)
  if (status !== 204 && status !== 404) throw new Error(`the revocation: ${status} ${text.slice(0, 200)}`)
  key.revoked = life.now
  if (!holder) return
  for (let uses = 0; uses < 6; uses++) {
    await life.sleep(rolls.roll("later") * 6_000)
    await use(life, key, holder, false)
  }
  await life.sleep(GRACE_MS)
  await use(life, key, holder, false)
}

async function use(life: Life, key: Key, holder: Person, isGood: boolean): Promise<void> {
  const asked = life.now
  const { status } = await holder.insist("GET", "/v1/runs?limit=1")
  key.uses.push({ asked, at: life.now, status })
  if (isGood && status !== 200) life.found(`[H1] the key ${key.id}, which nobody has revoked, is answered ${status}`)
  if (!isGood && key.revoked !== undefined && asked > key.revoked + GRACE_MS && status !== 401)
    life.found(`[S18] the key ${key.id} is answered ${status}, ${Math.round(asked - key.revoked)} ms after it was revoked`)
}

/** A long read ends with its key: the next try is refused. */
async function watch(life: Life, key: Key, holder: Person, run: string): Promise<void> {
  for (;;) {
    let last = life.now
    try {
      const { status } = await holder.follow(`/v1/runs/${run}/events`, {}, () => {
        last = life.now
        return true
      })
      if (status === 401 || status === 404 || status === 204) return
      if (status === 200 && key.revoked === undefined && life.isCalm) return
    } catch {
      // The connection was lost.
    }
    if (key.revoked !== undefined && life.isCalm && last > key.revoked + 200_000)
      life.found(`[S18] a stream opened with the key ${key.id} goes on ${Math.round(last - key.revoked)} ms after it was revoked`)
    await life.sleep(1_000)
  }
}
