// Runs one code step in its sandbox [F24], [F25]: finds the handler by its pinned hash and turns its result into a signal, with the tenant's
// secrets taken out of everything that the handler said [T32]. Never rejects.

import { defined } from "../../../core/defined.ts"
import { headerOf, sourceOf } from "../../../core/flow/code-bundle.ts"
import { codePathOf } from "../../../core/flow/code-file.ts"
import type { CodeWish } from "../../../core/run/action.ts"
import type { CodeResult } from "../../../core/run/signal.ts"
import type { ToolCall } from "../../../core/run/event-parts.ts"
import { readCalls } from "../../../core/run/session/calls.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import type { Json } from "../../../core/json.ts"
import type { Journal } from "../../../ports/journal.ts"
import { recordedCalls } from "./recorded-calls.ts"
import { startOfPart } from "../../../core/secrets/beginning.ts"
import type { Redactor } from "../../../core/secrets/redact.ts"
import { messageOf } from "../../../core/text/fault-text.ts"
import { Breath } from "../../../ports/breath.ts"
import type { Stop } from "../../../ports/model.ts"
import { failureSource, MAX_TEXT, type Sandbox, type SandboxResult } from "../../../ports/sandbox.ts"

const DEFAULT_TIMEOUT_MS = 30_000 // limit: milliseconds of a handler without a timeout of its own → the step fails: `code_timeout`

interface CodeProps {
  /** The stripped handler of a code step; undefined: none is stored. */
  handler(flow: string, step: string): Promise<{ readonly hash: string; readonly source: string } | undefined>
  readonly sandbox: Sandbox
  redactor(): Promise<Redactor>
  /** [F27] Absent: no handler here calls tools. */
  readonly journal?: Pick<Journal, "pick">
}

/** A handler that calls no tools. */
export async function runCode(props: CodeProps, run: Run, wish: CodeWish, stop: Stop): Promise<CodeResult> {
  const said = await runHandler(props, run, wish, stop)
  return "calls" in said ? { ok: false, source: "code_error", message: "the handler calls tools, and cannot here", logs: [] } : said
}

/** [F27] `calls`: what the handler wants next; it is run again with the answers. */
export async function runHandler(
  props: CodeProps,
  run: Run,
  { step: id, input }: CodeWish,
  stop: Stop,
): Promise<CodeResult | { readonly calls: ToolCall[] }> {
  const step = run.plan.steps.get(id)
  const ctx = { flow: run.flow, step: id, task: run.task }
  const { journal } = props
  const session = journal && stepState(run, id).session
  const calls = journal && session?.own && recordedCalls(journal.pick(session.seqs))
  const from = session?.own?.made ?? 0
  try {
    const handler = await props.handler(run.flow, id)
    if (!handler) {
      const message = `step "${id}" has no handler: write ${codePathOf(run.flow, id)} (PUT /v1/code/${run.flow}/${id}), then start a new run`
      return { ok: false, source: "code_error", message, logs: [] }
    }
    const timeoutMs = step?.timeout ?? DEFAULT_TIMEOUT_MS
    let redactor: Redactor
    try {
      redactor = await props.redactor()
    } catch {
      const message = `the handler of step "${id}" was not run, because the secrets vault does not answer: try again in a moment`
      return { ok: false, source: "code_error", message, logs: [] }
    }
    const said = await props.sandbox.run({
      ...handler,
      input,
      ctx,
      timeoutMs,
      signal: stop.signal,
      turn: () => stop.turn(),
      ...defined({ calls }),
    })
    const r = await clean(said, redactor)
    if (r.ok === null) {
      // The same reader as for the calls of a reply: too large or too deep arguments are refused by the guard.
      return {
        calls: readCalls(r.calls.map(({ tool, args }, i) => ({ id: `call_${from + i + 1}`, name: tool, args: JSON.stringify(args) }))),
      }
    }
    if (r.ok) return { ok: true, value: r.value, logs: r.logs, ...defined({ summary: r.summary }) }
    return { ok: false, source: failureSource(r.kind), message: `${r.message}${placeOf(handler.source, r.line)}`, logs: r.logs }
  } catch (e) {
    return { ok: false, source: "code_error", message: `the sandbox failed: ${messageOf(e, "unknown error")}`, logs: [] }
  }
}

/** Of a bundle, in the file that its author wrote. */
function placeOf(source: string, line: number | undefined): string {
  if (line === undefined) return ""
  const header = headerOf(source)
  const at = header === undefined ? undefined : sourceOf(header, line)
  return at === undefined ? ` (line ${line})` : ` (${at.file}:${at.line})`
}

/** [N4] In pieces: what a handler answers is as large as 256 KiB. */
async function clean(said: SandboxResult, redactor: Redactor): Promise<SandboxResult> {
  const shown = (text: string): string => (text.length < MAX_TEXT ? redactor.text(text) : `${startOfPart(text, MAX_TEXT - 1, redactor)}…`)
  const logs = said.logs.map(shown)
  if (said.ok === null)
    return redactor.idle
      ? said
      : { ...said, calls: (await new Breath().through(redactor.jsonPieces(said.calls as unknown as Json))) as unknown as typeof said.calls }
  if (!said.ok) return { ...said, message: shown(said.message), logs }
  const value = redactor.idle ? said.value : await new Breath().through(redactor.jsonPieces(said.value))
  return { ...said, value, ...(said.summary === undefined ? {} : { summary: shown(said.summary) }), logs }
}
