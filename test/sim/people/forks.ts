// Forks: who forks a run that is under way or over, at a cut, with a patch or with something instead, and who runs one again.

import { workerOf } from "../world/catalog.ts"
import { isNo, type Actor, type Life } from "./life.ts"
import type { Started } from "./told.ts"

/** An edition that no writer writes. */
const PATCHED = 5_000
const MODES = ["staged", "dry", "live"] as const

export const forks: Actor = {
  name: "forks",
  often: 0.25,
  play(life) {
    const rolls = life.rollsOf("forks")
    life.onStart((started) => {
      if (started.by !== "start") return
      if (rolls.chance("fork", 0.3)) life.at(rolls.roll("when") * 90_000, `fork ${started.name}`, () => fork(life, started))
      if (rolls.chance("again", 0.1)) life.at(rolls.roll("again when") * 90_000, `run ${started.name} again`, () => again(life, started))
    })
  },
  rest: (life) => prefixes(life),
}

async function fork(life: Life, source: Started): Promise<void> {
  const { admin, told } = life
  const rolls = life.rollsOf("forks")
  const page = await admin.insist("GET", `/v1/runs/${source.id}/events?limit=1000`)
  if (page.status === 404) return
  const { data } = JSON.parse(page.text) as { data: readonly { type: string; seq: number; step?: string; id?: string; kind?: string }[] }
  const opened = data.filter((it) => it.type === "step.opened")
  const way = rolls.pick("way", ["seq", "seq", "step", "instead", "patch", "task"] as const)
  let seq = 1 + rolls.below("seq", Math.max(1, data.length))
  const at = opened.length > 0 ? rolls.pick("step", opened) : undefined
  const body: Record<string, unknown> = {
    effects: rolls.pick("effects", MODES),
    ...(rolls.chance("budget", 0.2) ? { budget: { usd: 0.3 } } : {}),
  }
  if (way === "seq") body["from"] = { seq }
  else if (way === "task") body["patch"] = { task: `${source.name}-forked` }
  else if (way === "patch") {
    body["from"] = { seq }
    body["patch"] = { definitions: { "agents/worker.md": workerOf(PATCHED) } }
  } else if (at?.step === undefined) return
  else {
    body["from"] = { step: at.step }
    if (way === "instead" && at.step === "a") body["instead"] = { finish: { status: "complete", summary: "done by hand" } }
  }
  const key = `fork-${source.name}`
  let answer = await admin.insist("POST", `/v1/runs/${source.id}/fork`, body, { "idempotency-key": key })
  const near = answer.status === 422 ? (JSON.parse(answer.text) as { before?: number; after?: number }) : {}
  if (typeof (near.before ?? near.after) === "number") {
    seq = near.before ?? near.after ?? seq
    answer = await admin.insist("POST", `/v1/runs/${source.id}/fork`, { ...body, from: { seq } }, { "idempotency-key": `${key}-near` })
  }
  // 422: no cut is there, or the patch does not fit it; 409: the source waits in the queue.
  if (isNo(answer.status) || answer.status === 422) return
  if (answer.status !== 202) throw new Error(`fork ${JSON.stringify(body)}: ${answer.status} ${answer.text.slice(0, 300)}`)
  const { id } = JSON.parse(answer.text) as { id: string }
  told.repeats.add(source.name)
  const isCut = way === "seq" || way === "patch"
  told.forks.push({
    id,
    source: source.id,
    ...(isCut ? { seq } : {}),
    ...(way === "patch" || way === "task" ? { patch: body["patch"] as object } : {}),
  })
  life.started(source.flow, source.name, id, "fork", life.now, { effects: body["effects"] as "staged" })
}

async function again(life: Life, source: Started): Promise<void> {
  const answer = await life.admin.insist("POST", `/v1/runs/${source.id}/again`, {}, { "idempotency-key": `again-${source.name}` })
  if (isNo(answer.status) || answer.status === 422) return
  if (answer.status !== 202) throw new Error(`again: ${answer.status} ${answer.text.slice(0, 300)}`)
  const { id } = JSON.parse(answer.text) as { id: string }
  life.told.repeats.add(source.name)
  life.told.forks.push({ id, source: source.id })
  life.started(source.flow, source.name, id, "again", life.now)
}

/** [K9] A fork begins with the bytes of its source. */
async function prefixes(life: Life): Promise<string[]> {
  const wrong: string[] = []
  for (const { id, source, seq } of life.told.forks) {
    if (seq === undefined || (await life.run(source)) === undefined || (await life.run(id)) === undefined) continue
    const [own, before] = [await life.journal(id), await life.journal(source)]
    const at = before.slice(0, seq).findIndex((event, i) => own[i] !== event)
    if (at >= 0) wrong.push(`[K9] the fork ${id} of ${source} at ${seq} differs from it at event ${at + 1}`)
    const forked = JSON.parse(own[seq] ?? "{}") as { type?: string }
    if (forked.type !== "run.forked") wrong.push(`[K9] event ${seq + 1} of the fork ${id} is ${forked.type}`)
  }
  return wrong
}
