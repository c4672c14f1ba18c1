// Rushers: who starts so many runs at once that the tenant has desks [F71], with keys of their own.

import { Person } from "./person.ts"
import { STORM_MS, type Actor, type Life } from "./life.ts"

const WAVES = 3
const AT_ONCE = 13
const LATE = 12
const WAVE_MS = 1_500

export const rushers: Actor = {
  name: "rushers",
  often: 0.12,
  play(life) {
    const rolls = life.rollsOf("rushers")
    life.at(rolls.roll("when") * STORM_MS * 0.7, "a rush", () => rush(life))
  },
}

async function rush(life: Life): Promise<void> {
  const people = await Promise.all(Array.from({ length: AT_ONCE + LATE }, (_, n) => one(life, n)))
  const late = people.splice(AT_ONCE)
  for (let wave = 0; wave < WAVES; wave++) {
    await Promise.all(people.map((person, n) => start(life, person, `u${wave}-${n}`)))
    // Whose key is used for the first time while desks have leases.
    for (const person of late.splice(0, wave === 0 ? 0 : LATE / 2)) {
      await person.insist("GET", "/v1/runs?limit=1")
      await life.sleep(WAVE_MS / LATE)
    }
    await life.sleep(WAVE_MS / 2)
  }
}

/** Someone with a key of their own. */
async function one(life: Life, n: number): Promise<Person> {
  const body = { name: `rush ${n}`, scopes: ["runs:write", "runs:read"] }
  const { key } = await life.admin.get<{ key?: string }>("POST", "/v1/keys", body, { "idempotency-key": `rush-${n}` })
  // A replayed answer does not show it [H4].
  return key === undefined ? life.admin : new Person(life.world.service, key)
}

async function start(life: Life, person: Person, of: string): Promise<void> {
  const name = life.name(of)
  const asked = life.now
  const { status, text } = await person.insist("POST", "/v1/flows/work/runs", { task: name }, { "idempotency-key": `start-${name}` })
  if (status !== 202) throw new Error(`${status} ${text.slice(0, 200)}`)
  life.started("work", name, (JSON.parse(text) as { id: string }).id, "start", asked)
}
