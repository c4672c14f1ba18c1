// Settlers: who says what became of an effect of unknown outcome, takes back what a run did, and calls an agent outside of any run.

import { isEnd, isNo, STORM_MS, type Actor, type Life } from "./life.ts"

export const settlers: Actor = {
  name: "settlers",
  often: 0.2,
  play(life) {
    const rolls = life.rollsOf("settlers")
    life.at(rolls.roll("resolve") * STORM_MS, "uncertain effects", () => resolveAll(life))
    life.onStart(({ id, flow, name }) => {
      if (flow === "send" && rolls.chance("undo", 0.5))
        life.at(20_000 + rolls.roll("undo when") * 60_000, `undo ${name}`, () => undo(life, id))
    })
  },
}

async function resolveAll(life: Life): Promise<void> {
  const rolls = life.rollsOf("settlers")
  for (const { run, key } of await life.admin.all<{ run: string; key: string }>("/v1/effects?state=uncertain")) {
    const resolve = rolls.pick("resolved", ["happened", "did_not"])
    const { status, text } = await life.admin.insist("POST", `/v1/runs/${run}/effects/${encodeURIComponent(key)}`, { resolve })
    if (status === 200) life.told.resolved.set(`${run}/${key}`, resolve)
    else if (!isNo(status)) throw new Error(`${run}/${key}: ${status} ${text.slice(0, 200)}`)
  }
}

async function undo(life: Life, id: string): Promise<void> {
  const run = await life.run(id)
  if (!run || !isEnd(run.status)) return
  const { status, text } = await life.admin.insist("POST", `/v1/runs/${id}/undo`, {}, { "idempotency-key": `undo-${id}` })
  if (status === 202) life.told.undone.add(id)
  else if (!isNo(status)) throw new Error(`${status} ${text.slice(0, 200)}`)
}

/** At the same time, and none names a session: each has one of its own [J25]. */
const CALLS = 2

export const callers: Actor = {
  name: "callers",
  often: 0.2,
  play(life) {
    const rolls = life.rollsOf("callers")
    const when = rolls.roll("when") * STORM_MS
    for (let n = 0; n < CALLS; n++) life.at(when, `call ${n} of an agent`, () => call(life, life.name(`a${n}`)))
    for (const path of ["/v1/tools/subagent", "/v1/flows/work/runs"]) life.at(when, "calls without a key", () => callOnce(life, path))
  },
}

/** At the same time, and neither has a key: whoever gets no answer does not ask again. */
async function callOnce(life: Life, path: string): Promise<void> {
  const asked = life.now
  const runs = await Promise.all(
    [0, 1].map(async (n): Promise<string | undefined> => {
      const name = life.name(`${path.endsWith("runs") ? "s" : "o"}${n}`)
      const body = path.endsWith("runs") ? { task: name } : { agent: "looker", task: name }
      const answer = await life.admin.ask("POST", path, body).catch(() => undefined)
      if (!answer || answer.status >= 300) return undefined
      const { id, details } = JSON.parse(answer.text) as { id?: string; details?: { runId?: string; sessionId?: string } }
      const run = id ?? details?.runId
      if (run === undefined && answer.text.includes(" is busy"))
        life.found(`[J25] a call of an agent has the session of another: ${answer.text.slice(0, 200)}`)
      if (run !== undefined && details?.sessionId !== undefined) life.told.called.set(run, details.sessionId)
      if (run !== undefined) life.started(id === undefined ? "subagent" : "work", name, run, id === undefined ? "subagent" : "start", asked)
      return run
    }),
  )
  if (runs[0] !== undefined && runs[0] === runs[1]) life.found(`[S13] two requests without a key are the one run ${runs[0]}`)
}

async function call(life: Life, name: string): Promise<void> {
  const asked = life.now
  for (let n = 0; ; n++) {
    const body = { agent: "looker", task: name }
    const { status, text } = await life.admin.insist("POST", "/v1/tools/subagent", body, { "idempotency-key": `${name}-${n}` })
    // 202: it waits for somebody; 422: there was no room for it.
    if (status === 200 || status === 202) {
      const { runId, sessionId } = (JSON.parse(text) as { details: { runId?: string; sessionId?: string } }).details
      if (runId !== undefined) {
        if (sessionId !== undefined) life.told.called.set(runId, sessionId)
        return life.started("subagent", name, runId, "subagent", asked)
      }
      if (text.includes(" is busy")) life.found(`[J25] a call of an agent has the session of another: ${text.slice(0, 200)}`)
      // It was lost on its way, and is kept under its key.
    } else if (status === 403 && text.includes("approval_required")) {
      // The policy of now.
    } else if (status !== 422 || !text.includes("not_started")) throw new Error(`${status} ${text.slice(0, 300)}`)
    await life.sleep(10_000)
  }
}
