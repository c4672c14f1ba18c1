// Runs one code step in its sandbox [F24], [F25]: finds the handler by its pinned hash and turns its result into a signal. Never rejects.

import type { CodeWish } from "../../../core/run/action.ts"
import type { CodeResult } from "../../../core/run/signal.ts"
import type { Run } from "../../../core/run/state.ts"
import type { Stop } from "../../../ports/model.ts"
import { failureSource, type Sandbox } from "../../../ports/sandbox.ts"

/** Used if the step has no `timeout`. */
const DEFAULT_TIMEOUT_MS = 30_000

interface CodeProps {
  /** The stripped handler of a code step; undefined: none is stored. */
  handler(flow: string, step: string): Promise<{ readonly hash: string; readonly source: string } | undefined>
  readonly sandbox: Sandbox
}

export async function runCode(props: CodeProps, run: Run, { step: id, input }: CodeWish, stop: Stop): Promise<CodeResult> {
  const step = run.plan.steps.get(id)
  const ctx = { flow: run.flow, step: id, task: run.task }
  try {
    const handler = await props.handler(run.flow, id)
    if (!handler) {
      const message = `step "${id}" has no handler: PUT /v1/code/${run.flow}/${id} with one, then start a new run`
      return { ok: false, source: "code_error", message, logs: [] }
    }
    const timeoutMs = step?.timeout ?? DEFAULT_TIMEOUT_MS
    const r = await props.sandbox.run({ ...handler, input, ctx, timeoutMs, signal: stop.signal, turn: () => stop.turn() })
    if (r.ok) return { ok: true, value: r.value, logs: r.logs, ...(r.summary === undefined ? {} : { summary: r.summary }) }
    const place = r.line === undefined ? "" : ` (line ${r.line})`
    return { ok: false, source: failureSource(r.kind), message: `${r.message}${place}`, logs: r.logs }
  } catch (e) {
    return { ok: false, source: "code_error", message: `the sandbox failed: ${e instanceof Error ? e.message : "unknown error"}`, logs: [] }
  }
}
