// Waiters: who waits for the answer of a start whose run needs nobody outside, while others look at the list and at what is new in it. Such a run is
// stored with what follows from it, or when somebody looks [J14].

import { STORM_MS, type Actor, type Life } from "./life.ts"

/** An isolate knows a provider's settings for so long. */
const KNOWN_MS = 5_000
const IN_A_ROW = 4

export const waiters: Actor = {
  name: "waiters",
  often: 0.15,
  play(life) {
    const rolls = life.rollsOf("waiters")
    for (let n = 0; n < 3; n++) life.at(rolls.roll("when") * STORM_MS * 0.8, `starts that wait ${n}`, () => wait(life, n))
  },
}

async function wait(life: Life, n: number): Promise<void> {
  const rolls = life.rollsOf("waiters")
  life.at(0, "looking at what is new", () => look(life))
  for (let k = 0; k < IN_A_ROW; k++) {
    life.at(0, `a start that waits ${n}-${k}`, () => start(life, life.name(`h${n}-${k}`)))
    await life.sleep((rolls.roll("pause") * KNOWN_MS) / IN_A_ROW)
  }
}

async function start(life: Life, name: string): Promise<void> {
  const asked = life.now
  const headers = { "idempotency-key": `start-${name}`, prefer: "wait=20" }
  const { status, text } = await life.admin.insist("POST", "/v1/flows/house/runs", { task: name }, headers)
  if (status !== 200 && status !== 202) throw new Error(`${status} ${text.slice(0, 200)}`)
  const { id } = JSON.parse(text) as { id: string }
  life.started("house", name, id, "start", asked)
  if ((await life.run(id)) === undefined && !life.told.deleted.has(id))
    life.found(`[J14] a start that waited was answered ${status} with the run ${id}, which is not there`)
}

async function look(life: Life): Promise<void> {
  const rolls = life.rollsOf("waiters")
  const known = new Set<string>()
  for (const end = life.now + KNOWN_MS; life.now < end; await life.sleep(100 + rolls.roll("look") * 400)) {
    const { data } = await life.admin.get<{ data: readonly { id: string }[] }>("GET", "/v1/runs?limit=4")
    for (const { id } of data) {
      if (known.has(id)) continue
      known.add(id)
      life.at(0, "looking at a new run", async () => void (await life.admin.insist("GET", `/v1/runs/${id}`)))
    }
  }
}
