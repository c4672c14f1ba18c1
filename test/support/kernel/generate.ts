// Random valid flows: forward routes anywhere, backward routes with a cap, joins and chains, retries, forks. What the check
// refuses is never generated: no cycle, no backward on_error or on_complete, no way back without a cap.

import fc from "fast-check"
import type { Flow, Step } from "../../../src/core/flow/flow.ts"
import type { Agent } from "../../../src/core/flow/agent.ts"
import { agent, agentOf, conditional, decision, flowOf, fork, loop } from "./builders.ts"

/** `strict` must output a number, `closer` ends with the other finalizer; the others have no outputs. None may use `ghost`. */
export const CAST: readonly Agent[] = [
  agentOf("worker", { max_turns: 8 }),
  agentOf("reader", {
    tools: { kind: "list", names: ["look"] },
    max_turns: 6,
    outputs: [{ name: "note", type: "string", required: false }],
  }),
  agentOf("strict", { max_turns: 8, outputs: [{ name: "score", type: "number", required: true }] }),
  agentOf("closer", { max_turns: 8, finalizer: "subagent_finalize" }),
]

interface Draw {
  readonly kind: "agent" | "decision" | "loop" | "conditional" | "fork"
  readonly who: "worker" | "reader" | "strict" | "closer"
  readonly deps: readonly boolean[]
  readonly a: number
  readonly b: number
  readonly c: number
  readonly cap: number
  readonly odd: number
}

const draw: fc.Arbitrary<Draw> = fc.record({
  kind: fc.constantFrom("agent", "agent", "agent", "agent", "decision", "loop", "conditional", "fork"),
  who: fc.constantFrom("worker", "worker", "reader", "strict", "closer"),
  deps: fc.array(fc.boolean(), { maxLength: 4 }),
  a: fc.nat(99),
  b: fc.nat(99),
  c: fc.nat(99),
  cap: fc.integer({ min: 1, max: 2 }),
  odd: fc.nat(99),
})

/** Each way back multiplies the runs of earlier steps: three are enough to nest, and still end soon. */
const MOST_WAYS_BACK = 3

export const flows = (maxSteps = 8): fc.Arbitrary<Flow> =>
  fc
    .record({
      draws: fc.array(draw, { minLength: 2, maxLength: maxSteps, size: "max" }),
      max_concurrent: fc.integer({ min: 1, max: 4 }),
      autonomous: fc.boolean(),
    })
    .map(({ draws, ...rest }) => flowOf(stepsOf(draws), rest))

/** The flow as the text of its file, for the check. JSON is valid YAML. */
export function fileOf(flow: Flow): string {
  const steps = flow.steps.map(({ inputs: _inputs, blockedBy, ...step }: Step & { inputs?: unknown }) => ({
    ...step,
    ...(blockedBy.length > 0 ? { blockedBy } : {}),
    ...("branches" in step ? { branches: Object.fromEntries(step.branches.map((b) => [b.label, b.target])) } : {}),
    ...("check" in step ? { check: `${step.check.step}.${step.check.field}` } : {}),
  }))
  const { name, description, max_concurrent, autonomous } = flow
  return JSON.stringify({ name, description, max_concurrent, autonomous, steps })
}

function stepsOf(draws: readonly Draw[]): Step[] {
  let back = 0
  return draws.map((d, i): Step => {
    const later = draws.length - 1 - i
    const id = `s${i}`
    const ahead = (n: number): string => `s${i + 1 + (n % later)}`
    const behind = (n: number): string => `s${n % (i + 1)}`
    const blockedBy = [...new Set(d.deps.flatMap((is, k) => (is && k < i ? [`s${i - 1 - k}`] : [])))]
    const common = {
      blockedBy,
      ...(d.odd % 4 === 0 && later > 0 ? { on_error: ahead(d.c) } : {}),
      ...(d.odd % 10 === 1 ? { retry: { max: d.cap, backoff: 1_000 } } : {}),
    }
    if (d.kind === "loop" && later > 0 && back < MOST_WAYS_BACK) {
      back += 1
      return loop(id, behind(d.a), ahead(d.b), d.cap, { agent: d.who, ...common })
    }
    if (d.kind === "conditional" && later > 0 && i > 0)
      return conditional(id, `s${d.c % i}`, ahead(d.a), ahead(d.b), ["artifacts", "summary", "status"][d.odd % 3])
    if (d.kind === "decision" || d.kind === "fork") {
      const goesBack = d.odd % 3 === 0 && back < MOST_WAYS_BACK
      const branches = {
        ...(later > 0 ? { one: ahead(d.a), two: ahead(d.b) } : {}),
        ...(goesBack ? { again: behind(d.c), start: "s0" } : {}),
      }
      if (Object.keys(branches).length > 1) {
        if (goesBack) back += 1
        const cap = goesBack ? { max_iterations: d.cap } : {}
        if (d.kind === "fork") return fork(id, branches, { ...common, ...cap, ...(d.odd % 2 === 0 ? { agent: "worker" } : {}) })
        return decision(id, branches, {
          agent: d.who,
          ...common,
          ...cap,
          ...(goesBack && later > 0 && d.odd % 2 === 0 ? { on_exhausted: "two" } : {}),
        })
      }
    }
    const sticky = d.odd % 7 === 3 ? { session: d.odd % 2 === 0 ? "shared" : "s-${{run.id}}" } : {}
    return agent(id, { agent: d.who, ...common, ...sticky, ...(d.odd % 4 === 2 && later > 0 ? { on_complete: ahead(d.a) } : {}) })
  })
}
