// Mutate: makes faults of src/cloudflare by a seed: texts that a parser finds, each with what a tired author might have written instead.

import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { parseAst } from "vitest/node"
import { Dice } from "../platform/dice.ts"
import type { PlantedFault } from "./fault.ts"
import { sitesOf, type Node, type Site } from "./sites.ts"

const ROOM = "src/cloudflare"
/** Rooms that no simulation enters: what authors by models, sandboxes, and the wires of a real platform. */
const ELSEWHERE = /^(?:authoring|sandbox|capabilities)\/|\.gen\.ts$|(?:^|\/)tenant\/architect\//

export function mutants(root: string, count: number, seed: number): PlantedFault[] {
  const byKind = Map.groupBy(sitesBelow(root), ({ kind }) => kind)
  const dice = new Dice(seed)
  const made: PlantedFault[] = []
  // As many of each kind as there are, in turn.
  while (made.length < count && [...byKind.values()].some((sites) => sites.length > 0))
    for (const [kind, sites] of byKind) {
      if (made.length >= count || sites.length === 0) continue
      const [{ file, line, from, to } = { file: "", line: 0, from: "", to: "" }] = sites.splice(dice.below(kind, sites.length), 1)
      made.push({
        name: `${String(made.length + 1).padStart(3, "0")} ${kind}: ${file.slice(ROOM.length + 1)}:${line}`,
        patches: [{ file, from, to }],
      })
    }
  return made
}

interface Found {
  readonly kind: string
  readonly file: string
  readonly line: number
  readonly from: string
  readonly to: string
}

function sitesBelow(root: string): Found[] {
  const files = readdirSync(path.join(root, ROOM), { recursive: true, encoding: "utf8" }).filter(
    (it) => it.endsWith(".ts") && !ELSEWHERE.test(it),
  )
  return files.toSorted().flatMap((name) => {
    const file = path.join(ROOM, name)
    const text = readFileSync(path.join(root, file), "utf8")
    const tree = parseAst(text, { lang: "ts" }) as unknown as Node
    return sitesOf(tree, text).map((site) => ({ kind: site.kind, file, line: lineOf(text, site), ...unique(text, site) }))
  })
}

const lineOf = (text: string, { start }: Site): number => text.slice(0, start).split("\n").length

/** With as much of what is around it as makes the text the only one of its file. */
function unique(text: string, { start, end, to }: Site): { from: string; to: string } {
  let [from, until] = [start, end]
  while (text.split(text.slice(from, until)).length !== 2) {
    if (from === 0 && until === text.length) throw new Error("a text that is not in its file")
    from = Math.max(0, text.lastIndexOf("\n", from - 2))
    if (text.split(text.slice(from, until)).length !== 2) until = Math.max(until, text.indexOf("\n", until + 1))
  }
  return { from: text.slice(from, until), to: text.slice(from, start) + to + text.slice(end, until) }
}
