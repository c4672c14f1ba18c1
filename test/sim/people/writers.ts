// Writers: who writes the catalog while runs are under way: a new text of one agent, a rollback, a draft. One writer at a time, so that each start
// can be told which edition it must have.

import { workerOf } from "../world/catalog.ts"
import { STORM_MS, type Actor, type Life } from "./life.ts"

/** Editions of drafts begin here. */
const DRAFTED = 1_000
const editionIn = (text: string): number => Number(/Edition (\d+)/.exec(text)?.[1] ?? -1)

export const writers: Actor = {
  name: "writers",
  often: 0.25,
  play(life) {
    const rolls = life.rollsOf("writers")
    life.at(rolls.roll("first") * 60_000, "writing", async () => {
      for (let n = 1; life.now < STORM_MS && !life.isOver; n++) {
        if (n > 1 && rolls.chance("rollback", 0.2)) await rollback(life, n)
        else await write(life, n)
        await life.sleep(5_000 + rolls.roll("pause") * 60_000)
      }
    })
    for (let n = 0; n < 2; n++)
      if (rolls.chance("draft", 0.4)) life.at(rolls.roll("draft when") * STORM_MS, `draft ${n}`, () => draft(life, n))
  },
  rest: async (life) => editions(life),
}

async function write(life: Life, edition: number): Promise<void> {
  const asked = life.now
  const text = workerOf(edition)
  for (;;) {
    const now = await life.admin.insist("GET", "/v1/agents/worker")
    if (now.status !== 200) throw new Error(`GET the worker: ${now.status} ${now.text.slice(0, 200)}`)
    // An earlier try came through.
    if (now.text === text) break
    const { status, text: said } = await life.admin.insist("PUT", "/v1/agents/worker", text, {
      "content-type": "text/markdown",
      "if-match": now.headers.get("etag") ?? "",
    })
    if (status === 200) break
    if (status !== 412) throw new Error(`PUT the worker: ${status} ${said.slice(0, 300)}`)
  }
  life.told.writes.push({ edition, asked, at: life.now })
}

async function rollback(life: Life, n: number): Promise<void> {
  const rolls = life.rollsOf("writers")
  const asked = life.now
  const { data } = await life.admin.get<{ data: readonly { revision: number }[] }>("GET", "/v1/catalog/history?limit=20")
  // The first revisions have no such agent.
  const from = data.filter((it) => it.revision >= 1)
  if (from.length === 0) return
  const { revision } = rolls.pick("revision", from)
  const old = await life.admin.insist("GET", `/v1/agents/worker?revision=${revision}`)
  if (old.status !== 200) return
  const { status, text } = await life.admin.insist("POST", "/v1/catalog/rollback", { revision }, { "idempotency-key": `rollback-${n}` })
  if (status !== 200) throw new Error(`rollback to ${revision}: ${status} ${text.slice(0, 300)}`)
  life.told.writes.push({ edition: editionIn(old.text), revision, asked, at: life.now })
}

async function draft(life: Life, n: number): Promise<void> {
  const rolls = life.rollsOf("writers")
  const path = `/v1/catalog/drafts/d${n}`
  await life.admin.get("PUT", path, { mode: "merge", agents: { "worker.md": workerOf(DRAFTED + n) } })
  const name = life.name(`d${n}`)
  const asked = life.now
  const { id } = await life.admin.get<{ id: string }>(
    "POST",
    `/v1/flows/chain@draft:d${n}/runs`,
    { task: name },
    { "idempotency-key": `start-${name}` },
  )
  life.started("chain", name, id, "start", asked)
  await life.sleep(rolls.roll("draft goes") * 20_000)
  const { status, text } = await life.admin.insist("DELETE", path)
  if (status !== 204 && status !== 404) throw new Error(`DELETE ${path}: ${status} ${text.slice(0, 200)}`)
}

/** [F71, F72, S15] Each run has one edition, from those that were the newest while its start was asked for. */
function editions({ told, world }: Life): string[] {
  const wrong: string[] = []
  const calls = world.models.calls.filter((it) => it.model === "worker")
  for (const { name, asked, at, by } of told.starts) {
    if (by !== "start" || told.repeats.has(name)) continue
    const seen = new Set(calls.filter((it) => it.name === name || it.name.startsWith(`${name}-`)).map((it) => it.edition))
    if (seen.size > 1) wrong.push(`[F72] the workers of ${name} had the editions ${[...seen].join(", ")}`)
    const [edition] = seen
    if (edition === undefined || edition >= DRAFTED) continue
    const before = told.writes.findLast((it) => it.at < asked)?.edition ?? 0
    const meanwhile = told.writes.filter((it) => it.at >= asked && it.asked <= at).map((it) => it.edition)
    if (edition !== before && !meanwhile.includes(edition))
      wrong.push(
        `[F71] the worker of ${name} had edition ${edition}; ${before} was written before, ${meanwhile.join(", ") || "none"} meanwhile`,
      )
  }
  return wrong
}
