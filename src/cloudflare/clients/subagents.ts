// The tool `subagent` for a caller outside a run: a run of one agent, waited for [T2]. It is a run like any other,
// journaled and shown under its id; the caller's going away does not end it.
//
// Every such run has a session, made or gone on with [J25]. It is claimed before the run exists: an unknown or busy one starts nothing.

import type { JsonObject } from "../../core/json.ts"
import { holderOf } from "../../core/run/session/sticky.ts"
import type { RunView, StepView } from "../../core/run/views/view.ts"
import { noPrice, startMoney } from "../../engine/catalog/start-money.ts"
import { SUBAGENT_PREFIX, SUBAGENT_STEP } from "../../engine/catalog/subagent-flow.ts"
import type { TenantPort } from "../../ports/catalog.ts"
import type { RunPort } from "../../ports/run.ts"
import type { StickySessions } from "../../ports/sessions.ts"
import type { Finalized, SubagentResult, Subagents } from "../../ports/tool.ts"

/** As long as a start may wait [H9]. */
const WAIT_MS = 90_000

interface Deps {
  readonly tenant: TenantPort
  readonly name: string
  readonly sessions: StickySessions
  /** The place that `pin` took, of a run that will not be [H6]. */
  giveBack(run: string): Promise<void>
  /** Fresh ones, or those that follow from an Idempotency-Key [H4]. */
  runId(key?: string): Promise<string>
  sessionId(key?: string): Promise<string>
  run(id: string): RunPort
}

export function subagents({ tenant, name, sessions, giveBack, runId, sessionId: fresh, run }: Deps): Subagents {
  return {
    async run({ agent, task, inputs, sessionId: given, key }): Promise<SubagentResult> {
      const id = await runId(key)
      const sessionId = given ?? (await fresh(key))
      const port = run(id)
      const before = key === undefined ? undefined : await port.view()
      if (before && (before.flow !== `${SUBAGENT_PREFIX}${agent}` || before.task !== task))
        return { kind: "failed", message: "this Idempotency-Key started another run before; take a fresh key" }
      // [H4] A try before this one has begun it: it is waited for, and nothing else.
      if (before) return waitedFor(port, id, sessionId)
      const pinned = await tenant.pin({ agent }, { rehearse: false, start: { run: id, kind: "api" } })
      if (!pinned.ok) return { kind: "failed", message: pinned.code === "not_found" ? `there is no agent "${agent}"` : pinned.message }
      const money = startMoney(pinned)
      if (!money.ok) {
        await giveBack(id)
        return { kind: "failed", message: noPrice(money.error) }
      }
      const claim = { agent, id: sessionId, by: holderOf(id, SUBAGENT_STEP, 1), mustExist: given !== undefined }
      const claimed = await sessions.claim(claim)
      if (!claimed.ok) {
        await giveBack(id)
        return { kind: "session", sessionId, message: whyNot(agent, sessionId, claimed.code) }
      }
      try {
        await port.start({
          tenant: name,
          run: id,
          flow: pinned.flow.id,
          task,
          inputs,
          autonomous: true,
          rehearsed: pinned.rehearsed,
          pins: pinned.pins,
          trigger: { kind: "api", key: "subagent" },
          session: sessionId,
          ...(pinned.rules === undefined ? {} : { rules: pinned.rules }),
          ...money.value,
        })
      } catch (e) {
        // It may have begun all the same: then it claims the session again, as the one it was given to.
        await sessions.giveBack(claim).catch(() => undefined)
        throw e
      }
      return waitedFor(port, id, sessionId)
    },
  }
}

async function waitedFor(port: RunPort, runId: string, sessionId: string): Promise<SubagentResult> {
  const seen = await port.wait(WAIT_MS)
  return seen ? resultOf(seen, sessionId) : { kind: "failed", runId, sessionId, message: "the run is gone" }
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
  const finish: JsonObject = {
    status: step.status,
    summary,
    files: files.map((f) => ({ ...f })),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...outputs,
  }
  return { kind: "ended", runId, sessionId, finish, finalized: finalizedOf(step.status, summary, artifacts) }
}

/** The finish in the words of pi-subagents (B7): anything but complete is an ERROR, with what there is of a result. */
const finalizedOf = (status: StepView["status"], summary: string, artifacts: string | undefined): Finalized =>
  status === "complete"
    ? { status: "SUCCESS", result: summary }
    : { status: "ERROR", error: summary, ...(artifacts === undefined ? {} : { result: artifacts }) }
