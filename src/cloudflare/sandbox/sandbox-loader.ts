// Implements Sandbox over Worker Loaders [F24]: a handler runs in a separate Dynamic Worker that has no network and no bindings.
//
// There is one isolate per tenant and code hash. Isolates are never shared between tenants, because a run can find what an earlier run of the
// same code left in a module's variables. The isolate is not trusted: its answer is read with a size limit and a clock outside it.

import { defined } from "../../core/defined.ts"
import { isObject, isTooDeep, MOST_LEVELS, type JsonObject } from "../../core/json.ts"
import { utf8Length } from "../../core/text/utf8.ts"
import { METER } from "../../engine/code/meter-name.ts"
import { Places } from "../../engine/places.ts"
import { readJson } from "../../core/outside/json-pieces.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { Breath } from "../../ports/breath.ts"
import { giveTurn, heldThread } from "../../ports/short-pieces.ts"
import { MAX_TEXT, type Sandbox, type SandboxFault, type SandboxRequest, type SandboxResult } from "../../ports/sandbox.ts"
import { inTime } from "../../ports/timers.ts"
import {
  ANSWER_HEADER,
  CALL_HEADER,
  HANDLER_MODULE,
  HARNESS_MODULE,
  HARNESS_TEXT,
  HARNESS_VERSION,
  METER_TEXT,
  MAX_HEADER,
  MAX_LOGS,
  MAX_RESULT_BYTES,
} from "./sandbox-harness.ts"

/** A Durable Object may have 10 distinct Dynamic Workers in flight. Further calls wait here, and the wait does not count against their timeout. */
const AT_ONCE = 8
/** Extra time for starting the isolate. The clock inside it enforces the handler's timeout. */
const GRACE_MS = 10_000
/** Only the platform enforces this limit. Local workerd does not, so handlers are metered as well. */
const CPU_MS = 10_000 // limit: milliseconds of CPU of a handler → the platform ends it
/** Levels that are read, so that a result of too many is told as one. */
const MOST_READ = 1_000
// Limit: bytes of an isolate's answer → the step fails: `code_error`.
const MAX_ANSWER_BYTES = 2 * MAX_RESULT_BYTES + 4 * MAX_LOGS * MAX_TEXT

export function loaderSandbox(loader: WorkerLoader | undefined, tenant: string, graceMs = GRACE_MS): Sandbox {
  const gate = new Places(AT_ONCE)
  return {
    async run(request) {
      const logs: string[] = []
      const failed = (kind: SandboxFault, message: string): SandboxResult => ({ ok: false, kind, message, logs })
      if (loader === undefined)
        return failed(
          "missing_binding",
          'code steps need the Worker Loader binding LOADER: add [[worker_loaders]] with binding = "LOADER" to wrangler.toml and deploy (Dynamic Workers are part of the paid plan)',
        )
      if (!(await gate.enter(request.signal))) return failed("aborted", "the step was ended before its handler began")
      try {
        // [N4] The isolate shares this thread: while 16 runs went from code step to code step, half of all other requests waited longer than
        // 1,041 ms; with turns for them, longer than 104 ms.
        await giveTurn(() => request.turn())
        const from = Date.now()
        const result = await call({ loader, tenant, graceMs }, request, logs)
        heldThread(Date.now() - from)
        return result
      } finally {
        gate.leave()
      }
    },
  }
}

interface Loading {
  readonly loader: WorkerLoader
  readonly tenant: string
  readonly graceMs: number
}

async function call({ loader, tenant, graceMs }: Loading, request: SandboxRequest, logs: string[]): Promise<SandboxResult> {
  const { hash, source, input, ctx, timeoutMs, calls, anyValue } = request
  const failed = (kind: SandboxFault, message: string): SandboxResult => ({ ok: false, kind, message, logs })
  const isolate = loader.get(`${tenant}/${hash}/${HARNESS_VERSION}`, async () => {
    const { meter } = await import("../../engine/code/meter.ts")
    const metered = meter(source)
    return {
      compatibilityDate: "2026-07-30",
      mainModule: HARNESS_MODULE,
      modules: metered.ok
        ? { [HARNESS_MODULE]: HARNESS_TEXT, [HANDLER_MODULE]: metered.value, [METER]: METER_TEXT }
        : { [HARNESS_MODULE]: unfit(metered.error) },
      env: {},
      globalOutbound: null,
      limits: { cpuMs: CPU_MS },
    }
  })

  const ending = new AbortController()
  let end: (result: SandboxResult) => void = () => undefined
  const over = new Promise<SandboxResult>((resolve) => {
    end = resolve
  })
  const aborted = (): void => end(failed("aborted", "the step was ended while its handler ran"))
  request.signal.addEventListener("abort", aborted)
  if (request.signal.aborted) aborted()
  const answered = (async (): Promise<SandboxResult> => {
    try {
      const body = JSON.stringify({ input, timeoutMs, ...ctx, ...defined({ calls, anyValue }) })
      const sent = isShort(body) ? { headers: { [CALL_HEADER]: body } } : { method: "POST", body }
      const response = await isolate.getEntrypoint().fetch("http://handler/", { ...sent, signal: ending.signal })
      const short = response.headers.get(ANSWER_HEADER)
      return short === null ? await read(response, logs, request.onLog, ending.signal) : shortAnswer(short)
    } catch (error) {
      const why = messageOf(error)
      return failed("crashed", `the isolate of the handler ended: ${why}`)
    }
  })()
  try {
    return await inTime(Promise.race([answered, over]), timeoutMs + graceMs, () =>
      failed("timeout", `the handler did not end within ${timeoutMs} ms`),
    )
  } finally {
    request.signal.removeEventListener("abort", aborted)
    ending.abort()
  }
}

const isShort = (text: string): boolean => text.length <= MAX_HEADER && !/[^ -~]/.test(text)

/** The whole answer of a handler that logged nothing. */
async function shortAnswer(line: string): Promise<SandboxResult> {
  const said = line.length > MAX_HEADER ? undefined : await parse(line)
  return said === undefined
    ? { ok: false, kind: "crashed", message: "the isolate of the handler gave an invalid answer", logs: [] }
    : resultOf(said, [])
}

/** Replaces a stored handler that cannot run although it passed the checks when it was written. */
const unfit = (why: string): string =>
  `export default { fetch: () => new Response(${JSON.stringify(`${JSON.stringify({ ok: false, kind: "crashed", message: `the stored handler cannot run: ${why}` })}\n`)}) }`

/** Reads JSON lines until the last one, which is the answer. */
async function read(response: Response, logs: string[], onLog: SandboxRequest["onLog"], ended: AbortSignal): Promise<SandboxResult> {
  const crashed = (message: string): SandboxResult => ({ ok: false, kind: "crashed", message, logs })
  if (!response.body) return crashed("the isolate of the handler gave no answer")
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const rest: string[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done || ended.aborted) return crashed("the isolate of the handler ended without an answer")
    size += value.byteLength
    if (size > MAX_ANSWER_BYTES) return crashed("the isolate of the handler sent more than a handler may")
    // A long line comes in many chunks, and each is looked at once.
    const lines = decoder.decode(value, { stream: true }).split("\n")
    const last = lines.pop() ?? ""
    for (const end of lines) {
      const said = await parse(rest.splice(0).join("") + end)
      if (said === undefined) return crashed("the isolate of the handler gave an invalid answer")
      if (!("log" in said)) return resultOf(said, logs)
      if (logs.length >= MAX_LOGS) continue
      const message = typeof said["log"] === "string" ? said["log"] : ""
      logs.push(message)
      onLog?.(message)
    }
    rest.push(last)
  }
}

async function parse(line: string): Promise<JsonObject | undefined> {
  const read = await new Breath().through(readJson(line, { levels: MOST_READ }))
  return read.ok && isObject(read.value) ? (read.value as JsonObject) : undefined
}

const KINDS: readonly SandboxFault[] = ["no_default", "threw", "flow_hard_error", "timeout", "contract", "diverged"]

function resultOf(said: JsonObject, logs: readonly string[]): SandboxResult {
  const { value, summary, message, line, calls } = said
  if (said["ok"] === null && Array.isArray(calls)) {
    const wanted = calls.flatMap((one): { tool: string; args: JsonObject }[] => {
      const { tool, args } = isObject(one) ? one : {}
      return typeof tool === "string" && isObject(args) ? [{ tool, args: args as JsonObject }] : []
    })
    if (JSON.stringify(wanted).length > 2 * MAX_RESULT_BYTES)
      return { ok: false, kind: "contract", message: `the calls of tools are larger than ${MAX_RESULT_BYTES / 1024} KiB`, logs }
    if (wanted.length > 0) return { ok: null, calls: wanted, logs }
  }
  if (said["ok"] === true && isObject(value)) {
    if (isTooDeep(value)) return { ok: false, kind: "contract", message: `the result is nested deeper than ${MOST_LEVELS} levels`, logs }
    if (utf8Length(JSON.stringify(value)) > MAX_RESULT_BYTES)
      return {
        ok: false,
        kind: "contract",
        message: `the result is larger than ${MAX_RESULT_BYTES / 1024} KiB: keep large things in files`,
        logs,
      }
    return { ok: true, value, ...(typeof summary === "string" ? { summary } : {}), logs }
  }
  const kind = KINDS.find((k) => k === said["kind"]) ?? "crashed"
  return {
    ok: false,
    kind,
    message: typeof message === "string" ? message : "the isolate of the handler gave an invalid answer",
    ...(typeof line === "number" ? { line } : {}),
    logs,
  }
}
