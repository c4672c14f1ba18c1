// Flows of many decisions: what a choice excludes, and how often the steps are looked at [N4, F15].

import { expect, test } from "vitest"
import { graphView } from "../../../../src/core/flow/check/graph-view.ts"
import { routesOf, excludes, type Flow } from "../../../../src/core/flow/flow.ts"
import { exclusionsOf } from "../../../../src/core/flow/graph.ts"
import { parseFlow } from "../../../../src/core/language/parse-flow.ts"

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

const SHAPES: Readonly<Record<string, (n: number) => string>> = {
  "three branches each": (n) =>
    range(n)
      .map(
        (i) =>
          `  - { id: f${i}, type: fork, question: "Q", options: [A, B, C], branches: { A: a${i}, B: b${i}, C: c${i} } }\n${["a", "b", "c"].map((x) => `  - { id: ${x}${i}, type: wait, for: 1 }\n`).join("")}`,
      )
      .join(""),
  "branches far ahead": (n) =>
    range(n)
      .map((i) => `  - { id: f${i}, type: fork, question: "Q", options: [A, B], branches: { A: a${i}, B: a${n - 1 - i} } }\n`)
      .join("") +
    range(n)
      .map((i) => `  - { id: a${i}, type: wait, for: 1 }\n`)
      .join(""),
  "a braid": (n) =>
    range(n)
      .map((i) => `  - { id: f${i}, type: fork, question: "Q", options: [A, B], branches: { A: f${i + 1}, B: f${Math.min(i + 3, n)} } }\n`)
      .join("") + `  - { id: f${n}, type: wait, for: 1 }\n`,
}
const parsed = (shape: string, n: number) => parseFlow(`name: f\ndescription: x\nsteps:\n${SHAPES[shape]?.(n) ?? ""}`, "f")

/** The flow, and how often one of its steps was read. */
function counted(flow: Flow): { readonly flow: Flow; reads(): number } {
  let reads = 0
  const steps = new Proxy(flow.steps, {
    get(list, name, self) {
      if (typeof name === "string" && /^\d+$/.test(name)) reads++
      return Reflect.get(list, name, self) as unknown
    },
  })
  return { flow: { ...flow, steps }, reads: () => reads }
}

/** As the rule says it: swept again until nothing is added. */
function swept(flow: Flow): unknown {
  const at = new Map(flow.steps.map((s, i) => [s.id, i]))
  const edges = flow.steps.flatMap((s) => [...s.blockedBy.map((b) => [b, s.id]), ...routesOf(s).map((r) => [s.id, r.target])])
  const reach = (from: string, stop: string, seen = new Set<string>()): Set<string> => {
    for (const [a, b = ""] of edges) if (a === from && b !== stop && !seen.has(b)) reach(b, stop, seen.add(b))
    return seen
  }
  return Object.fromEntries(
    flow.steps.filter(excludes).map((decider) => {
      const later = flow.steps.slice((at.get(decider.id) ?? 0) + 1).map((s) => s.id)
      const labels = routesOf(decider).flatMap(({ label, target }) => {
        const reached = reach(target, decider.id)
        const others = routesOf(decider).map((r) => r.target)
        const out = new Set(others.filter((id) => id !== target && later.includes(id) && !reached.has(id) && later.includes(target)))
        for (let size = -1; size !== out.size;) {
          size = out.size
          for (const id of later) {
            const from = edges.filter(([, b]) => b === id).map(([a = ""]) => a)
            if (id !== target && size > 0 && from.length > 0 && from.every((f) => out.has(f))) out.add(id)
          }
        }
        return label === undefined ? [] : [[label, flow.steps.map((s) => s.id).filter((id) => out.has(id))]]
      })
      return [decider.id, Object.fromEntries(labels)]
    }),
  )
}

test.each(Object.keys(SHAPES))("[F15] %s: the excluded steps are those that the rule names", (shape) => {
  const { flow } = parsed(shape, 12)
  expect(flow && exclusionsOf(flow)).toEqual(flow && swept(flow))
})

test.each(Object.keys(SHAPES))("[N4] %s: a graph of twice as many steps looks at about twice as many", (shape) => {
  const reads = [50, 100].map((n) => {
    const { flow } = parsed(shape, n)
    if (!flow) throw new Error("no flow")
    const it = counted(flow)
    graphView(it.flow)
    return it.reads()
  })
  expect((reads[1] ?? 0) / (reads[0] ?? 1)).toBeLessThan(2.5)
})
