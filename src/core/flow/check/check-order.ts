// Checks `blockedBy`: which steps it may name [F11, F12], and that it forms no cycle.

import type { Placed, CheckScope } from "./check-scope.ts"
import type { SourcePlace } from "../parse/place.ts"
import { shown } from "../parse/report.ts"

export function checkBlockedBy(scope: CheckScope): void {
  const { flow, ids, order, report } = scope
  for (const placed of scope.steps) {
    for (const id of placed.step.blockedBy) {
      const target = order.get(id)
      const at = itemPlace(placed, id)
      if (target === undefined)
        report.error("FV-BLOCK-UNKNOWN", at, `${placed.where} waits for ${shown(id)}, which does not exist`, report.hint(id, ids))
      else if (target > placed.index)
        report.error(
          "FV-BLOCK-ORDER",
          at,
          `${placed.where} waits for "${id}", which comes later in the file`,
          `move "${id}" before it, or remove it from blockedBy`,
        )
      else if (target < placed.index && flow.steps[target]?.type !== "agent" && scope.steps.some((s) => s.index === target))
        report.warn(
          "FV-BLOCK-ORDER",
          at,
          `${placed.where} waits for "${id}", which is not an agent step: later steps wait for it anyway`,
          `remove "${id}" from blockedBy`,
        )
    }
  }
}

/** The place of the item, if blockedBy is a list. */
function itemPlace({ node, valueAt }: Placed, id: string): SourcePlace {
  const list = node("blockedBy")
  const item =
    list?.kind === "list" ? list.items.find((i) => i.kind === "scalar" && i.text.split(",").some((t) => t.trim() === id)) : undefined
  return item?.at ?? valueAt("blockedBy")
}

/** Reports each cycle once, at its first step in the file. */
export function checkCycles({ steps, report }: CheckScope): void {
  const blockers = new Map(steps.map((s) => [s.step.id, s] as const))
  const done = new Set<string>()
  for (const start of steps) {
    const path: string[] = []
    const onPath = new Set<string>()
    // Depth first with a list instead of recursion, because the chain may be as long as the file.
    const todo: { id: string; leave: boolean }[] = [{ id: start.step.id, leave: false }]
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (next.leave) {
        path.pop()
        onPath.delete(next.id)
        done.add(next.id)
        continue
      }
      if (onPath.has(next.id)) {
        const cycle = [...path.slice(path.indexOf(next.id)), next.id]
        const first = cycle.flatMap((id) => blockers.get(id) ?? []).sort((a, b) => a.index - b.index)[0]
        if (first)
          report.error(
            "FV-CYCLE",
            first.keyAt("blockedBy"),
            `these steps wait for each other, so none can start: ${cycle.toReversed().join(" → ")}`,
            "remove one of the blockedBy",
          )
        continue
      }
      if (done.has(next.id)) continue
      path.push(next.id)
      onPath.add(next.id)
      todo.push({ id: next.id, leave: true })
      for (const id of blockers.get(next.id)?.step.blockedBy ?? []) todo.push({ id, leave: false })
    }
  }
}
