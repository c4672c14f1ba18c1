// Sends telemetry of an ended run to operators [N9]: one data point for Analytics Engine, and its spans and scores for an OTLP collector.
//
// Each is sent once; a mark in the object's storage records that across crashes. The data point is written in the turn of the run's last
// commit, so mark and end are durable together. If the collector does not answer, spans are sent again: six tries in three hours. Scores
// [V17] follow the spans, also those that come later.

import { lazy } from "../../core/lazy.ts"
import type { Run } from "../../core/run/state.ts"
import { isOver } from "../../core/run/state.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import type { TenantTraces } from "../clients/tenant-traces.ts"
import { collectorOf, type Collector } from "../../engine/net/otlp.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import type { Env } from "../platform/env.ts"
import { VERSION } from "../../engine/version.ts"
import { logError } from "../platform/log.ts"
import type { Pages, Walked } from "./trace-sending.ts"

export type TelemetryEnv = Pick<Env, "ENVIRONMENT" | "OTLP_ENDPOINT" | "OTLP_HEADERS" | "METRICS">
type Marks = Pick<SyncKvStorage, "get" | "put" | "delete">

const MEASURED = "measured"
/** "done", or the number of export attempts and the time of the next one: of the instance's collector, and of the tenant's own ones. */
const TRACES = "traces"
const OWN_TRACES = "traces_own"
export const LANES = [TRACES, OWN_TRACES] as const
type Lane = (typeof LANES)[number]
/** The waits between attempts. */
const WAITS_MS = [10_000, 60_000, 300_000, 1_800_000, 7_200_000] as const
const sending = lazy(() => import("./trace-sending.ts"))

/** There is nobody to send to, or nothing is left to send. */
const NOTHING: Walked = { last: 0 }
/** Before a crash: whether there are scores is not known. */
const ALL_SENT: Walked = { last: 0, scored: 0 }

interface Tried {
  readonly tries: number
  readonly next: number
  /** The tenant's collectors that have the spans. */
  readonly sent?: readonly string[]
  /** The spans are sent, and the scores after this event are not. */
  readonly after?: number
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
  /** How many scores have come in this life of the object. */
  #scored = 0

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

  /** [V17] The run gets a score after this event. */
  scored(after: number): void {
    for (const lane of LANES) if (this.#marks.get(lane) === "done") this.#marks.put(lane, { tries: 0, next: 0, after } satisfies Tried)
    this.#scored += 1
  }

  /** Names what a lane has to send now. */
  word(lane: Lane): string {
    const mark = this.#marks.get<Tried | "done">(lane)
    return mark === undefined || mark === "done" || mark.after === undefined ? lane : `${lane} ${mark.after}`
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
    const scored = this.#scored
    const walked = await this.#tried(lane, mark)
    if (!walked) return
    // A score may come while the spans leave.
    const late = scored === this.#scored ? undefined : walked.last
    const rest = mark?.after === undefined ? (walked.scored ?? late) : late
    this.#marks.put(lane, rest === undefined ? "done" : ({ tries: 0, next: 0, after: rest } satisfies Tried))
    return rest === undefined ? undefined : this.export(lane)
  }

  /** undefined: it was the last try, in vain. */
  async #tried(lane: Lane, mark: Tried | undefined): Promise<Walked | undefined> {
    const tries = (mark?.tries ?? 0) + 1
    const wait = WAITS_MS[tries - 1]
    const sent = new Set(mark?.sent)
    const after = mark?.after
    const note = (): void => {
      const more = { ...(sent.size > 0 ? { sent: [...sent] } : {}), ...(after === undefined ? {} : { after }) }
      this.#marks.put(lane, wait === undefined ? "done" : { tries, next: this.#now() + wait, ...more })
    }
    // Written before the attempt, so that an attempt that kills the object counts too.
    note()
    try {
      const own = await this.#own()
      if (lane === OWN_TRACES) return own ? await this.#sendOwn(own, after, sent, note) : NOTHING
      const collector = collectorOf(this.#env)
      return collector ? await this.#send(collector, own?.content === true ? own.redactor : undefined, after) : NOTHING
    } catch (e) {
      const why = messageOf(e, "unknown error")
      if (wait !== undefined) throw new Error(`try ${tries} to export its trace: ${why}`, { cause: e })
      logError("trace.lost", { tries, message: why })
      return undefined
    }
  }

  /** Each collector has its own luck: one that is down delays no other, and one that has the spans gets them no second time. */
  async #sendOwn({ collectors, redactor }: TenantTraces, after: number | undefined, sent: Set<string>, note: () => void): Promise<Walked> {
    const faults: string[] = []
    let walked: Walked | undefined
    for (const { name, content, open } of collectors) {
      if (sent.has(name)) continue
      try {
        walked = await this.#send(open(), content ? redactor : undefined, after)
        sent.add(name)
        note()
      } catch (e) {
        faults.push(`${name}: ${messageOf(e, "unknown error")}`)
      }
    }
    if (faults.length > 0) throw new Error(faults.join("; "))
    return walked ?? ALL_SENT
  }

  /** `redactor`: what is sent contains what was said. `after`: not the spans, but the scores after this event. */
  async #send(collector: Collector, redactor: Redactor | undefined, after: number | undefined): Promise<Walked> {
    const resource = { "service.name": "sluice", "service.version": VERSION, "deployment.environment.name": this.#env.ENVIRONMENT }
    const { sendTrace, sendScores } = await sending()
    const trace = { collector, resource, journal: this.#journal, hash: this.#hash, redactor }
    return after === undefined ? sendTrace(trace) : sendScores(trace, after)
  }

  /** The first event names the tenant. */
  async #own(): Promise<TenantTraces | undefined> {
    const [first] = this.#journal.read(0, 1, 1)
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
