// Searches by meaning [T23]: a Workers AI model turns texts into vectors of unit length, vectors are compared, and two rankings are merged.
//
// If the model is unavailable, no entry or search is lost: the callers continue with words alone.

import { isObject } from "../../core/json.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { inTime } from "../../ports/timers.ts"
import { logWarning } from "../platform/log.ts"

export const EMBEDDING_MODEL = "@cf/baai/bge-m3"
/** The number of texts in one request, and the length read of each: the model reads 8,192 tokens per text and 60,000 per request. */
export const TEXTS = 32 // limit: texts of one request for vectors → the next request has the rest
const CHARS = 6000 // limit: characters of a text that its vector is made from → the rest does not count
const TIMEOUT_MS = 10_000 // limit: milliseconds of a request for vectors → the search is by words alone
/** Texts below this similarity are unrelated; without a floor every search would find something. */
const NEAR = 0.45
/** The usual constant of reciprocal-rank fusion. */
const K = 60

/** The part of the AI binding that this module uses. */
export interface Embedder {
  run(model: string, input: Record<string, unknown>): Promise<unknown>
}

/** One vector for each text; undefined: the model is unavailable or its answer is invalid. */
export async function embed(ai: Embedder | undefined, texts: readonly string[]): Promise<readonly Float32Array[] | undefined> {
  if (ai === undefined || texts.length === 0) return undefined
  try {
    const answer = await inTime(ai.run(EMBEDDING_MODEL, { text: texts.map((t) => t.slice(0, CHARS)) }), TIMEOUT_MS, noAnswer)
    const data = isObject(answer) ? answer["data"] : undefined
    if (!Array.isArray(data) || data.length !== texts.length) return undefined
    const vectors = data.map(unit)
    return vectors.every((v) => v !== undefined) ? vectors : undefined
  } catch (error) {
    logWarning("memory.embedding", { message: messageOf(error) })
    return undefined
  }
}

/** The entries of `all` with the nearest vectors, best first. */
export function nearest(
  to: Float32Array,
  all: Iterable<{ readonly n: number; readonly vector: Float32Array }>,
  limit: number,
): { readonly n: number; readonly score: number }[] {
  const near: { n: number; score: number }[] = []
  for (const { n, vector } of all) {
    const score = dot(to, vector)
    if (score >= NEAR) near.push({ n, score })
  }
  return near.toSorted((a, b) => b.score - a.score).slice(0, limit)
}

/** Merges rankings of entry numbers, best first: an entry that ranks high in several comes out on top. */
export function fuse(rankings: readonly (readonly { readonly n: number }[])[]): { readonly n: number; readonly score: number }[] {
  const scores = new Map<number, number>()
  for (const ranking of rankings) for (const [i, { n }] of ranking.entries()) scores.set(n, (scores.get(n) ?? 0) + 1 / (K + i + 1))
  return [...scores].map(([n, score]) => ({ n, score })).toSorted((a, b) => b.score - a.score || b.n - a.n)
}

function unit(row: unknown): Float32Array | undefined {
  if (!Array.isArray(row) || row.length === 0 || !row.every((x): x is number => typeof x === "number" && Number.isFinite(x)))
    return undefined
  const length = Math.hypot(...row)
  return length === 0 ? undefined : Float32Array.from(row, (x) => x / length)
}

function dot(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

function noAnswer(): never {
  throw new Error(`no answer within ${TIMEOUT_MS} ms`)
}
