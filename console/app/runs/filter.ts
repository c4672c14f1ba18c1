// What the list is narrowed to, as the address says it: `?status=failed&q=flow:support:triage tag:eu refund`. What the API can sort out is asked
// of it; other words are looked for in the rows that are loaded.

import type { RunFilter } from "../../../src/client/runs.ts"
import { RUN_STATUSES, type RunStatus, type Row } from "./row.ts"

export interface Narrowed {
  readonly filter: RunFilter
  /** In lower case. */
  readonly words: readonly string[]
}

const TRIGGERS = ["api", "webhook", "schedule", "mcp", "child", "test", "fork"] as const

export function narrowed(query: URLSearchParams): Narrowed {
  const filter: { flow?: string; tag?: string; trigger?: (typeof TRIGGERS)[number]; status?: RunStatus[]; thread?: string } = {}
  const words: string[] = []
  const statuses = (query.get("status") ?? "").split(",").filter(isStatus)
  for (const word of (query.get("q") ?? "").split(/\s+/)) {
    const [, name = "", value = ""] = /^(flow|tag|status|trigger|thread):(.+)$/.exec(word) ?? []
    const trigger = TRIGGERS.find((one) => one === value)
    if (name === "flow") filter.flow = value
    else if (name === "tag") filter.tag = value
    else if (name === "thread") filter.thread = value
    else if (name === "trigger" && trigger !== undefined) filter.trigger = trigger
    else if (name === "status" && isStatus(value)) statuses.push(value)
    else if (isStatus(word.toLowerCase())) statuses.push(word.toLowerCase() as RunStatus)
    else if (word !== "") words.push(word.toLowerCase())
  }
  if (statuses.length > 0) filter.status = [...new Set(statuses)]
  return { filter, words }
}

const isStatus = (word: string): word is RunStatus => (RUN_STATUSES as readonly string[]).includes(word)

export function matches(row: Row, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const text = [row.id, row.flow, row.task ?? "", ...row.tags, row.error?.message ?? "", row.thread].join("\n").toLowerCase()
  return words.every((word) => text.includes(word))
}
