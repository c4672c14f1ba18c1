// Rulers: who changes the budget of the day, the quotas and the policy while runs are under way. In the calm there is room for everybody.

import { STORM_MS, type Actor, type Life } from "./life.ts"
import { ADMIN, Person } from "./person.ts"
import type { Ruled } from "./told.ts"

const ROOM = { concurrent_runs: 1_000, starts_per_minute: 10_000 }

export async function rule(life: Life, what: Ruled["what"], value: object): Promise<void> {
  const asked = life.now
  const isQuota = what === "quotas"
  const person = isQuota ? new Person(life.world.service, ADMIN) : life.admin
  const path = isQuota ? `/v1/tenants/${life.tenant}/quotas` : `/v1/settings/${what}`
  const { status, text } = await person.insist("PUT", path, value)
  if (status !== 200) throw new Error(`${what} ${JSON.stringify(value)}: ${status} ${text.slice(0, 300)}`)
  life.told.rules.push({ what, value, asked, at: life.now })
}

/** Changes it a few times, and takes it back in the calm. */
function often(name: string, what: Ruled["what"], most: number, values: readonly object[], last: object): Actor {
  return {
    name,
    often: 0.2,
    play(life) {
      const rolls = life.rollsOf(name)
      life.at(rolls.roll("first") * 60_000, name, async () => {
        for (let n = 0; n < most && life.now < STORM_MS && !life.isCalm && !life.isOver; n++) {
          await rule(life, what, rolls.pick("value", values))
          await life.sleep(10_000 + rolls.roll("pause") * 120_000)
        }
        await life.calm()
        if (!life.isOver) await rule(life, what, last)
      })
    },
  }
}

export const quotaMakers = often(
  "quotas",
  "quotas",
  3,
  [{ concurrent_runs: 1 }, { concurrent_runs: 1 }, { concurrent_runs: 2 }, { concurrent_runs: 3 }, ROOM],
  ROOM,
)

export const budgeters = often(
  "day budget",
  "budget",
  3,
  [{ usd: 0.6 }, { usd: 1 }, { usd: 1, steps: 64 }, { steps: 96 }, { usd: 10 }, {}],
  {},
)

export const politicians = often(
  "policy",
  "policy",
  4,
  [
    {},
    { approvals: { tools: "always" } },
    { approvals: { tools: "always", expires: "20s" } },
    { denylist: [{ tool: "note", reason: "not today" }] },
    { effects: [{ flows: "send", mode: "staged" }] },
    { tools: { deny: ["look"] } },
  ],
  {},
)
