// Answers: who looks at the inbox and answers, now and then by a link, now and then two at the same time. In the calm until nothing is open.

import { Person } from "./person.ts"
import type { Actor, Life } from "./life.ts"

interface Asked {
  readonly id: string
  readonly run: string
  readonly kind: string
  readonly payload: {
    readonly options?: readonly (string | { readonly label: string })[]
    readonly effects?: readonly { readonly key: string }[]
    readonly limit?: Readonly<Record<string, number>>
  }
  /** Of its answer. */
  readonly schema?: unknown
}

/** In the calm, as long as a run is alive. */
const LATE_MS = 900_000

export const answers: Actor = {
  name: "answers",
  often: 1,
  play(life) {
    life.at(3_000, "answering", () => answerAll(life))
  },
}

async function answerAll(life: Life): Promise<void> {
  const rolls = life.rollsOf("answers")
  let calm = life.now
  for (let idle = 0; idle < 3;) {
    const open = await life.admin.all<Asked>("/v1/interactions?limit=200")
    const seen = life.isCalm ? open : open.filter(() => !rolls.chance("not yet", 0.5))
    // Side by side, a few at a time.
    while (seen.length > 0) await Promise.all(seen.splice(0, 4).map((it) => answer(life, it)))
    // Others may start runs that ask.
    const isAlone = life.atWork.every((it) => it === "answering")
    idle = life.isCalm && open.length === 0 && isAlone ? idle + 1 : 0
    calm = life.isCalm ? calm : life.now
    // A clock that was ahead leaves times that come late.
    if (idle === 3 && life.now < calm + LATE_MS && (await life.admin.all("/v1/runs?status=queued,running,waiting,paused")).length > 0)
      idle = 0
    await life.sleep(life.isCalm ? 30_000 : 4_000 + rolls.roll("pause") * 20_000)
  }
}

async function answer(life: Life, asked: Asked): Promise<void> {
  const { id, run, kind } = asked
  const rolls = life.rollsOf("answers")
  const path = `/v1/runs/${run}/interactions/${id}`
  const body = bodyOf(life, asked)
  if (!life.isCalm && rolls.chance("link", 0.08)) return answerByLink(life, asked, body)
  const bodies = !life.isCalm && rolls.chance("two at once", 0.1) ? [body, bodyOf(life, asked)] : [body]
  const taken: string[] = []
  const send = async (given: object): Promise<void> => {
    const { status, text } = await life.admin.insist("POST", path, given)
    if (status === 200) taken.push(JSON.stringify(given))
    else if (status !== 409 && status !== 404)
      throw new Error(`the answer ${JSON.stringify(given)} to ${run}/${id} (${kind}) got ${status}: ${text.slice(0, 300)}`)
  }
  await Promise.all(bodies.map(send))
  if (taken[0] !== undefined) life.told.answers.set(`${run}/${id}`, taken[0])
  if (new Set(taken).size > 1) life.found(`[Q2] ${run}/${id} was decided as ${taken.join(" and as ")}`)
}

function bodyOf(life: Life, { kind, payload, schema }: Asked): object {
  const rolls = life.rollsOf("answers")
  if (kind.startsWith("approval")) return { decision: rolls.pick("decision", ["approve", "approve", "reject"]) }
  if (kind === "budget") {
    const limit = Object.fromEntries(
      Object.entries(payload.limit ?? {}).map(([unit, most]) => [unit, unit === "usd" ? most + 1 : most + 100_000]),
    )
    const mayRaise = JSON.stringify(schema)?.includes('"raise"') === true
    return mayRaise && rolls.chance("raise", life.isCalm ? 0 : 0.5) && Object.keys(limit).length > 0
      ? { answer: { raise: limit } }
      : { answer: "stop" }
  }
  if (kind === "effects") {
    const keys = (payload.effects ?? []).map((it) => it.key)
    return { answer: { commit: rolls.pick("commit", ["all", "all", keys.slice(0, 1), []]) } }
  }
  const options = (payload.options ?? []).map((it) => (typeof it === "string" ? it : it.label))
  return { answer: options.length === 0 ? "yes" : rolls.pick("option", options) }
}

/** Without a key: whoever has the address. */
async function answerByLink(life: Life, { run, id }: Asked, body: object): Promise<void> {
  const made = await life.admin.insist("POST", `/v1/runs/${run}/interactions/${id}/link`, {})
  if (made.status === 404 || made.status === 409) return
  if (made.status !== 201) throw new Error(`a link to ${run}/${id}: ${made.status} ${made.text.slice(0, 200)}`)
  const { url } = JSON.parse(made.text) as { url: string }
  const { pathname, search } = new URL(url)
  const someone = new Person(life.world.service, "")
  const { status, text } = await someone.insist("POST", `${pathname}${search}`, body, { accept: "application/json" })
  if (status === 200) life.told.answers.set(`${run}/${id}`, JSON.stringify(body))
  // 403: a link decides no budget and changes no call unless it was made for that.
  else if (![403, 404, 409, 410].includes(status))
    throw new Error(`the link to ${run}/${id} got ${status} for ${JSON.stringify(body)}: ${text.slice(0, 200)}`)
}
