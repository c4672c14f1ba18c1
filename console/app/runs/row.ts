// A row of the list: what the API says of a run, and what it says in words.

import type { RunRow } from "../../../src/api/doc/runs.doc.ts"
import type { IconName } from "../shell/icons.tsx"

export const RUN_STATUSES = ["queued", "running", "waiting", "paused", "succeeded", "failed", "canceled"] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export type Row = RunRow & {
  readonly task?: string
  readonly revision?: number
}

export const isLive = ({ status }: Pick<Row, "status">): boolean => !["succeeded", "failed", "canceled"].includes(status)

/** A run that asks reads Waiting, even while other steps go on. */
export const shownStatus = ({ status, pending }: Pick<Row, "status" | "pending">): string =>
  status === "running" && pending > 0 ? "waiting" : status

export interface Now {
  readonly words: string
  readonly kind: "waiting" | "error" | "mid"
}

export function nowOf(row: Row): Now | undefined {
  const { status, pending, error } = row
  if (status === "failed" && error !== undefined && error !== null)
    return { words: `${error.step === undefined ? "" : `${error.step}: `}${error.message}`, kind: "error" }
  if (pending > 0) return { words: pending === 1 ? "asks you" : `asks you ${pending} things`, kind: "waiting" }
  if (status === "waiting") return { words: "waits", kind: "mid" }
  if (status === "queued") return { words: "starts when there is room", kind: "mid" }
  if (status === "paused") return { words: "paused", kind: "mid" }
  return undefined
}

const TRIGGER_ICONS: Readonly<Record<string, IconName>> = {
  api: "term",
  webhook: "bolt",
  schedule: "clock",
  mcp: "bolt",
  child: "child",
  test: "flask",
  fork: "fork",
}

export function triggerOf({ trigger }: Pick<Row, "trigger">): { readonly icon: IconName; readonly words: string } {
  const { kind, hook, schedule, key } = trigger
  return { icon: TRIGGER_ICONS[kind] ?? "term", words: hook ?? schedule ?? (kind === "api" && key !== undefined ? key : kind) }
}

/** Milliseconds that it took, or has taken so far. */
export const timeOf = ({ created, ended }: Pick<Row, "created" | "ended">, now: number): number =>
  (ended === null || ended === undefined ? now : Date.parse(ended)) - Date.parse(created)
