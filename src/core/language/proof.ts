// Proves facts about a flow before it runs: what is reachable, whether it ends, what may be empty, and its least and greatest cost.
// A flow of 600 steps takes less than 100 ms.
//
// A model call is a turn that a model answers. A retry after a provider's fault [F33] or after a crash is the same call. `most` is
// never too low. `least` assumes a run in which nothing fails or repeats.

import { defined } from "../defined.ts"
import type { Agent } from "../flow/agent.ts"
import { cheapestAndDearest, type Price } from "../flow/check/course.ts"
import { MAX_NESTING } from "../flow/flow-face.ts"
import { pathsOf, type Paths } from "../flow/check/flow-paths.ts"
import {
  agentNameOf,
  childFlowOf,
  routesOf,
  runsAgent,
  runsChildren,
  untilOf,
  type AgentRun,
  type Flow,
  type MapStep,
  type Step,
} from "../flow/flow.ts"
import { graphOf, type Graph } from "../flow/graph.ts"
import type { JudgeSpec } from "../flow/scorer.ts"
import { JUDGE_PREFIX } from "../flow/judge-flow.ts"
import { JUDGE_TURNS, judgeMost, MAX_EVIDENCE } from "../run/budget/judge-most.ts"
import { passesOf, triesOf, type Passes, type WayBack } from "../flow/check/passes.ts"
import { forms, literalLength, references, type TemplateReference } from "../flow/template.ts"
import { templatesOf } from "../steps/kinds.ts"
import { MAX_ITEMS } from "../steps/map.ts"

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
}

export interface ProofWorld {
  readonly agents: ReadonlyMap<string, Agent>
  /** The child flows by id; a missing flow counts as no calls. */
  readonly flows?: ReadonlyMap<string, Flow>
  /** [V27] The judges of steps with `until`, by scorer. */
  readonly judges?: ReadonlyMap<string, Pick<JudgeSpec, "rubric">>
  /** The pinned models: agent → `provider/model`, `agent@step` for a step with its own model, `agent@FLOW/STEP` in a child, `@judge/SCORER`. */
  readonly models?: Readonly<Record<string, string>>
  /** By `provider/model`. */
  readonly prices?: Readonly<Record<string, ModelPrice>>
  /** The run's setting; by default the flow's. */
  readonly autonomous?: boolean
  /** The most tokens that a call can read: the model's context window. */
  readonly maxInput?: number
  /** The most tokens that a call can write, for agents without `max_output_tokens`. */
  readonly maxOutput?: number
}

export interface Cycle {
  /** From the target of the route, to the step that goes back, and to the target again. */
  readonly steps: readonly string[]
  /** The key or the label that leads back. */
  readonly by: string
  /** How often the route is taken each time the run reaches the decision; `person`: a person decides; `null`: no limit. */
  readonly cap: number | "person" | null
}

export interface Empty {
  /** `step "x", task`, or `output "y"`. */
  readonly where: string
  /** The text between the braces. */
  readonly reference: string
  /** The routes of a path on which the reference has no value. */
  readonly path: readonly string[]
}

export interface StepProof {
  readonly step: string
  readonly runs: number | "unbounded"
  readonly calls: number | "unbounded"
}

export interface FlowProof {
  readonly unreachable: readonly string[]
  /** Every route that leads back has a cap or a person who decides. */
  readonly terminates: boolean
  readonly cycles: readonly Cycle[]
  readonly empties: readonly Empty[]
  readonly calls: { readonly least: number; readonly most: number | "unbounded" }
  /** US dollars; null if a model is unknown or has no price. */
  readonly cost: { readonly least: number | null; readonly most: number | "unbounded" | null }
  /** The most runs and calls of each step, in file order. */
  readonly steps: readonly StepProof[]
}

const MAX_INPUT = 200_000 // limit: input tokens that the proof reckons for a call without a known window → the proof is wider
const MAX_OUTPUT = 4096 // limit: output tokens that the proof reckons for a call → the proof is wider
const MAX_TURNS = 40 // limit: turns that the proof reckons for a session → the proof is wider
// A token rarely covers more than 8 characters of a prompt; the shortest finish has more than 10 tokens.
const CHARS_PER_TOKEN = 8
const LEAST_OUTPUT = 10

export function proveFlow(flow: Flow, world: ProofWorld): FlowProof {
  const autonomous = world.autonomous ?? flow.autonomous
  const bill = new Bill(world)
  const { graph, passes } = bill.shapeOf(flow, autonomous)
  const paths = pathsOf(flow, graph)
  const cycles = passes.waysBack.filter((way) => way.cap > 0).map((way) => cycleOf(flow, graph, way))
  const { calls, cost } = bill.ofFlow(flow, autonomous, 0)
  return {
    unreachable: flow.steps.flatMap((s, i) => (paths.reached.has(i) ? [] : [s.id])),
    terminates: cycles.every((c) => c.cap !== null),
    cycles,
    empties: emptiesOf(flow, graph, paths, world.agents),
    calls: { least: calls.least, most: bounded(calls.most) },
    cost: cost === undefined ? { least: null, most: null } : { least: cost.least, most: bounded(cost.most) },
    steps: flow.steps.map((step, i) => ({
      step: step.id,
      runs: bounded(passes.runs(i)),
      calls: bounded(bill.ofStep(flow, step, i, passes, autonomous, 0).calls.most),
    })),
  }
}

const bounded = (n: number): number | "unbounded" => (Number.isFinite(n) ? n : "unbounded")
/** Multiplies, where zero times infinity is zero. */
const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b)

interface Sum {
  readonly calls: Price
  /** Absent: a model without a price. */
  readonly cost?: Price
}
const NOTHING: Sum = { calls: { least: 0, most: 0 }, cost: { least: 0, most: 0 } }

const plus = (a: Sum, b: Sum): Sum => ({
  calls: added(a.calls, b.calls),
  ...defined({ cost: a.cost && b.cost && added(a.cost, b.cost) }),
})
const added = (a: Price, b: Price): Price => ({ least: a.least + b.least, most: a.most + b.most })

/** Adds up steps and their children. Sums of child flows are cached by depth. */
class Bill {
  readonly #world: ProofWorld
  readonly #sums = new Map<string, Sum>()
  readonly #shapes = new Map<Flow, ReadonlyMap<boolean, { readonly graph: Graph; readonly passes: Passes }>>()

  constructor(world: ProofWorld) {
    this.#world = world
  }

  shapeOf(flow: Flow, autonomous: boolean): { readonly graph: Graph; readonly passes: Passes } {
    const cached = this.#shapes.get(flow)?.get(autonomous)
    if (cached !== undefined) return cached
    const graph = graphOf(flow)
    const shape = { graph, passes: passesOf(flow, graph, autonomous) }
    this.#shapes.set(flow, new Map([...(this.#shapes.get(flow) ?? []), [autonomous, shape]]))
    return shape
  }

  /** `depth`: how many parent runs are above this run. */
  ofFlow(flow: Flow, autonomous: boolean, depth: number): Sum {
    const key = `${depth} ${autonomous} ${flow.id}`
    const cached = this.#sums.get(key)
    if (cached !== undefined) return cached
    const { graph, passes } = this.shapeOf(flow, autonomous)
    const steps = flow.steps.map((step, i) => this.ofStep(flow, step, i, passes, autonomous, depth))
    const repeats = (i: number): boolean => passes.runs(i) > 1
    const course = (of: (sum: Sum | undefined) => Price): Price =>
      cheapestAndDearest(flow, graph, (i) => of(steps[i]), repeats, passes.goesBack)
    const sum: Sum = {
      calls: course((s) => s?.calls ?? NOTHING.calls),
      ...(steps.every((s) => s.cost !== undefined) ? { cost: course((s) => s?.cost ?? NOTHING.calls) } : {}),
    }
    this.#sums.set(key, sum)
    return sum
  }

  /** `most` covers all runs of the step, `least` only one. */
  ofStep(flow: Flow, step: Step, index: number, passes: Passes, autonomous: boolean, depth: number): Sum {
    const own = this.#work(flow, step, index, passes, autonomous, depth)
    return plus(own, this.#judge(step, passes.runs(index)))
  }

  #work(flow: Flow, step: Step, index: number, passes: Passes, autonomous: boolean, depth: number): Sum {
    const tries = triesOf(step)
    if (runsAgent(step)) return this.#session(flow, step, times(passes.sessions(index), tries), autonomous, depth)
    if (!runsChildren(step)) return NOTHING
    const child = this.#world.flows?.get(childFlowOf(step))
    if (child === undefined || depth >= MAX_NESTING) return NOTHING
    const one = this.ofFlow(child, autonomous && child.autonomous, depth + 1)
    const items = step.type === "map" ? itemsOf(flow, step) : { least: 1, most: 1 }
    const all = times(times(passes.runs(index), tries), items.most)
    const many = ({ least, most }: Price): Price => ({ least: least * items.least, most: times(most, all) })
    return { calls: many(one.calls), ...defined({ cost: one.cost && many(one.cost) }) }
  }

  /** [V27] Each pass that ends complete is judged, in at most three turns. */
  #judge(step: Step, runs: number): Sum {
    const { scorer = "" } = untilOf(step) ?? {}
    const { judges, models = {}, prices = {} } = this.#world
    const judge = judges?.get(scorer)
    if (judge === undefined) return NOTHING
    const calls = { least: 1, most: times(runs, JUDGE_TURNS) }
    const model = models[`${JUDGE_PREFIX}${scorer}`]
    const price = model === undefined || !Object.hasOwn(prices, model) ? undefined : prices[model]
    if (price === undefined) return { calls }
    const least = Math.floor(judge.rubric.length / CHARS_PER_TOKEN) * price.input + LEAST_OUTPUT * price.output
    const { input, output } = judgeMost(MAX_EVIDENCE, judge.rubric)
    const most = times(runs, input * price.input + output * price.output)
    return { calls, cost: { least: least / 1_000_000, most: most / 1_000_000 } }
  }

  #session(flow: Flow, step: AgentRun, sessions: number, autonomous: boolean, depth: number): Sum {
    // A person who decides alone needs no model; with an agent, the person may still decide without it.
    const asked = step.type !== "fork" || autonomous ? 1 : 0
    if (step.type === "fork" && !autonomous && step.agent === undefined) return NOTHING
    const name = agentNameOf(step) ?? ""
    const agent = this.#world.agents.get(name)
    const calls = { least: asked, most: times(sessions, agent?.max_turns ?? MAX_TURNS) }
    const { models = {}, prices = {} } = this.#world
    const model = (depth === 0 ? models[`${name}@${step.id}`] : models[`${name}@${flow.id}/${step.id}`]) ?? models[name]
    const price = model === undefined || !Object.hasOwn(prices, model) ? undefined : prices[model]
    if (price === undefined) return { calls }
    const chars = (agent?.body.length ?? 0) + literalLength(step.task ?? "")
    const cheapest = (Math.floor(chars / CHARS_PER_TOKEN) * price.input + LEAST_OUTPUT * price.output) / 1_000_000
    const dearest =
      ((this.#world.maxInput ?? MAX_INPUT) * price.input +
        (agent?.max_output_tokens ?? this.#world.maxOutput ?? MAX_OUTPUT) * price.output) /
      1_000_000
    return { calls, cost: { least: calls.least * cheapest, most: times(calls.most, dearest) } }
  }
}

/** How many children a map makes. Only a list in the flow's config gives an exact number. */
function itemsOf(flow: Flow, step: MapStep): Price {
  const [only] = references(step.over)
  const list = only?.ref?.root === "config" && Object.hasOwn(flow.config, only.ref.key) ? flow.config[only.ref.key] : undefined
  return Array.isArray(list)
    ? { least: Math.min(list.length, MAX_ITEMS), most: Math.min(list.length, MAX_ITEMS) }
    : { least: 0, most: MAX_ITEMS }
}

function cycleOf(flow: Flow, graph: Graph, { decider, route, target, cap, unbounded }: WayBack): Cycle {
  const id = (i: number): string => flow.steps[i]?.id ?? ""
  const way = wayTo(flow, graph, target, decider)
  return {
    steps: [...(way ?? (target === decider ? [id(target)] : [id(target), id(decider)])), id(target)],
    by: route.label ?? route.kind,
    cap: unbounded === "person" ? "person" : unbounded === "nothing" ? null : cap,
  }
}

/** The shortest path between two steps by routes and fall-throughs, breadth first. */
function wayTo(flow: Flow, graph: Graph, from: number, to: number): string[] | undefined {
  const before = new Map<number, number>()
  const todo = [from]
  const seen = new Set(todo)
  for (let at = todo.shift(); at !== undefined; at = todo.shift()) {
    if (at === to) {
      const way = [at]
      for (let i = before.get(at); i !== undefined; i = before.get(i)) way.push(i)
      return way.toReversed().map((i) => flow.steps[i]?.id ?? "")
    }
    const step = flow.steps[at]
    const routed = step === undefined ? [] : routesOf(step).flatMap((r) => graph.order.get(r.target) ?? [])
    for (const next of [...routed, ...(graph.segments[(graph.segmentOf[at] ?? 0) + 1] ?? [])]) {
      if (seen.has(next) || next > to) continue
      seen.add(next)
      before.set(next, at)
      todo.push(next)
    }
  }
  return undefined
}

/** References that may be empty, because a path to them does not run the step that they read. */
function emptiesOf(flow: Flow, graph: Graph, paths: Paths, agents: ReadonlyMap<string, Agent>): Empty[] {
  const ids = flow.steps.map((s) => s.id)
  const found: Empty[] = []
  const bodies = new Map<string, Read>()
  const look = (index: number | undefined, where: string, read: Read): void => {
    for (const [expr, refs] of read) {
      const others = refs.map((ref) => (ref.root === "result" || ref.root === "fork" ? graph.order.get(ref.step) : undefined))
      // Reading a later step in a later pass, and parallel steps, are left to the check.
      const earlier = others.filter((other) => other !== undefined && other !== index && !(index !== undefined && other > index))
      if (earlier.length < others.length) continue
      const path = paths.wayWithout(index, ...earlier.flatMap((other) => other ?? []))
      if (path !== undefined) found.push({ where, reference: expr, path })
    }
  }
  flow.steps.forEach((step, i) => {
    const where = (key: string): string => `step "${step.id}", ${key}`
    for (const { key, text, input } of templatesOf(step))
      look(i, where(input === undefined ? key : `${step.type === "tool" ? "argument" : "input"} "${input}"`), readIn(text, ids))
    const agent = agents.get(agentNameOf(step) ?? "")
    if (agent === undefined) return
    const body = bodies.get(agent.name) ?? readIn(agent.body, ids)
    bodies.set(agent.name, body)
    look(i, where(`the body of its agent "${agent.name}"`), body)
  })
  for (const [name, text] of Object.entries(flow.outputs ?? {})) look(undefined, `output "${name}"`, readIn(text, ids))
  return found
}

/** The text between the braces of each valid form → its operands. */
type Read = ReadonlyMap<string, readonly TemplateReference[]>

const readIn = (text: string, ids: readonly string[]): Read =>
  new Map(
    forms(text, ids).flatMap(({ expr, operands }) => {
      const refs = operands.flatMap(({ ref }) => ref ?? [])
      return expr === undefined || refs.length < operands.length ? [] : [[expr, refs] as const]
    }),
  )
