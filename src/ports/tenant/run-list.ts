// Defines a tenant's list of runs. Each run reports its own row; the tenant's object keeps the list.

import type { InboxCount } from "../../api/doc/run/interactions.doc.ts"
import type { RunCounts } from "../../api/doc/run/runs.doc.ts"
import type { Shown } from "../../api/rows.ts"
import type { CountedBy, RunSort } from "../../api/run/runs.ts"
import type { JsonObject } from "../../core/json.ts"
import type { InteractionKind } from "../../core/run/event-parts.ts"
import type { OpenLine } from "./effects.ts"
import type { LineAsk, StartWord } from "./line.ts"
import type { StartWait } from "../../core/start/start-wait.ts"
import type { Notice, StartCallback } from "../../core/run/notice.ts"
import type { NoticeFacts } from "../../core/run/notice-body.ts"
import type { RunSum } from "../../core/run/usage/run-sum.ts"
import type { RunUsage } from "../../core/run/usage/run-usage.ts"

/** An answered interaction. `at`: milliseconds. */
export interface Decided {
  readonly id: string
  readonly kind: InteractionKind
  readonly at: number
}

/** A row of an answered interaction. `run` is null for a question outside any run. */
export interface DecidedLine extends Decided {
  readonly run: string | null
  readonly flow: string
  readonly about?: AskingRun
}

/** What a list of questions shows of the run that asks: the beginning of its task, and its tags. */
export interface AskingRun {
  readonly task?: string
  readonly tags?: readonly string[]
}

export type ListedRun = {
  readonly id: string
  readonly flow: string
  readonly status: string
  /** Milliseconds. */
  readonly created: number
  /** [N3] When its tenant was created, if another one had its name shortly before. */
  readonly tenancy?: number
  readonly ended?: number
  readonly view: JsonObject
  /** Notices that receivers may not have yet, and the receiver that came with the run's start [W6]. */
  readonly notices?: readonly Notice[]
  readonly callback?: StartCallback & { readonly address?: string }
  /** [R10] Of the other starts that it is made of. */
  readonly callbacks?: readonly (StartCallback & { readonly address?: string })[]
  /** [K31] Its open effects, and the `seq` of its journal: after the end of a run only these change. Absent: it never had one. */
  readonly effects?: { readonly seq: number; readonly open: readonly OpenLine[] }
  /** Its newest decisions; absent: it has none. */
  readonly decided?: readonly Decided[]
  /** Of a run that has ended: what it used, for the tenant's sums, which count each run once. */
  readonly usage?: RunUsage
  /** [H16] The same for the sums of its hour and its day. */
  readonly sum?: RunSum
  /** [B4] It has ended without a slice of the tenant's day: what was granted to a start that was lost is free. */
  readonly unleased?: true
  /** What messages about this run say besides its view: its output, or what it asks. */
  readonly told?: Pick<NoticeFacts, "output" | "interaction" | "omitted">
  /** [P2] Digests of what a run that came with a message has said untainted, or that its thread is marked. */
  readonly given?: readonly string[]
  /** [R21] Of a run that stands in line, or stood there: what it asks while it is queued. `below`: it has ended, and runs below it have not [R6]. */
  readonly lined?: { readonly ask?: LineAsk; readonly paused?: true; readonly below?: true }
  /** [F71] Hashes of bodies that the run owns and has not reported before. */
  readonly bodies?: readonly string[]
  /** [F71] When the run last lost an effect (ms), if it has not said so: it may have stored a body that nobody owns. */
  readonly lost?: number
}

/** What a deleted run says of itself. `expired`: nobody deleted it, its retention is over [V31]. */
export type LastOfRun = Pick<ListedRun, "usage" | "sum" | "bodies" | "lost" | "tenancy"> & { readonly expired?: true }

/**
 * The answer to a run's report. `retention`: milliseconds to keep the run after it ends [H6]. `traces`: the tenant has its own collector
 * [N9]. `word`: the queued run begins [R20]. `waits`: what it waits for [R18]. `gone`: the tenant was deleted, or the start is in another run [R11], so the run must delete itself [N3].
 */
export type Noted = { readonly retention: number; readonly traces?: true; readonly word?: StartWord; readonly waits?: StartWait } | "gone"

interface Page {
  readonly limit: number
  readonly cursor?: string
}
type Listed<Row> = { readonly data: readonly Row[]; readonly next_cursor: string | null } | { readonly badCursor: true }

/** The filter of a list of runs. */
export interface RunFilter {
  /** Names, and globs with `*`. */
  readonly flow?: readonly string[]
  readonly status?: readonly string[]
  readonly tag?: string
  /** Also child runs, which are left out unless `parent` or the trigger `child` asks for them. */
  readonly children?: true
  /** Only children of this run. */
  readonly parent?: string
  /** [K15] Only forks of this run. */
  readonly forkOf?: string
  /** [P1] Only runs of this thread. */
  readonly thread?: string
  /** Only runs whose start named this sticky session. */
  readonly session?: string
  /** Kinds of trigger. */
  readonly trigger?: readonly string[]
  /** Ids of what started the run, and the name of the API key that did. */
  readonly hook?: string
  readonly schedule?: string
  readonly apiKey?: string
  /** [V17] Only runs with a score of this scorer, or of people as `feedback`, within these bounds. */
  readonly scored?: { readonly scorer: string; readonly atMost: number; readonly atLeast: number }
  /** Words that must all be in the texts of the row (core/text/plain-words.ts). */
  readonly q?: readonly string[]
  /** Milliseconds: `createdAfter` is inclusive, `createdBefore` exclusive. */
  readonly createdAfter?: number
  readonly createdBefore?: number
}

/** A count of runs. `complete: false`: there are more runs, or more keys, than were counted. */
export type RunCount = Omit<Shown<typeof RunCounts>, "by">

/** Tells whether counters alone can answer the filter: it has only flows and statuses. */
export const isCounted = ({ flow: _flow, status: _status, ...rest }: RunFilter): boolean => Object.keys(rest).length === 0

export interface RunListPort {
  /** A late or repeated report is harmless: a row is replaced only by one with a newer `view.seq`. */
  note(row: ListedRun): Promise<Noted>
  /** Whether the run has reported, or a delivery promises it. A run that has just started may not have reported yet. */
  knows(id: string): Promise<boolean>
  /** [P7] The run of this thread of this flow that was claimed or started last; null: none. `own`: a claim of this run does not count. */
  newestOf(flow: string, thread: string, own?: string): Promise<string | null>
  /** Claims the thread for a run that is about to start, unless another came since `seen`. The answer is the newest run. */
  claim(flow: string, thread: string, run: string, seen: string | null): Promise<string>
  /** The claimed run did not start. */
  release(flow: string, thread: string, run: string): Promise<void>
  /** [P2] Which of these digests are known. `open`: the newest runs of the flow that may have answered and not yet said so. */
  given(
    digests: readonly string[],
    of: { readonly flow: string },
  ): Promise<{
    readonly known: readonly string[]
    readonly open: readonly { readonly id: string; readonly thread: string | null }[]
  }>
  /** Deletes the row of a deleted run. `last`: a run that was deleted before it ended reports no more, and what it used is summed here; the
   *  bodies are all that it owned, and absent if it could not be read. */
  remove(id: string, last?: LastOfRun): Promise<void>
  /** [K31] Open effects of all runs, oldest first. */
  effects(
    query: Page & { readonly states?: readonly string[]; readonly tool?: string; readonly host?: string },
  ): Promise<Listed<{ readonly run: string; readonly key: string }>>
  /** [P16] Runs of a flow without parents, by their latest status first; `total`: how many there are. `since` is inclusive, ISO 8601. */
  tasks(
    query: Page & {
      readonly flow: string
      readonly thread?: string
      readonly state?: "queued" | "working" | "asking" | "succeeded" | "failed" | "canceled"
      readonly since?: string
    },
  ): Promise<
    { readonly data: readonly JsonObject[]; readonly total: number; readonly next_cursor: string | null } | { readonly badCursor: true }
  >
  /** What was answered, newest first. */
  decided(query: Page & { readonly flow?: readonly string[]; readonly kind?: readonly InteractionKind[] }): Promise<Listed<DecidedLine>>
  /** Runs with open questions, oldest first. */
  asking(
    query: Page & { readonly flow?: readonly string[] },
  ): Promise<Listed<{ readonly id: string; readonly flow: string; readonly about?: AskingRun }>>
  /** What waits for a person: open questions, of runs and from outside, and uncertain effects. */
  waiting(): Promise<InboxCount>
  /** `complete: false`: the page ended because it had looked at as many rows as a page may; what follows is at its cursor. */
  list(
    query: Page & RunFilter & { readonly sort?: RunSort },
  ): Promise<
    { readonly data: readonly JsonObject[]; readonly next_cursor: string | null; readonly complete: boolean } | { readonly badCursor: true }
  >
  /** How many runs `list` would give, most first; by hour or day, the oldest first. */
  counts(by: CountedBy, filter: RunFilter): Promise<RunCount>
}
