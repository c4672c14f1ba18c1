// Serves the tool `subagent` to a caller outside a run: it starts a run of one agent and waits for it [T2]. The run is like any other,
// journaled and shown under its id; it continues when the caller leaves.
//
// Each such run has a session, a new one or an earlier one [J25]. The session is claimed before the run exists, so an unknown or busy one
// starts nothing.

import { defined } from "../../core/defined.ts"
import type { JsonObject } from "../../core/json.ts"
import { holderOf } from "../../core/run/session/sticky.ts"
import type { RunView, StepView } from "../../core/run/views/view.ts"
import { startable, unstartableText } from "../../engine/catalog/pin/startable.ts"
import { SUBAGENT_PREFIX, SUBAGENT_STEP } from "../../engine/catalog/pin/subagent-flow.ts"
import { startOf } from "../../engine/run/begin/start.ts"
import type { CatalogPort } from "../../ports/tenant/catalog.ts"
import type { RunPort } from "../../ports/run.ts"
import type { StickySessions } from "../../ports/tenant/sessions.ts"
import type { Finalized, SubagentResult, Subagents } from "../../ports/tool.ts"

const TRIGGER = { kind: "api", key: "subagent" } as const
/** The longest that a start may wait [H9]. */
const WAIT_MS = 90_000 // limit: milliseconds that a start of a subagent waits → the run continues

interface Deps {
  readonly tenant: CatalogPort
  readonly name: string
  readonly sessions: StickySessions
  /** Frees the place that `pin` took for a run that does not start [H6]. */
  giveBack(run: string): Promise<void>
  /** A fresh id, or the id that follows from an Idempotency-Key [H4]. */
  runId(key?: string): Promise<string>
  sessionId(key?: string): Promise<string>
  run(id: string): RunPort
}

export function subagents({ tenant, name, sessions, giveBack, runId, sessionId: fresh, run }: Deps): Subagents {
  return {
    async run({ agent, task, inputs, sessionId: given, key, trace }): Promise<SubagentResult> {
      const id = await runId(key)
      const sessionId = given ?? (await fresh(key))
      const port = run(id)
      const before = key === undefined ? undefined : await port.view()
      if (before && (before.flow !== `${SUBAGENT_PREFIX}${agent}` || before.task !== task))
        return { kind: "failed", message: "this Idempotency-Key was used for another run; use a new key" }
      // [H4] An earlier try began the run: wait for it and do nothing else.
      if (before) return waitedFor(port, id, sessionId)
      const pinned = await tenant.pin(
        { agent },
        { rehearse: false, start: { run: id, kind: "api" }, row: { trigger: TRIGGER, session: sessionId } },
      )
      if (!pinned.ok) {
        const message = pinned.code === "not_found" ? `there is no agent "${agent}"` : pinned.message
        return { kind: "failed", message, ...(pinned.code === "quota" ? { noRoom: pinned } : {}) }
      }
      const ready = startable(pinned)
      if (!ready.ok) {
        await giveBack(id)
        return { kind: "failed", message: unstartableText(ready.error) }
      }
      const claim = { agent, id: sessionId, by: holderOf(id, SUBAGENT_STEP, 1), mustExist: given !== undefined }
      const claimed = await sessions.claim(claim)
      if (!claimed.ok) {
        await giveBack(id)
        return { kind: "session", sessionId, message: whyNot(agent, sessionId, claimed.code) }
      }
      try {
        const start = { tenant: name, run: id, task, autonomous: true, trigger: TRIGGER, session: sessionId, trace }
        await port.start(startOf(pinned, { ...start, ...ready.value, inputs }))
      } catch (e) {
        // The run may have begun anyway: it then claims the session again, which is given back to the same run.
        await sessions.giveBack(claim).catch(() => undefined)
        throw e
      }
      return waitedFor(port, id, sessionId)
    },
  }
}

async function waitedFor(port: RunPort, runId: string, sessionId: string): Promise<SubagentResult> {
  const seen = await port.wait(WAIT_MS)
  return seen ? resultOf(seen, sessionId) : { kind: "failed", runId, sessionId, message: "the run was deleted" }
}

const whyNot = (agent: string, id: string, code: "unknown" | "busy"): string =>
  code === "unknown"
    ? `unknown session "${id}" of agent "${agent}": leave out sessionId for a new one`
    : `the session "${id}" of agent "${agent}" is busy: wait until its run has ended`

function resultOf({ id: runId, status, error, steps }: RunView, sessionId: string): SubagentResult {
  const over = status === "succeeded" || status === "failed" || status === "canceled"
  if (!over) return { kind: "waiting", runId, sessionId }
  const step = steps[SUBAGENT_STEP]
  const finished =
    step?.status === "complete" || ((step?.status === "error" || step?.status === "blocked") && step.source === "agent_finish_error")
  if (!step || !finished) return { kind: "failed", runId, sessionId, message: error?.message ?? `the run was ${status}` }
  const { summary = "", files = [], artifacts, outputs = {} } = step
  const finish: JsonObject = { status: step.status, summary, files: files.map((f) => ({ ...f })), ...defined({ artifacts }), ...outputs }
  return { kind: "ended", runId, sessionId, finish, finalized: finalizedOf(step.status, summary, artifacts) }
}

/** The finish in the words of pi-subagents (B7): any status but complete is an ERROR, with the part of a result that exists. */
const finalizedOf = (status: StepView["status"], summary: string, artifacts: string | undefined): Finalized =>
  status === "complete" ? { status: "SUCCESS", result: summary } : { status: "ERROR", error: summary, ...defined({ result: artifacts }) }
