// The threads of a flow: its runs by thread [P1], the newest first. A thread's title is what was asked first.

import type { RunRow } from "../../../src/api/doc/run/runs.doc.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { shortTime } from "../parts/figures.ts"
import { asks } from "../runs/row.ts"
import type { Api } from "../shell/session.ts"
import { hasHistory, saidIn } from "./history.ts"

export interface ThreadRow {
  readonly thread: string
  /** Its newest run. */
  readonly run: RunRow
  /** Its oldest run that is listed. */
  readonly first: RunRow
  /** Of its listed runs together; null: no model of them has a price. */
  readonly usd: number | null
  readonly tokens: number
  readonly turns: number
}

/** Runs that are looked through. */
const MAX_RUNS = 200
/** Titles that are asked for at once. */
const AT_ONCE = 4
const MAX_TITLE = 120

export async function threadsOf(api: Api, flow: string): Promise<ThreadRow[]> {
  const { data } = await api.runs.list({ flow, limit: MAX_RUNS }).page()
  const threads = new Map<string, ThreadRow>()
  for (const run of data) {
    const known = threads.get(run.thread)
    const { usd, tokens } = run.usage
    threads.set(run.thread, {
      thread: run.thread,
      run: known?.run ?? run,
      first: run,
      usd: usd === null ? (known?.usd ?? null) : (known?.usd ?? 0) + usd,
      tokens: (known?.tokens ?? 0) + tokens,
      turns: (known?.turns ?? 0) + 1,
    })
  }
  return [...threads.values()]
}

/** Of runs whose task has more than the person's own words. */
const titles = new Map<string, string>()

export function titleOf({ first }: ThreadRow): string | undefined {
  const { id, task } = first
  if (task === undefined || hasHistory(task)) return titles.get(id)
  return titled(task, first)
}

/** A run without a task is called after its time. */
const titled = (task: string, { created }: RunRow): string =>
  task.trim().split("\n")[0]?.slice(0, MAX_TITLE) || `Run of ${shortTime(created)}`

/** Asks for the titles that are not known yet; `found` is told after each. */
export async function readTitles(api: Api, rows: readonly ThreadRow[], found: () => void): Promise<void> {
  const open = rows.filter((row) => titleOf(row) === undefined)
  const work = async (): Promise<void> => {
    for (let row = open.shift(); row; row = open.shift()) {
      const view: RunView | undefined = await api.runs.get(row.first.id).catch(() => undefined)
      titles.set(row.first.id, titled(view === undefined ? "" : await saidIn(api, view), row.first))
      found()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** What a thread's newest run does, in a few words. */
export function lineOf({ run }: ThreadRow): string {
  const { status, error } = run
  switch (status) {
    case "waiting":
      return asks(run) ? "asks you" : "waiting"
    case "running":
      return asks(run) ? "asks you, still running" : "at work"
    case "queued":
      return "waits for room"
    case "succeeded":
      return "done"
    case "failed":
      return error === null || error === undefined ? "failed" : `${error.step === undefined ? "" : `${error.step}: `}${error.message}`
    case "canceled":
      return "stopped"
    case "paused":
      return "paused"
  }
}

/** `now`, `2 min`, `3 h`, then the day. */
export function ageOf(created: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(created)) / 60_000)
  if (minutes < 1) return "now"
  if (minutes < 60) return `${minutes} min`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`
  return new Date(created).toLocaleDateString("en-US", minutes < 6 * 24 * 60 ? { weekday: "short" } : { month: "short", day: "numeric" })
}
