// Meaning [T23]: texts as vectors of unit length by a model of Workers AI, how near two are, and how two rankings become one.
//
// A model that is down is no reason to lose an entry or a search: whoever asks here goes on with words alone.

import { isObject } from "../../core/json.ts"
import { inTime } from "../../engine/time/deadline.ts"
import { logWarning, messageOf } from "../platform/log.ts"

export const EMBEDDING_MODEL = "@cf/baai/bge-m3"
/** So many texts in one request, and so much of each: the model reads 8,192 tokens, and a request has 60,000 in all. */
export const TEXTS = 32
const CHARS = 6000
const TIMEOUT_MS = 10_000
/** Below this two texts have nothing to do with each other; without a floor every search would find something. */
const NEAR = 0.45
/** Reciprocal-rank fusion: the usual constant. */
const K = 60

/** The part of the AI binding that is used here. */
export interface Embedder {
  run(model: string, input: Record<string, unknown>): Promise<unknown>
}

/** One vector for each text, or undefined when the model cannot be asked or answers something else. */
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

/** The nearest of `all`, best first. */
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

/** Rankings of numbers, best first, as one: what stands high in several stands highest. */
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
