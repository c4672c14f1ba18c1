// Retainers: who makes the retention of ended runs shorter, twice in a row, and once while one run's object answers nobody [H6].

import { STORM_MS, type Actor, type Life } from "./life.ts"

const DAY_MS = 86_400_000
/** Of clocks that are put back, and of those that differ. */
const SLACK_MS = 700_000
/** A sweep tells 100 runs in a moment; one that cannot be told is told again after a minute. */
const SWEEP_MS = 240_000

export const retainers: Actor = {
  name: "retainers",
  often: 0.5,
  play(life) {
    const rolls = life.rollsOf("retainers")
    const keep = rolls.chance("by a file", 0.4) ? keepByFile : keepBySetting
    life.at(60_000 + rolls.roll("when") * (STORM_MS - 60_000), "a shorter retention", async () => {
      // Each while the sweep of the one before may be under way, and none after the last.
      for (const days of [25, 20, 15]) {
        await keep(life, days)
        await life.sleep(rolls.roll("pause") * 12)
      }
    })
    life.at(0, "a shorter retention beside a broken object", () => breakOne(life, keep))
  },
  rest: async (life) => (await late(life)).map((it) => `[H6] ${it}`),
}

type Keep = (life: Life, days: number) => Promise<void>

const keepBySetting: Keep = async ({ admin }, days) => void (await admin.get("PUT", "/v1/settings/retention", { runs: `${days}d` }))
/** [F79] */
const keepByFile: Keep = async ({ admin }, days) =>
  void (await admin.get("PATCH", "/v1/catalog", { settings: { "retention.yaml": `runs: ${days}d\n` } }))

/** In the calm: an object that answers nobody for a while delays no other [J12]. */
async function breakOne(life: Life, keep: Keep): Promise<void> {
  await life.calm()
  await life.sleep(300_000)
  // What follows would tell them all anew.
  for (const it of await late(life)) life.found(`[H6] ${it}`)
  const all = ended(life).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const [broken] = all
  if (!broken || all.length < 3) return
  broken.isBroken = true
  await keep(life, 5)
  await life.sleep(SWEEP_MS)
  const left = (await late(life)).filter((it) => !it.startsWith(broken.name))
  broken.isBroken = false
  for (const it of left) life.found(`[J12] one object answers nobody, and therefore ${it}`)
  await life.sleep(SWEEP_MS)
}

type Hosted = ReturnType<Life["world"]["service"]["runs"]["of"]>

/** Objects of runs that were over a while ago. */
function ended({ world, tenant, told }: Life): Hosted[] {
  const { tenants, runs, border } = world.service
  const { storage } = tenants.of(tenant)
  if (!storage.tables().includes("run")) return []
  const ids = storage
    .rows<{ id: string }>("SELECT id FROM run WHERE ended IS NOT NULL AND ended < ?", border.wall() - SWEEP_MS)
    .map(({ id }) => id)
  return ids.filter((id) => !told.deleted.has(id)).map((id) => runs.of(`${tenant}/${id}`))
}

/** Runs that will be kept for longer than the tenant says. */
async function late(life: Life): Promise<string[]> {
  const { runs } = await life.admin.get<{ runs: string }>("GET", "/v1/settings/retention")
  const most = Number.parseInt(runs, 10) * DAY_MS
  if (!runs.endsWith("d")) return []
  const { border } = life.world.service
  const wrong: string[] = []
  for (const { name, storage } of ended(life)) {
    const { durableAlarm: alarm } = storage
    if (!storage.tables().includes("entry") || alarm === null || alarm <= border.wall() + most + SLACK_MS) continue
    wrong.push(`${name} is kept for ${((alarm - border.wall()) / DAY_MS).toFixed(1)} days, of ${runs}`)
  }
  return wrong
}
