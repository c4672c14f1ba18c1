// Decides which window a start joins, when the window ends, and what a start that joins changes [R9, R10]. Pure: the rows and the time decide.

import type { Batch, Debounce, StartBlock } from "./start-block.ts"

/** What a start brings into a batch, counted against the bounds of one run. */
export interface Brought {
  readonly items: number
  /** Characters of the JSON of its inputs. */
  readonly chars: number
  readonly files: readonly BroughtFile[]
}
interface BroughtFile {
  readonly path: string
  readonly hash: string
  readonly size: number
}

/** Starts of one kind join one window: whatever differs between them makes another kind [R9]. */
export interface WindowKind {
  /** FLOW, FLOW@REVISION, or of a draft. */
  readonly name: string
  readonly thread?: string | undefined
  readonly autonomous: boolean
  readonly rehearse: boolean
  readonly effects?: string | undefined
}

/** An open window, as its run's row has it. */
export interface Window {
  readonly member: "debounce" | "batch"
  readonly opened: number
  /** When the last start came. */
  readonly last: number
  /** The number of the last start; numbers begin with 1. */
  readonly number: number
  /** The last one's numbers. `quiet`: it ends when no start has come for so long. */
  readonly timeout: number
  readonly quiet?: number
  readonly size?: number
  readonly brought?: Brought
  /** A start that did not fit has ended it. */
  readonly full?: true
}

const MAX_ITEMS = 10_000 // limit: items of a batch → the start ends the window and opens the next
const MAX_CHARS = 1_000_000 // limit: characters of the inputs of a batch → the start ends the window and opens the next
/** [F55] As of one start. */
export interface FileBounds {
  readonly files: number
  readonly bytes: number
}

type Windowed = Pick<StartBlock, "debounce" | "batch">

export const windowOf = ({ debounce, batch }: Windowed): Debounce | Batch | undefined => debounce ?? batch

/** All starts under one name join one window. */
export function windowThing(block: Windowed, { name, thread, autonomous, rehearse, effects }: WindowKind): string | undefined {
  const own = windowOf(block)
  if (own === undefined) return undefined
  const member = block.debounce ? "debounce" : "batch"
  return `w${JSON.stringify([name, member, own.pool, own.key, thread ?? null, autonomous, rehearse, effects ?? "live"])}`
}

export function opened({ debounce, batch }: Windowed, brought: Brought | undefined, now: number): Window | undefined {
  const first = { opened: now, last: now, number: 1 }
  if (debounce) return { member: "debounce", ...first, timeout: debounce.timeout, quiet: debounce.period }
  if (batch) return { member: "batch", ...first, timeout: batch.timeout, size: batch.size, ...(brought && { brought }) }
  return undefined
}

/** When the window is over; the last start's numbers count. */
export function windowEnd({ opened: from, last, number, timeout, quiet, size, full }: Window): number {
  if (full || (size !== undefined && number >= size)) return last
  return Math.min(from + timeout, quiet === undefined ? Number.POSITIVE_INFINITY : last + quiet)
}

/** The window with one more start. `full`: it does not fit, ends this window and opens the next [R10]. `over`: the time has come. */
export function joined(
  window: Window,
  { debounce, batch }: Windowed,
  brought: Brought | undefined,
  { now, bounds }: { readonly now: number; readonly bounds: FileBounds },
): Window | "over" | "full" {
  if (now >= windowEnd(window)) return "over"
  const next = { ...window, last: now, number: window.number + 1 }
  if (debounce) return { ...next, timeout: debounce.timeout, quiet: debounce.period }
  if (!batch) return "over"
  const sum = brought && added(window.brought, brought)
  if (sum && !fits(sum, bounds)) return "full"
  return { ...next, timeout: batch.timeout, size: batch.size, ...(sum && { brought: sum }) }
}

function added(before: Brought | undefined, more: Brought): Brought | "other bytes" {
  const known = new Map((before?.files ?? []).map((file) => [file.path, file]))
  for (const file of more.files) {
    const there = known.get(file.path)
    if (there !== undefined && there.hash !== file.hash) return "other bytes"
    known.set(file.path, file)
  }
  return { items: (before?.items ?? 0) + more.items, chars: (before?.chars ?? 0) + more.chars, files: [...known.values()] }
}

function fits(sum: Brought | "other bytes", { files, bytes }: FileBounds): sum is Brought {
  if (sum === "other bytes") return false
  const size = sum.files.reduce((all, file) => all + file.size, 0)
  return sum.items <= MAX_ITEMS && sum.chars <= MAX_CHARS && sum.files.length <= files && size <= bytes
}
