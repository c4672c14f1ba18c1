// Sandbox over Worker Loaders [F24]: a handler runs in a Dynamic Worker of its own that has no network and no bindings.
//
// One isolate for each tenant and code hash: never shared between tenants, for what one run leaves in a module's variables the
// next run of the same text finds. What the isolate says is not believed: it is read under a limit, with a clock out here.

import { isObject, type Json, type JsonObject } from "../../core/json.ts"
import { utf8Length } from "../../core/text/utf8.ts"
import { METER, meter } from "../../engine/code/meter.ts"
import type { Sandbox, SandboxFault, SandboxRequest, SandboxResult } from "../../ports/sandbox.ts"
import {
  HANDLER_MODULE,
  HARNESS_MODULE,
  HARNESS_TEXT,
  HARNESS_VERSION,
  METER_TEXT,
  MOST_LOGS,
  MOST_RESULT_BYTES,
  MOST_TEXT,
} from "./sandbox-harness.ts"

/** A Durable Object may have 10 distinct Dynamic Workers in flight; the rest waits here, and not against its timeout. */
const AT_ONCE = 8
/** What starting an isolate may take beyond the handler's own time. The clock inside is the one that counts. */
const GRACE_MS = 5_000
/** Kept by the platform only: workerd by itself does not enforce it, which is why handlers are metered. */
const CPU_MS = 10_000
const MOST_ANSWER_BYTES = 2 * MOST_RESULT_BYTES + 4 * MOST_LOGS * MOST_TEXT

export function loaderSandbox(loader: WorkerLoader | undefined, tenant: string): Sandbox {
  const gate = new Gate(AT_ONCE)
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
        return await call(loader, tenant, request, logs)
      } finally {
        gate.leave()
      }
    },
  }
}

async function call(loader: WorkerLoader, tenant: string, request: SandboxRequest, logs: string[]): Promise<SandboxResult> {
  const { hash, source, input, ctx, timeoutMs } = request
  const failed = (kind: SandboxFault, message: string): SandboxResult => ({ ok: false, kind, message, logs })
  const isolate = loader.get(`${tenant}/${hash}/${HARNESS_VERSION}`, () => {
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
  const over = new Promise<SandboxResult>((end) => {
    const aborted = (): void => end(failed("aborted", "the step was ended while its handler ran"))
    request.signal.addEventListener("abort", aborted, { signal: ending.signal })
    if (request.signal.aborted) aborted()
    const clock = setTimeout(() => end(failed("timeout", `the handler did not end within ${timeoutMs} ms`)), timeoutMs + GRACE_MS)
    ending.signal.addEventListener("abort", () => clearTimeout(clock))
  })
  const answered = (async (): Promise<SandboxResult> => {
    try {
      const body = JSON.stringify({ input, timeoutMs, ...ctx })
      const response = await isolate.getEntrypoint().fetch("http://handler/", { method: "POST", body, signal: ending.signal })
      return await read(response, logs, request.onLog, ending.signal)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return failed("crashed", `the isolate of the handler ended: ${why.slice(0, MOST_TEXT)}`)
    }
  })()
  const result = await Promise.race([answered, over])
  ending.abort()
  return result
}

/** In the place of a handler that is none; it got past the checks of a write. */
const unfit = (why: string): string =>
  `export default { fetch: () => new Response(${JSON.stringify(`${JSON.stringify({ ok: false, kind: "crashed", message: `the stored handler cannot run: ${why}` })}\n`)}) }`

/** Lines of JSON until the last one, which is the answer. */
async function read(response: Response, logs: string[], onLog: SandboxRequest["onLog"], ended: AbortSignal): Promise<SandboxResult> {
  const crashed = (message: string): SandboxResult => ({ ok: false, kind: "crashed", message, logs })
  if (!response.body) return crashed("the isolate of the handler gave no answer")
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done || ended.aborted) return crashed("the isolate of the handler ended without an answer")
    size += value.byteLength
    if (size > MOST_ANSWER_BYTES) return crashed("the isolate of the handler said more than a handler may")
    rest += decoder.decode(value, { stream: true })
    const lines = rest.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const said = parse(line)
      if (said === undefined) return crashed("the isolate of the handler gave no proper answer")
      if (!("log" in said)) return resultOf(said, logs)
      if (logs.length >= MOST_LOGS) continue
      const message = typeof said["log"] === "string" ? said["log"].slice(0, MOST_TEXT) : ""
      logs.push(message)
      onLog?.(message)
    }
  }
}

function parse(line: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const KINDS: readonly SandboxFault[] = ["no_default", "threw", "flow_hard_error", "timeout", "contract"]

function resultOf(said: JsonObject, logs: readonly string[]): SandboxResult {
  const { value, summary, message, line } = said
  if (said["ok"] === true && isObject(value)) {
    if (utf8Length(JSON.stringify(value)) > MOST_RESULT_BYTES)
      return {
        ok: false,
        kind: "contract",
        message: `the result is larger than ${MOST_RESULT_BYTES / 1024} KiB: keep large things in files`,
        logs,
      }
    return { ok: true, value, ...(typeof summary === "string" ? { summary: summary.slice(0, MOST_TEXT) } : {}), logs }
  }
  const kind = KINDS.find((k) => k === said["kind"]) ?? "crashed"
  return {
    ok: false,
    kind,
    message: typeof message === "string" ? message.slice(0, MOST_TEXT) : "the isolate of the handler gave no proper answer",
    ...(typeof line === "number" ? { line } : {}),
    logs,
  }
}

/** So many at once; the others in their order. */
class Gate {
  #free: number
  readonly #queue: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** False when `signal` came first. */
  async enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false
    if (this.#free > 0) {
      this.#free--
      return true
    }
    return new Promise<boolean>((done) => {
      const begin = (): void => {
        signal.removeEventListener("abort", leave)
        done(true)
      }
      const leave = (): void => {
        this.#queue.splice(this.#queue.indexOf(begin), 1)
        done(false)
      }
      this.#queue.push(begin)
      signal.addEventListener("abort", leave, { once: true })
    })
  }
  leave(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#free++
  }
}
