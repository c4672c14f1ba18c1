// Finds rooms that import each other, and import cycles of files. Types and `import()` count as imports.

import type { Import } from "./tree.ts"

/** A room is a folder two levels below src, such as `src/core/run`. A file above that belongs to its own folder. */
export function roomOf(file: string): string {
  const folders = file.split("/").slice(0, -1)
  return folders.slice(0, 3).join("/")
}

export interface Pair {
  readonly rooms: readonly [string, string]
  /** From the first room to the second, and back. */
  readonly there: readonly Import[]
  readonly back: readonly Import[]
}

/** The rooms of src that import each other; the direction with more imports comes first. */
export function pairsOf(imports: readonly Import[]): Pair[] {
  const between = new Map<string, Import[]>()
  for (const one of imports) {
    const [from, to] = [roomOf(one.from), roomOf(one.to)]
    if (from === to || !from.startsWith("src") || !to.startsWith("src")) continue
    const arrow = `${from} ${to}`
    const before = between.get(arrow) ?? []
    if (!before.some((other) => other.from === one.from && other.to === one.to)) between.set(arrow, [...before, one])
  }
  return [...between].flatMap(([arrow, there]): Pair[] => {
    const [from = "", to = ""] = arrow.split(" ")
    const back = between.get(`${to} ${from}`) ?? []
    const first = there.length > back.length || (there.length === back.length && from < to)
    return back.length > 0 && first ? [{ rooms: [from, to], there, back }] : []
  })
}

/** Groups of files that import each other in a cycle (Tarjan's strongly connected components). */
export function circlesOf(imports: readonly Import[]): string[][] {
  const next = new Map<string, string[]>()
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to])
  const index = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (file: string): number => {
    const at = index.size
    index.set(file, at)
    open.push(file)
    let lowest = at
    for (const to of next.get(file) ?? []) {
      if (!index.has(to)) lowest = Math.min(lowest, visit(to))
      else if (open.includes(to)) lowest = Math.min(lowest, index.get(to) ?? lowest)
    }
    if (lowest === at) {
      const circle = open.splice(open.indexOf(file))
      if (circle.length > 1) circles.push(circle.toSorted())
    }
    return lowest
  }
  for (const file of next.keys()) if (!index.has(file)) visit(file)
  return circles
}
