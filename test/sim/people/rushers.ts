// Rushers: who starts so many runs at once that the tenant has desks [F71], with keys of their own.

import { GRACE_MS } from "./keepers.ts"
import { Person } from "./person.ts"
import { STORM_MS, type Actor, type Life } from "./life.ts"

const WAVES = 3
const AT_ONCE = 13
const LATE = 12
const WAVE_MS = 1_500
const MEANWHILE = 6
const LEAVERS = 3

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
  const leavers = late.slice(-LEAVERS)
  for (let wave = 0; wave < WAVES; wave++) {
    await Promise.all(people.map(({ person }, n) => start(life, person, `u${wave}-${n}`)))
    // Whose key is used for the first time while desks have leases.
    for (const { person } of late.splice(0, wave === 0 ? 0 : LATE / 2)) {
      await person.insist("GET", "/v1/runs?limit=1")
      await life.sleep(WAVE_MS / LATE)
    }
    await life.sleep(WAVE_MS / 2)
  }
  await leave(life, leavers, people)
}

interface Rusher {
  readonly person: Person
  /** Of a key of their own. */
  readonly id?: string
}

/** Someone with a key of their own. */
async function one(life: Life, n: number): Promise<Rusher> {
  const body = { name: `rush ${n}`, scopes: ["runs:write", "runs:read"] }
  const { id, key } = await life.admin.get<{ id: string; key?: string }>("POST", "/v1/keys", body, { "idempotency-key": `rush-${n}` })
  // A replayed answer does not show it [H4].
  return key === undefined ? { person: life.admin } : { person: new Person(life.world.service, key), id }
}

/** Some lose their keys while desks know them, and the others go on. */
async function leave(life: Life, leavers: readonly Rusher[], people: readonly Rusher[]): Promise<void> {
  await Promise.all(
    leavers.map(async ({ id }) => {
      const { status, text } = id === undefined ? { status: 404, text: "" } : await life.admin.insist("DELETE", `/v1/keys/${id}`)
      if (status !== 204 && status !== 404) throw new Error(`the revocation: ${status} ${text.slice(0, 200)}`)
    }),
  )
  const [stays] = people
  for (let n = 0; stays && n < MEANWHILE; n++) {
    life.at(0, "a start after the rush", () => start(life, stays.person, `v${n}`))
    await life.sleep(GRACE_MS / MEANWHILE)
  }
  for (const { person, id } of leavers) {
    if (id === undefined) continue
    const { status } = await person.insist("GET", "/v1/runs?limit=1")
    if (status !== 401) life.found(`[S18] the key ${id} is answered ${status}, ${GRACE_MS} ms after it was revoked`)
  }
}

async function start(life: Life, person: Person, of: string): Promise<void> {
  const name = life.name(of)
  const asked = life.now
  const { status, text } = await person.insist("POST", "/v1/flows/work/runs", { task: name }, { "idempotency-key": `start-${name}` })
  if (status !== 202) throw new Error(`${status} ${text.slice(0, 200)}`)
  life.started("work", name, (JSON.parse(text) as { id: string }).id, "start", asked)
}
