// Builds the scope of a parsed flow, which every check uses.

import type { Step } from "../flow/flow.ts"
import { graphOf } from "../flow/graph.ts"
import type { ParsedDraft, ParsedFlow } from "../flow/parse/parsed-flow.ts"
import type { SourcePlace } from "../flow/parse/place.ts"
import type { Report } from "../flow/parse/report.ts"
import type { YamlNode } from "../flow/parse/yaml-tree.ts"
import { nodeAt, type FlowWorld, type Placed, type CheckScope } from "../flow/check/check-scope.ts"
import { pathsOf, type Paths } from "../flow/check/flow-paths.ts"
import { typeOfReference } from "./value-type.ts"

export function scopeOf(parsed: ParsedFlow, draft: ParsedDraft, world: FlowWorld, report: Report): CheckScope {
  const { flow, holes } = draft
  const graph = graphOf(flow)
  const steps = flow.steps.flatMap((step, index) => (holes.has(index) ? [] : [placed(parsed, step, index)]))
  const ids = flow.steps.map((s) => s.id).filter((id) => id !== "")
  const order = new Map([...graph.order].filter(([id]) => id !== ""))
  const byIndex = new Map(steps.map((s) => [s.index, s.step]))
  let paths: Paths | undefined
  const scope: CheckScope = {
    parsed,
    flow,
    world,
    report,
    steps,
    ids,
    order,
    step: (id) => byIndex.get(order.get(id) ?? -1),
    graph,
    isWhole: holes.size === 0 && order.size === flow.steps.length,
    paths: () => (paths ??= pathsOf(flow, graph)),
    typeOf: (ref) => typeOfReference(scope, ref),
  }
  return scope
}

function placed(parsed: ParsedFlow, step: Step, index: number): Placed {
  const base = ["steps", index]
  const node = (...path: (string | number)[]): YamlNode | undefined => nodeAt(parsed.source.root, [...base, ...path])
  const place = (path: (string | number)[], what: "key" | "value"): SourcePlace => {
    if (node(...path) !== undefined) return parsed.place([...base, ...path], what)
    return node("id") === undefined ? parsed.place(base) : parsed.place([...base, "id"])
  }
  return {
    step,
    index,
    where: step.id === "" ? `step ${index + 1}` : `step "${step.id}"`,
    node,
    keyAt: (...path) => place(path, "key"),
    valueAt: (...path) => place(path, "value"),
  }
}
