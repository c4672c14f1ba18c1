// Mutate: makes faults of src/cloudflare by a seed: texts that a parser finds, each with what a tired author might have written instead. All are in one
// bundle, and `globalThis.planted(N)` says which of them is planted: so no fault costs a build, and one play of a seed says which faults it reaches.

import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { parseAst } from "vitest/node"
import type { Planted } from "../platform/machines.ts"
import { EQUIVALENT } from "./equivalent.ts"
import { sitesOf, type Node, type Site } from "./sites.ts"

const ROOM = "src/cloudflare"
/**
 * What no seed enters, since nobody of the simulator does: authors by models and their questions, sandboxes, a deploy's own wires, WebSockets, telemetry,
 * pages of people who sign in, chat widgets, calls of MCP servers, workspaces, tests, bulk edits, proofs, batches of models, cached steps, moments of a
 * run, meaning in memories, couriers, and the count of calls of one invocation. `npm test` has tests of each.
 */
const ELSEWHERE = new RegExp(
  [
    String.raw`^(?:authoring|sandbox|capabilities)/|\.gen\.ts$|/architect/|/question-store|/reference-store`,
    "socket|telemetry|traces|readiness|vault-mark|signing-keys|model-trial|sum-reader",
    "sign-in|tokens/(?:access|chat|session|own|signed)",
    "/mcp/|workspace|/tests/|/bulk/|/proof/|/batch/|cached-store|invocation|carried-answer|run-moments|run-turns|memory-meaning",
  ].join("|"),
)

export interface Mutant extends Site {
  /** Stays the same while its own text does. */
  readonly name: string
  readonly file: string
}

/** As many of each kind as there are, in turn; of a kind those that the seed likes best, whatever else the code has. Those that nobody could tell from the
 *  code are drawn too, and left out. */
export function mutants(root: string, count: number, seed: number): Mutant[] {
  return drawn(root, count, seed).made
}

/** `equivalent`: names of those that were left out. */
export function drawn(root: string, count: number, seed: number): { readonly made: Mutant[]; readonly equivalent: string[] } {
  const liked = (name: string): string => createHash("sha256").update(`${seed} ${name}`).digest("hex")
  const kinds = [...Map.groupBy(sitesBelow(root), ({ kind }) => kind).values()].map((of) =>
    of.map((it) => [liked(it.name), it] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
  const made: Mutant[] = []
  const equivalent: string[] = []
  for (let i = 0; made.length < count && kinds.some((of) => of.length > i); i++)
    for (const of of kinds) {
      const [, next] = of[i] ?? []
      if (!next || made.length >= count) continue
      if (EQUIVALENT[next.name] === undefined) made.push(next)
      else equivalent.push(next.name)
    }
  return { made, equivalent }
}

export function sitesBelow(root: string): Mutant[] {
  const files = readdirSync(path.join(root, ROOM), { recursive: true, encoding: "utf8" }).filter(
    (it) => it.endsWith(".ts") && !ELSEWHERE.test(it),
  )
  return files.toSorted().flatMap((name) => {
    const file = path.join(ROOM, name)
    const text = readFileSync(path.join(root, file), "utf8")
    const seen = new Map<string, number>()
    return sitesOf(parseAst(text, { lang: "ts" }) as unknown as Node, text).map((site): Mutant => {
      const called = `${site.kind}: ${name}: ${site.what.length > MOST_CHARS ? `${site.what.slice(0, MOST_CHARS)}…` : site.what}`
      const before = seen.get(called) ?? 0
      seen.set(called, before + 1)
      return { ...site, file, name: before === 0 ? called : `${called} (${before + 1})` }
    })
  })
}

const MOST_CHARS = 90

/** All of them planted: the n-th asks `globalThis.planted(n)`. */
export function plantedAll(root: string, all: readonly Mutant[]): Planted[] {
  const byFile = Map.groupBy(all.entries(), ([, { file }]) => file)
  return [...byFile].map(([file, of]) => {
    const from = readFileSync(path.join(root, file), "utf8")
    return { file, from, to: rewritten(from, of) }
  })
}

type Numbered = readonly [number, Mutant]

/** Outer sites hold inner ones; of two that overlap otherwise the later is left as it is. */
function rewritten(text: string, sites: readonly Numbered[]): string {
  const sorted = sites.toSorted(([, a], [, b]) => a.start - b.start || b.end - a.end)
  const range = (from: number, until: number, inside: readonly Numbered[]): string => {
    let [out, at] = ["", from]
    for (let i = 0; i < inside.length;) {
      const [number, site] = inside[i] as Numbered
      let next = i + 1
      while (next < inside.length && (inside[next] as Numbered)[1].start < site.end) next++
      const held = inside.slice(i + 1, next).filter(([, { end }]) => end <= site.end)
      out += text.slice(at, site.start) + site.put(range(site.start, site.end, held), `globalThis.planted(${number})`)
      at = site.end
      i = next
    }
    return out + text.slice(at, until)
  }
  return range(0, text.length, sorted)
}
