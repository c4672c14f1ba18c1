// A row of the list: what the API says of a run, and what it says in words.

import type { RunRow } from "../../../src/api/doc/run/runs.doc.ts"
import type { STATUSES } from "../../../web/runs/query.ts"
import { queuedWords } from "../../../web/runs/queued-words.ts"
import { counted, shortTime } from "../parts/figures.ts"
import type { IconName } from "../shell/icons.tsx"

export type RunStatus = (typeof STATUSES)[number]

export type Row = RunRow

export const isLive = ({ status }: Pick<Row, "status">): boolean => !["succeeded", "failed", "canceled"].includes(status)

/** The run asks a person, or a run below it does [P5]. */
export const asks = ({ pending, now }: Pick<Row, "pending" | "now">): boolean => pending > 0 || now?.asks !== undefined

/** It waits for a signal or a time, not for a person. */
export const isPatient = (row: Pick<Row, "pending" | "now">): boolean => row.now !== undefined && !asks(row)

/** A run that asks reads Waiting, even while other steps go on. */
export const shownStatus = (row: Pick<Row, "status" | "pending" | "now">): string =>
  row.status === "running" && asks(row) ? "waiting" : row.status

export interface Now {
  readonly words: string
  readonly kind: "waiting" | "error" | "mid"
}

/** What it does, asks, or has made; why it failed. */
export function nowOf(row: Row): Now | undefined {
  const { status, pending, error, now } = row
  const at = now?.step === undefined ? "" : `${now.step}: `
  if (status === "failed") {
    const message = error?.message ?? now?.message
    return message === undefined ? undefined : { words: `${at}${message}`, kind: "error" }
  }
  if (status === "succeeded") return now?.output === undefined ? undefined : { words: plainOf(now.output), kind: "mid" }
  if (now?.asks !== undefined) return { words: asking(at, now.asks), kind: "waiting" }
  if (asks(row)) return { words: pending > 1 ? `asks you ${pending} things` : "asks you", kind: "waiting" }
  if (status === "waiting")
    return { words: `${at}waits${now?.reason === undefined ? "" : ` for ${WAITS[now.reason] ?? now.reason}`}`, kind: "mid" }
  if (status === "queued") {
    const wait = row.waiting ?? { reason: "room" }
    const holder = "run" in wait && wait.run !== undefined ? `; ${wait.run.slice(0, 10)} holds the key` : ""
    return { words: `${queuedWords(wait, shortTime)}${holder}`, kind: "mid" }
  }
  if (status === "paused") return { words: now?.reason === undefined ? "paused" : `paused: ${now.reason}`, kind: "mid" }
  if (status !== "running" || now?.step === undefined) return undefined
  const turn = now.turn === undefined ? "" : `, turn ${now.turn + 1}`
  const more = now.more === undefined || now.more === 0 ? "" : `, and ${counted(now.more, "more step")} at once`
  return { words: `${now.step}${turn}${more}`, kind: "mid" }
}

const WAITS: Readonly<Record<string, string>> = { signal: "a signal", time: "its time" }

function asking(at: string, { kind, text }: NonNullable<NonNullable<Row["now"]>["asks"]>): string {
  if (kind === "approval.tool" || kind === "approval.plan") return `${at}asks you to approve ${text}`
  if (kind === "budget") return `${at}the budget is used: raise it or stop`
  if (kind === "effects") return `${at}asks which of its effects may leave`
  return text === "" ? `${at}asks you` : `${at}asks: ${text}`
}

/** Markdown of one line without its marks. */
const plainOf = (text: string): string => text.replaceAll(/(\*\*|__|[*`])(?=\S)([^\n]*?\S)\1/g, "$2").replace(/^(?:#+|>|-) +/, "")

const TRIGGERS: Readonly<Record<string, readonly [icon: IconName, words: string]>> = {
  api: ["term", "API"],
  webhook: ["bolt", "hook"],
  schedule: ["clock", "schedule"],
  mcp: ["bolt", "MCP"],
  child: ["child", "run"],
  test: ["flask", "test"],
  fork: ["fork", "fork"],
}

const NO_NAMES: ReadonlyMap<string, string> = new Map()

/** `names`: the id of a hook or schedule → what people call it. */
export function triggerOf({ trigger }: Pick<Row, "trigger">, names: ReadonlyMap<string, string> = NO_NAMES) {
  const { kind, hook, schedule, key } = trigger
  const [icon, words] = TRIGGERS[kind] ?? (["term", kind] as const)
  const name = names.get(hook ?? schedule ?? "") ?? (kind === "api" ? key : undefined)
  return { icon, words: name ?? words }
}

/** Milliseconds that it took, or has taken so far. */
export const timeOf = ({ created, ended }: Pick<Row, "created" | "ended">, now: number): number =>
  (ended === null || ended === undefined ? now : Date.parse(ended)) - Date.parse(created)
