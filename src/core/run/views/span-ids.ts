// Derives the ids of traces and spans [N9] as hashes of what they stand for, so that the same journal always has the same ids.

import type { Trace } from "../../trace.ts"

export type Hash = (text: string) => string

/** The trace for a child run, or for a call of a step: its parent is the span of this pass of the step. */
export function stepTrace(run: { readonly id: string; readonly trace?: Trace | undefined }, step: string, pass: number, hash: Hash): Trace {
  const sampled = run.trace?.sampled === false ? { sampled: false as const } : {}
  return { id: traceId(run, hash), parent: spanId(hash, run.id, `step/${step}/${pass}`), ...sampled }
}

export const traceId = (run: { readonly id: string; readonly trace?: Trace | undefined }, hash: Hash): string =>
  run.trace?.id ?? hash(run.id).slice(0, 32)
export const spanId = (hash: Hash, run: string, what: string): string => hash(`${run} ${what}`).slice(0, 16)
