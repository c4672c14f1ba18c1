// GET /v1/runs/{a}/compare/{b} [K17]: shows where two runs of the tenant differ.

import { differences, pairs } from "../../core/run/views/compare.ts"
import type { Pass } from "../../core/run/views/passes.ts"
import { unifiedDiff } from "../../core/text/line-diff.ts"
import { trust } from "../../api/trust.ts"
import type { ComparedRun, RunPort } from "../../ports/run.ts"
import { isRunId, param, routes, type Call } from "../middleware/call.ts"
import { NOT_FOUND, refuse } from "../middleware/problem.ts"
import { runOf } from "../runs/runs.ts"

/** Hashes of one question; each answer leaves a part of this size. */
const AT_ONCE = 64
const MAX_COMPARISONS = 2_000_000 // limit: comparisons of lines for all diffs of two runs → a changed text is shown as removed and added

export async function compareRuns(c: Call): Promise<Response> {
  const [one, other] = [runOf(c), otherOf(c)]
  const [a, b] = await Promise.all([one?.compared(), other?.compared()])
  if (!one || !other || !a || !b) return refuse(c, NOT_FOUND)
  const mayRead = c.get("caller").scopes.includes("catalog:read")
  const [common, changed, ofA, ofB, saidOfA, saidOfB] = await Promise.all([
    commonOf({ port: one, last: a.last }, { port: other, last: b.last }),
    definitionsOf({ port: one, run: a }, { port: other, run: b }, mayRead),
    passesOf(one),
    passesOf(other),
    one.said(),
    other.said(),
  ])
  const steps = pairs({ steps: a.steps, passes: ofA }, { steps: b.steps, passes: ofB })
  const first = steps.find(({ same }) => !same)
  return c.json({
    common,
    definitions: changed,
    steps,
    first: first ? { step: first.step, pass: first.pass } : null,
    output: differences(a.output, b.output),
    usage: { a: a.usage, b: b.usage },
    scores: scoresOf(saidOfA, saidOfB),
  })
}

type Said = Awaited<ReturnType<RunPort["said"]>>

/** [V17] The newest score of each scorer that has scored one of them. */
function scoresOf(a: Said, b: Said): readonly { scorer: string; a: number | null; b: number | null }[] {
  const [ofA, ofB] = [newest(a), newest(b)]
  return [...new Set([...ofA.keys(), ...ofB.keys()])]
    .toSorted()
    .map((scorer) => ({ scorer, a: ofA.get(scorer) ?? null, b: ofB.get(scorer) ?? null }))
}

function newest(said: Said): ReadonlyMap<string, number | null> {
  const scores = new Map<string, number | null>()
  for (const e of said?.events ?? [])
    if (e.type === "run.scored" && e.error === undefined && !scores.has(e.scorer)) scores.set(e.scorer, e.score)
  return scores
}

function otherOf(c: Call): RunPort | undefined {
  const id = param(c, "other")
  return isRunId(id) ? c.get("tenant").run(id) : undefined
}

interface Journal {
  readonly port: RunPort
  readonly last: number
}

/** The longest beginning that both journals have, byte for byte: an event's hash stands for all events up to it. */
async function commonOf(one: Journal, other: Journal): Promise<{ seq: number; head: string } | null> {
  let found: { seq: number; head: string } | null = null
  let [from, to] = [1, Math.min(one.last, other.last)]
  while (from <= to) {
    const apart = Math.max(1, Math.ceil((to - from + 1) / AT_ONCE))
    const seqs = Array.from({ length: Math.ceil((to - from + 1) / apart) }, (_, i) => Math.min(to, from + (i + 1) * apart - 1))
    const [x, y] = await Promise.all([one.port.heads(seqs), other.port.heads(seqs)])
    const odd = seqs.findIndex((_, i) => typeof x?.[i] !== "string" || x[i] !== y?.[i])
    const same = odd < 0 ? seqs.length - 1 : odd - 1
    const [seq, head] = [seqs[same], x?.[same]]
    if (seq !== undefined && typeof head === "string") found = { seq, head }
    if (odd < 0) break
    from = (seqs[odd - 1] ?? from - 1) + 1
    to = (seqs[odd] ?? from) - 1
  }
  return found
}

interface Pinned {
  readonly port: RunPort
  readonly run: ComparedRun
}

/** The definitions that differ. The diff is null for a key that may not read them, and where a text is lost. */
async function definitionsOf(a: Pinned, b: Pinned, mayRead: boolean): Promise<{ path: string; diff: string | null }[]> {
  const [ofA, ofB] = [a, b].map(({ run }) => new Map(run.definitions.map(({ path, hash }) => [path, hash])))
  const paths = [...new Set([...(ofA?.keys() ?? []), ...(ofB?.keys() ?? [])])]
    .filter((path) => ofA?.get(path) !== ofB?.get(path))
    .toSorted()
  if (!mayRead) return paths.map((path) => ({ path, diff: null }))
  const texts = async (port: RunPort, hashes: ReadonlyMap<string, string> | undefined): Promise<ReadonlyMap<string, string | null>> => {
    const own = paths.filter((path) => hashes?.has(path))
    const found = own.length === 0 ? [] : await port.texts(own.map((path) => hashes?.get(path) ?? ""))
    return new Map(own.map((path, i) => [path, found?.[i] ?? null]))
  }
  const [before, after] = await Promise.all([texts(a.port, ofA), texts(b.port, ofB)])
  const budget = { left: MAX_COMPARISONS }
  return paths.map((path) => {
    const [x, y] = [before.get(path), after.get(path)]
    return { path, diff: x === null || y === null ? null : unifiedDiff(x ?? "", y ?? "", budget) }
  })
}

async function passesOf(port: RunPort): Promise<Pass[]> {
  const all: Pass[] = []
  for (let from: number | null = 0; from !== null;) {
    const page: Awaited<ReturnType<RunPort["passes"]>> = await port.passes(from)
    for (const pass of page?.data ?? []) all.push(pass)
    from = page?.next ?? null
  }
  return all
}

export const COMPARE_ROUTES = routes(trust, { compareRuns })
