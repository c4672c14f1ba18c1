// Sends telemetry of an ended run to operators [N9]: one data point for Analytics Engine, and its spans for an OTLP collector.
//
// Each is sent once; a mark in the object's storage records that across crashes. The data point is written in the turn of the run's last
// commit, so mark and end are durable together. If the collector does not answer, spans are sent again: six tries in three hours.

import type { RunEvent } from "../../core/run/event.ts"
import type { Run } from "../../core/run/state.ts"
import { isOver } from "../../core/run/state.ts"
import { SpanContent } from "../../core/run/views/span-content.ts"
import { RunSpans } from "../../core/run/views/spans.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { SpanBatch } from "../../engine/net/span-batch.ts"
import type { TenantTraces } from "../clients/tenant-traces.ts"
import { collectorOf, sendSpans, SPANS_AT_ONCE, type Collector } from "../../engine/net/otlp.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import type { Env } from "../platform/env.ts"
import { VERSION } from "../../engine/version.ts"
import { logError } from "../platform/log.ts"

export type TelemetryEnv = Pick<Env, "ENVIRONMENT" | "OTLP_ENDPOINT" | "OTLP_HEADERS" | "METRICS">
/** The journal, in pages of at most `limit` events and about `chars` characters. */
interface Pages {
  read(after: number, limit: number, chars: number): readonly RunEvent[]
  fork(): { readonly own: number } | undefined
}
type Marks = Pick<SyncKvStorage, "get" | "put" | "delete">

const MEASURED = "measured"
/** "done", or the number of export attempts and the time of the next one: of the instance's collector, and of the tenant's own ones. */
const TRACES = "traces"
const OWN_TRACES = "traces_own"
export const LANES = [TRACES, OWN_TRACES] as const
type Lane = (typeof LANES)[number]
/** The waits between attempts. */
const WAITS_MS = [10_000, 60_000, 300_000, 1_800_000, 7_200_000] as const
const PAGE = 500
const PAGE_CHARS = 4 * 1024 * 1024 // limit: characters of events read for an export → the next page has the rest

interface Tried {
  readonly tries: number
  readonly next: number
  /** The tenant's collectors that have the spans. */
  readonly sent?: readonly string[]
}

export interface TelemetryDeps {
  readonly env: TelemetryEnv
  readonly marks: Marks
  readonly journal: Pages
  readonly hash: (text: string) => string
  readonly now: () => number
  /** What the tenant says about its traces. */
  readonly tracesOf?: (tenant: string) => Promise<TenantTraces>
}

export class RunTelemetry {
  readonly #env: TelemetryEnv
  readonly #marks: Marks
  readonly #journal: Pages
  readonly #now: () => number
  readonly #hash: (text: string) => string
  readonly #tracesOf: TelemetryDeps["tracesOf"]

  constructor({ env, marks, journal, hash, now, tracesOf }: TelemetryDeps) {
    this.#env = env
    this.#marks = marks
    this.#journal = journal
    this.#hash = hash
    this.#now = now
    this.#tracesOf = tracesOf
  }

  /** One data point for a run that has ended. Safe to repeat. */
  measure(tenant: string, run: Run): void {
    const { METRICS } = this.#env
    if (METRICS === undefined || !isOver(run) || this.#marks.get(MEASURED) !== undefined) return
    this.#marks.put(MEASURED, 1)
    METRICS.writeDataPoint(dataPoint(tenant, run))
  }

  /** The tenant has a collector of its own. false: it was known already. */
  wanted(): boolean {
    if (this.#marks.get(OWN_TRACES) !== undefined) return false
    this.#marks.put(OWN_TRACES, { tries: 0, next: 0 } satisfies Tried)
    return true
  }

  /** When to send the run's spans to this collector, or to any, in milliseconds; undefined: never. */
  due(run: Run, lane?: Lane): number | undefined {
    if (!isOver(run) || run.trace?.sampled === false) return undefined
    const times = (lane === undefined ? LANES : [lane]).flatMap((one) => this.#next(one) ?? [])
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** When a lane's spans are due; undefined: they are sent, or no one asks for them. */
  #next(lane: Lane): number | undefined {
    const mark = this.#marks.get<Tried | "done">(lane)
    if (mark === "done") return undefined
    return lane === TRACES ? ((this.#env.OTLP_ENDPOINT ?? "") === "" ? undefined : (mark?.next ?? 0)) : mark?.next
  }

  /** Throws if the export must be tried again. */
  async export(lane: Lane = TRACES): Promise<void> {
    const mark = this.#marks.get<Tried | "done">(lane)
    if (mark === "done") return
    const tries = (mark?.tries ?? 0) + 1
    const wait = WAITS_MS[tries - 1]
    const sent = new Set(mark?.sent)
    const note = (): void =>
      this.#marks.put(
        lane,
        wait === undefined ? "done" : { tries, next: this.#now() + wait, ...(sent.size > 0 ? { sent: [...sent] } : {}) },
      )
    // Written before the attempt, so that an attempt that kills the object counts too.
    note()
    try {
      const own = await this.#own()
      if (lane === TRACES) await this.#send(collectorOf(this.#env), own?.content === true ? own.redactor : undefined)
      else if (own) await this.#sendOwn(own, sent, note)
      this.#marks.put(lane, "done")
    } catch (e) {
      const why = messageOf(e, "unknown error")
      if (wait !== undefined) throw new Error(`try ${tries} to export its trace: ${why}`, { cause: e })
      logError("trace.lost", { tries, message: why })
    }
  }

  /** Each collector has its own luck: one that is down delays no other, and one that has the spans gets them no second time. */
  async #sendOwn({ collectors, redactor }: TenantTraces, sent: Set<string>, note: () => void): Promise<void> {
    const faults: string[] = []
    for (const { name, content, open } of collectors) {
      if (sent.has(name)) continue
      try {
        await this.#send(open(), content ? redactor : undefined)
        sent.add(name)
        note()
      } catch (e) {
        faults.push(`${name}: ${messageOf(e, "unknown error")}`)
      }
    }
    if (faults.length > 0) throw new Error(faults.join("; "))
  }

  /** Reads one page of the journal at a time, so that a large run is never in memory as a whole. `redactor`: the spans contain what was said. */
  async #send(collector: Collector | undefined, redactor: Redactor | undefined): Promise<void> {
    if (!collector) return
    const resource = { "service.name": "sluice", "service.version": VERSION, "deployment.environment.name": this.#env.ENVIRONMENT }
    const spans = new RunSpans(this.#hash, redactor && new SpanContent((value) => redactor.json(value)))
    const batch = new SpanBatch(SPANS_AT_ONCE)
    // [K9] What a fork's source did is in the source's trace; its first event names the flow.
    const first = this.#journal.fork()?.own ?? 1
    if (first > 1) for (const event of this.#journal.read(0, 1, PAGE_CHARS)) spans.take(event)
    for (let at = first - 1; ;) {
      const events = this.#journal.read(at, PAGE, PAGE_CHARS)
      for (const event of events) batch.add(spans.take(event))
      const last = events.at(-1)
      if (last) at = last.seq
      for (const some of batch.take(last === undefined)) {
        if ((await sendSpans(collector, resource, some)) === "sent") continue
        logError("trace.refused", { spans: some.length })
        return
      }
      if (!last) return
    }
  }

  /** The first event names the tenant. */
  async #own(): Promise<TenantTraces | undefined> {
    const [first] = this.#journal.read(0, 1, PAGE_CHARS)
    return first?.type === "run.started" && first.tenant !== undefined ? this.#tracesOf?.(first.tenant) : undefined
  }
}

/** docs/OPERATING.md lists the columns. New columns go to the end, and no column is ever removed. */
export function dataPoint(tenant: string, run: Run): AnalyticsEngineDataPoint {
  const { usage, error } = run
  return {
    // The platform samples by index, so a busy tenant does not crowd out a quiet one.
    indexes: [tenant],
    blobs: [run.flow, run.status, run.trigger.kind, error?.source ?? "", run.rehearsed ? "rehearsed" : "", run.parent ? "child" : ""],
    doubles: [(run.ended ?? run.at) - run.started, usage.input, usage.output, usage.usd ?? 0, usage.tool_calls, usage.steps, run.seq],
  }
}
