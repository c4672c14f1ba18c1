// Groups failures of the same flow, step and source whose messages have the same shape. A group has a count, a first time and its
// revisions. People mute or resolve it, and a new failure opens it again.

import { defined } from "../../defined.ts"
import { cutAt } from "../../text/cut-at.ts"
import { shapeOf } from "./shape.ts"

export const GROUP_STATUSES = ["open", "muted", "resolved"] as const
export type GroupStatus = (typeof GROUP_STATUSES)[number]

/** A run that failed. Times in milliseconds. */
export interface Failure {
  readonly run: string
  readonly flow: string
  readonly step?: string
  readonly source: string
  readonly message: string
  /** [V18] A succeeded run's low score: who gave it, and its level in place of the message's shape. */
  readonly low?: { readonly scorer: string; readonly shape: string }
  readonly rehearsed: boolean
  /** When the run began, and when it failed. */
  readonly began: number
  readonly at: number
  readonly revision?: number
}

export interface FailureSighting {
  readonly run: string
  readonly at: number
  readonly revision?: number
}

export interface FailureGroup {
  readonly flow: string
  readonly step?: string
  /** [V18] Of low scores. */
  readonly scorer?: string
  readonly source: string
  readonly shape: string
  /** The latest message. */
  readonly message: string
  readonly rehearsed: boolean
  readonly count: number
  /** [day since 1970 in UTC, how many], oldest first. */
  readonly days: readonly (readonly [day: number, count: number])[]
  readonly first: FailureSighting
  readonly last: FailureSighting
  /** The latest, newest first. */
  readonly runs: readonly string[]
  readonly status: GroupStatus
  /** Who set the status, and when. `revision`: the latest that had failed by then. */
  readonly set?: { readonly by: string; readonly at: number; readonly revision?: number }
  /** The run that opened it again. */
  readonly reopened?: FailureSighting
}

const DAY_MS = 86_400_000
/** Limit: days that a group of failures counts one by one → older ones are in its count. */
export const GROUP_DAYS = 14
/** Limit: latest runs of a group of failures → the oldest leaves. */
export const GROUP_RUNS = 10
/** Characters of the latest message. */
const SHOWN_MESSAGE = 500

export const dayOf = (at: number): number => Math.floor(at / DAY_MS)

/** The key that equal failures share. */
export const sameness = ({ flow, step, source, message, rehearsed, low }: Failure): string =>
  JSON.stringify([flow, step ?? null, source, low?.shape ?? shapeOf(message), rehearsed, ...(low ? [low.scorer] : [])])

export function newGroup(failure: Failure): FailureGroup {
  const { flow, step, source, message, rehearsed, low } = failure
  const seen = seenIn(failure)
  return {
    flow,
    ...defined({ step, scorer: low?.scorer }),
    source,
    shape: low?.shape ?? shapeOf(message),
    message: cutAt(message, SHOWN_MESSAGE),
    rehearsed,
    count: 1,
    days: [[dayOf(failure.at), 1]],
    first: seen,
    last: seen,
    runs: [failure.run],
    status: "open",
  }
}

/** Adds a failure to its group. Failures may arrive out of order. */
export function withFailure(group: FailureGroup, failure: Failure): FailureGroup {
  const seen = seenIn(failure)
  const isLast = failure.at >= group.last.at
  const { set, ...rest } = group
  const opens = group.status === "resolved" && comesBack(group, failure)
  return {
    ...rest,
    ...(set === undefined || opens ? {} : { set }),
    ...(opens ? { status: "open", reopened: seen } : {}),
    ...(isLast ? { message: cutAt(failure.message, SHOWN_MESSAGE), last: seen } : {}),
    ...(failure.at < group.first.at ? { first: seen } : {}),
    count: group.count + 1,
    days: withDay(group.days, dayOf(failure.at)),
    runs: (isLast ? [failure.run, ...group.runs] : [...group.runs.slice(0, 1), failure.run, ...group.runs.slice(1)]).slice(0, GROUP_RUNS),
  }
}

export function withStatus(group: FailureGroup, status: GroupStatus, by: string, at: number): FailureGroup {
  const { revision } = group.last
  return { ...group, status, set: { by, at, ...defined({ revision }) } }
}

/** A run that began before it was resolved, on a revision that was known to fail, is not news. */
function comesBack({ set }: FailureGroup, { began, revision }: Failure): boolean {
  if (set === undefined || began > set.at) return true
  return revision !== undefined && set.revision !== undefined && revision > set.revision
}

function withDay(days: FailureGroup["days"], day: number): FailureGroup["days"] {
  const counts = new Map(days)
  counts.set(day, (counts.get(day) ?? 0) + 1)
  const newest = Math.max(...counts.keys())
  return [...counts].filter(([one]) => one > newest - GROUP_DAYS).toSorted(([a], [b]) => a - b)
}

const seenIn = ({ run, at, revision }: Failure): FailureSighting => ({ run, at, ...defined({ revision }) })
