// Carries out one tool call, from admission to its journaled result: the later stages of the pipeline [T3]. The guard does the earlier
// stages, in `admit` (core/run/session/guard.ts): look up, arguments, policy, denylist, access and skills, secret scopes, hook, autonomy,
// approval. Then
//
//   1. before hooks [A10]   2. time limit and abort signal [T6]   3. execute [A4]   4. result checked   5. after hooks   6. secrets out [T32]
//   7. digest [G9]   8. truncate, keep the whole [T5]   9. text from outside gets its delimiters [G11]
//
// Never rejects: whatever a tool does, the result is an outcome. A tool's writes belong to the run only if its outcome is not an
// error. A tool that continues after its time limit writes to a stage that is no longer read.

import { defined } from "../../../core/defined.ts"
import type { ToolResult } from "../../../core/run/signal.ts"
import { isObject, type Json, type JsonObject } from "../../../core/json.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import type { Redactor } from "../../../core/secrets/redact.ts"
import type { ContentPart } from "../../../core/run/event-parts.ts"
import { notShown } from "../../../core/run/session/files/attachment.ts"
import { validateArgs, type ArgError } from "../../../core/schema/validate-args.ts"
import { ToolFailure, type OnUpdate, type Tool, type ToolPowers } from "../../../ports/tool.ts"
import { later } from "../../../ports/timers.ts"
import type { Attached } from "../begin/attach-files.ts"
import { cleanParts, cleanResult } from "../arrival.ts"
import { digestOf } from "./content-digest.ts"
import { asOutside } from "./outside-text.ts"
import { runHooks, type ToolHooks } from "./tool-hooks.ts"
import { checked, cutContent, failed, OWN_LIMITS, thrownMessage, smallDetails, type Raw } from "./tool-outcome.ts"

export const DEFAULT_TIMEOUT = 30_000 // limit: milliseconds of a tool without a timeout of its own → the tool fails
/** The maximum for `args.timeout` if the tenant has set none. */
export const MAX_TIMEOUT = 120_000 // limit: milliseconds that an argument `timeout` may ask for → it counts as so many

/** The outcome of one call, by itself: without what the run adds to it. `digest` covers the content before it was cut [G9]. */
export interface CallOutcome extends Omit<ToolResult, "child" | "uncertain" | "wrote" | "changed"> {
  /** The call did not end by itself: its time was over, or it was canceled. */
  readonly stopped?: true
}

interface CallDeps {
  readonly callId: string
  /** The tenant's maximum, in milliseconds. */
  readonly maxTimeout?: number
  readonly onUpdate?: OnUpdate
  /** Hooks around each call [A10], set by the host, not by a tenant. */
  readonly hooks?: ToolHooks
  /** Returns a redactor with the tenant's current secrets [T32]. */
  readonly redactor?: () => Redactor
}

export interface ExecuteDeps extends CallDeps {
  sha256(text: string): Promise<string>
  /** Stores a long output in full and returns its handle. Durable when it resolves. */
  keep(text: string): Promise<string>
  /** The id for the delimiters of an outside text: hex, at least 8 digits, never the same twice. */
  nonce(): string
  /** [F56] Reads files of the workspace that the tool wants to show. */
  attach?(paths: readonly string[]): Promise<Attached>
  /** Whether the call read outside content, whatever the tool is. Called after the tool call. */
  sawOutside?(): boolean
  /** [F26] The step made the call itself: no model reads the result, so it has no delimiters, and more of it is kept. */
  readonly own?: boolean
}

/** The tool and its arguments. */
export interface ToolCalled {
  readonly tool: Tool
  readonly args: JsonObject
  readonly signal: AbortSignal
  readonly powers: ToolPowers
}

export async function executeTool(call: ToolCalled, deps: ExecuteDeps): Promise<CallOutcome> {
  const { tool, args } = call
  const raw = await shown(await run(call, deps), deps)
  const { attached = [] } = raw
  // Two pictures under one name are two results.
  const seen = attached.length === 0 ? [] : [attached.map(({ hash }) => hash)]
  const digest = await attempt(() => digestOf([tool.name, args, raw.content, ...seen], deps.sha256))
  const limits = deps.own ? OWN_LIMITS : undefined
  const cut = await cutContent(raw.content, tool.truncate ?? "tail", async (text) => deps.keep(text), limits)
  const untrusted = tool.untrusted === true || raw.untrusted === true || deps.sawOutside?.() === true
  return {
    isError: raw.isError,
    ...cut,
    ...(attached.length === 0 ? {} : { attached }),
    ...(untrusted ? { untrusted } : {}),
    ...(untrusted && !deps.own ? { content: asOutside(cut.content, deps.nonce(), raw.source ?? tool.name) } : {}),
    ...(raw.private === true ? { private: true } : {}),
    ...defined({ stopped: raw.stopped, details: raw.details === undefined ? undefined : smallDetails(raw.details) }),
    ...(digest.ok ? { digest: digest.value } : {}),
  }
}

/** [F56] The files that a result shows, and a sentence for each that cannot be shown. */
async function shown(raw: Raw, { attach }: ExecuteDeps): Promise<Raw & Pick<CallOutcome, "attached">> {
  const { shows = [], ...rest } = raw
  if (shows.length === 0 || raw.isError || attach === undefined) return rest
  const read = await attempt(() => attach(shows))
  if (!read.ok) return failed(`the files could not be read: ${thrownMessage(read.error)}`)
  const { attached, unseen } = read.value
  return {
    ...rest,
    content: [...raw.content, ...unseen.map((file) => ({ type: "text" as const, text: notShown(file) }))],
    ...(attached.length === 0 ? {} : { attached }),
  }
}

export type MainToolResult =
  | { readonly kind: "unknown" }
  | { readonly kind: "invalid"; readonly errors: readonly ArgError[] }
  | { readonly kind: "done"; readonly isError: boolean; readonly content: readonly ContentPart[]; readonly details?: Json }

/** A call from outside a run (`POST /v1/tools/{name}`). No session needs protection from a long answer, so nothing is cut. */
export async function callMainTool(
  tools: readonly Tool[],
  { name, params, ...call }: Pick<ToolCalled, "signal" | "powers"> & { readonly name: string; readonly params: unknown },
  deps: CallDeps,
): Promise<MainToolResult> {
  const tool = tools.find((t) => t.name === name && t.contexts.includes("main"))
  if (tool === undefined) return { kind: "unknown" }
  const args = validateArgs(tool.parameters, params)
  if (!args.ok) return { kind: "invalid", errors: args.error }
  const { shows: _shows, ...done } = await run({ tool, args: args.value, ...call }, deps)
  return { kind: "done", ...done }
}

/** Stages 1 to 3. */
async function run({ tool, args, signal, powers }: ToolCalled, deps: CallDeps): Promise<Raw> {
  const ms = timeLimit(tool, args, deps.maxTimeout)
  const own = new AbortController()
  let over = false
  let stop = (_message: string): void => {}
  // The tool may ignore its signal; the call still ends.
  const stopped = new Promise<Raw>((resolve) => {
    stop = (message) => {
      resolve({ ...failed(message), stopped: true })
      own.abort(new Error(message))
    }
  })
  const canceled = (): void => stop(`${tool.name} was canceled`)
  if (signal.aborted) {
    canceled()
    return stopped
  }
  signal.addEventListener("abort", canceled, { once: true })
  const cancel = later(() => stop(`${tool.name} timed out after ${ms} ms`), ms)
  const onUpdate: OnUpdate = (partial) => {
    if (!over)
      void attempt(async () =>
        deps.onUpdate?.(deps.redactor ? { ...partial, content: cleanParts(partial.content, deps.redactor()) } : partial),
      )
  }
  try {
    const { callId, hooks, redactor } = deps
    // A hook may use up the call's time limit; then the tool does not begin.
    const hooked = runHooks(hooks, { callId, tool, args }, async () =>
      own.signal.aborted
        ? failed(`${tool.name} was not run`)
        : executed(tool, [callId, args, own.signal, deps.onUpdate && onUpdate, { ...powers, ...defined({ redactor }) }]),
    )
    // What a tool answers takes part of its time to look through, and ends with it.
    const cleaned = redactor ? hooked.then((raw) => cleanResult(tool.name, raw, redactor(), own.signal)) : hooked
    return await Promise.race([cleaned, stopped])
  } finally {
    over = true
    cancel()
    signal.removeEventListener("abort", canceled)
  }
}

async function executed(tool: Tool, call: Parameters<Tool["execute"]>): Promise<Raw> {
  const result = await attempt<unknown>(async () => tool.execute(...call))
  if (result.ok) return checked(tool.name, result.value)
  if (result.error instanceof ToolFailure) {
    const { content, details, source, untrusted } = result.error
    const shown = checked(tool.name, { content, details, untrusted })
    return { ...shown, isError: true, ...defined({ source }) }
  }
  return failed(thrownMessage(result.error) || `${tool.name} failed without a reason`)
}

/** `args.timeout` applies to tools that declare it, up to the maximum. Only the tenant's maximum can shorten a tool's own limit. */
function timeLimit(tool: Tool, args: JsonObject, maximum: number | undefined): number {
  const declared = tool.timeout ?? DEFAULT_TIMEOUT
  const properties = tool.parameters["properties"]
  const asked = isObject(properties) && Object.hasOwn(properties, "timeout") ? args["timeout"] : undefined
  const wanted = typeof asked === "number" && asked > 0 ? Math.min(asked, maximum ?? Math.max(MAX_TIMEOUT, declared)) : declared
  return Math.max(1, Math.min(wanted, maximum ?? wanted))
}

async function attempt<T>(work: () => Promise<T>): Promise<Result<T, unknown>> {
  try {
    return ok(await work())
  } catch (fault) {
    return err(fault)
  }
}
