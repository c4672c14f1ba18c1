// Shows a session of the architect in the API: its status, from its run; its files with their diagnostics; and its refusals.

import { defined } from "../../core/defined.ts"
import { hasErrors } from "../../core/diagnostic.ts"
import { isObject } from "../../core/json.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { sessionStatus, type SessionRow, type SessionStatus, type SessionView } from "../../ports/tenant/authoring/architect.ts"
import { pathAt } from "../middleware/address.ts"
import type { Call } from "../middleware/call.ts"
import { invalid, type Refusal } from "../middleware/problem.ts"
import type { ProofSource } from "./proof-view.ts"

export const urlsOf = (c: Call, id: string, run: string) => {
  const [self, ofRun] = [pathAt(c, `/v1/architect/${id}`), pathAt(c, `/v1/runs/${run}`)]
  return { self, accept: `${self}/accept`, revise: `${self}/revise`, run: ofRun, events: `${ofRun}/events` }
}

export function shown(c: Call, { session, run, status, proof }: ProofSource) {
  const { id, task, flow, iteration, revision, files, diff, created, at, repair } = session
  const [only, ...others] = files.filter((file) => file.kind === "flow")
  const named = flow ?? (others.length === 0 ? only?.id : undefined)
  const output: unknown = run?.output
  const summary = isObject(output) && typeof output["summary"] === "string" ? output["summary"] : undefined
  return {
    id,
    status,
    task,
    ...defined({ flow: named }),
    iteration,
    run: session.run,
    ...defined({ summary }),
    ...(status === "failed" ? { error: { message: whyFailed(run) } } : {}),
    ...defined({ revision }),
    valid: files.length > 0 && !files.some((file) => hasErrors(file.diagnostics)),
    files: files.map(({ path, change, hash, text, diagnostics, moved }) => ({
      path,
      change,
      hash,
      ...defined({ text }),
      diagnostics,
      ...defined({ moved }),
    })),
    diff,
    ...defined({ repair: repair && repairOf(repair, proof) }),
    created: timeOf(created),
    updated: timeOf(at),
    urls: urlsOf(c, id, session.run),
  }
}

const repairOf = ({ run, step, low }: NonNullable<SessionView["repair"]>, proof: ProofSource["proof"]) => ({
  run,
  ...defined({ step, low, proof }),
})

/** A run that is not in the tenant's list yet has just started. */
export const rowOf = ({ id, task, flow, iteration, run, state, runStatus = "running", files, created, at, isProving }: SessionRow) => ({
  id,
  status: proven(sessionStatus(state, runStatus, files), isProving),
  task,
  ...defined({ flow }),
  iteration,
  run,
  files,
  created: timeOf(created),
  updated: timeOf(at),
})

const proven = (status: SessionStatus, isProving: true | undefined): SessionStatus => (status === "ready" && isProving ? "working" : status)

function whyFailed(run: RunView | undefined): string {
  if (!run) return "the run was never started: send it back (revise) to try again"
  if (run.status === "canceled") return "the run was canceled"
  if (run.error) return run.error.message
  const why = run.rehearsed ? " (it was rehearsed: no model provider is set up)" : ""
  return `the architect finished without changing any file of the catalog${why}`
}

const timeOf = (ms: number): string => new Date(ms).toISOString()

export const noFlow = (flow: string): Refusal =>
  invalid([{ pointer: "/flow", message: `there is no flow ${JSON.stringify(flow.slice(0, 100))} to change` }])

export const WORKING: Refusal = {
  code: "architect_working",
  detail: "The architect is still working: wait for its run to end, or cancel it.",
}
export const UNPROVEN: Refusal = {
  code: "architect_working",
  detail: "The architect's files are still being tried: wait until the session is ready, or send it back (revise).",
}
export const NOT_READY: Refusal = {
  code: "architect_not_ready",
  detail: "The architect has finished without files to accept: send it back with notes (revise), or discard the session.",
}

export const TAKEN: Refusal = {
  code: "idempotency_mismatch",
  detail: "This Idempotency-Key was used for another start; use a new key.",
}

export const over = (state: "accepted" | "discarded"): Refusal => ({
  code: "session_over",
  detail: state === "accepted" ? "The session was accepted; roll back the catalog to undo it." : "The session was discarded.",
})

export function notOpened(code: "no_flow" | "too_many" | "taken", flow: string): Refusal {
  switch (code) {
    case "no_flow":
      return noFlow(flow)
    case "too_many":
      return { code: "too_many_sessions", detail: "100 sessions are open: accept or discard some of them first." }
    case "taken":
      return TAKEN
  }
}
