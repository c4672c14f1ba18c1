// Makes the sum of one run that has ended, for its tenant's sums of hours and days. Nothing in it is a child's or a fork's source's, except what a
// revision's runs cost.

import { defined } from "../../defined.ts"
import type { Interaction, Run, StepState } from "../state.ts"
import { unpaused } from "../steps/asked-time.ts"
import { isApproval, isOwn, waitOf } from "./asked.ts"
import type { Figures, Tallied } from "./figures.ts"
import { withDuration, type Histogram } from "./histogram.ts"
import {
  sumOfAll,
  type Asks,
  type Ends,
  type ModelPart,
  type ByName,
  type PersonPart,
  type StepPart,
  type Sum,
  type ToolPart,
  type UsePart,
} from "./sum.ts"
import { OTHER } from "./tally.ts"
import type { RunUsage } from "./run-usage.ts"

const MAX_NAME = 100 // limit: characters of the name of a person, an API key or a tag in a sum of runs → the rest is left out

export interface RunSum {
  readonly flow: string
  readonly rehearsed: boolean
  /** Milliseconds. */
  readonly began: number
  readonly ended: number
  readonly sum: Sum
}

/** `usage`: that of this run, which has ended; undefined: it has not, or a test started it. */
export function runSumOf(run: Run, usage: RunUsage | undefined): RunSum | undefined {
  const all = usage?.lines.find(({ kind }) => kind === "flow")
  if (!all || run.ended === undefined) return undefined
  return { flow: run.flow, rehearsed: run.rehearsed, began: run.started, ended: run.ended, sum: sumOfRun(run, run.ended, all) }
}

function sumOfRun(run: Run, ended: number, all: Readonly<Figures>): Sum {
  const { unpriced, input, cached, output, model_calls, tool_calls, tool_errors, lost } = all
  const ms = withDuration(undefined, unpaused(run, ended) - run.started - (run.askedFor ?? 0))
  const ends: Ends = { [run.status]: 1 }
  const asked = Object.values(run.interactions)
    .filter((i) => isOwn(run, i))
    .map((i): Asked => ({ ...i, wait: waitOf(run, i) }))
  const models: Record<string, ModelPart> = {}
  const tools: Record<string, ToolPart> = {}
  for (const [key, figures] of Object.entries(run.tally ?? {})) {
    const [kind, name] = [key.slice(0, key.indexOf(" ")), key.slice(key.indexOf(" ") + 1)]
    if (kind === "model") models[name] = modelOf(figures)
    if (kind === "tool") tools[name] = toolOf(figures)
  }
  for (const [tool, asks] of askedByTool(asked)) tools[tool] = { ...tools[tool], ...defined({ asks }) }
  const figures = {
    ...counts({ unpriced, input, cached, output, model_calls, tool_calls, tool_errors }),
    ...counts({ lost_calls: lost?.calls, lost_tokens: lost?.tokens }),
    ...defined({ usd: all.usd ?? undefined }),
  }
  // [V15] A judge counts as no run: what it used counts, like a tried turn's.
  if (run.trigger.kind === "score") return sumOfAll([{ ...figures, by: filled({ model: models, tool: tools }) }])
  const revision = { [run.pins?.revision ?? OTHER]: { ...ends, ms, ...defined({ usd: run.usage.usd ?? undefined }) } }
  const by = filled({ revision, step: stepsOf(run), model: models, tool: tools, person: personsOf(asked), ...usesOf(run, ends) })
  return sumOfAll([
    {
      ...(run.parent === undefined ? { runs: ends } : { children: ends }),
      ...figures,
      ms,
      ...(run.askedFor === undefined ? {} : { waited: withDuration(undefined, run.askedFor) }),
      ...defined({ questions: asksOf(asked.filter((i) => !isApproval(i))), approvals: asksOf(asked.filter(isApproval)) }),
      by,
    },
  ])
}

/** What the tenant's row has of it: steps and revisions are a flow's. A child is no run of the list. */
export function withoutFlow({ by, ms, waited, ...sum }: Sum): Sum {
  const { step: _steps, revision: _revisions, ...names } = by ?? {}
  return { ...sum, ...(sum.children === undefined ? defined({ ms, waited }) : {}), by: names }
}

const modelOf = ({ model_calls, failed, limited, input, cached, output, usd, ms }: Tallied): ModelPart => ({
  ...counts({ calls: model_calls, failed, limited, input, cached, output }),
  ...defined({ usd: usd ?? undefined, ms }),
})

const toolOf = ({ tool_calls, tool_errors, refused, ms }: Tallied): ToolPart => ({
  ...counts({ calls: tool_calls, errors: tool_errors }),
  ...defined({ refused, ms }),
})

/** In file order, so that a bounded sum has the first of them. */
function stepsOf(run: Run): Record<string, StepPart> {
  const parts: [string, StepPart][] = []
  for (const id of run.plan.stepIds) {
    const s = Object.hasOwn(run.steps, id) ? run.steps[id] : undefined
    if (!s || isKept(run, s)) continue
    const isReached = s.opened !== undefined || s.pass > 1
    const is = {
      reached: isReached,
      skipped: s.status === "skipped",
      failed: s.status === "error" || s.status === "blocked",
      left: isReached && s.status === "canceled",
    }
    const part = { ...counts(is), ...defined({ usd: s.usd, ms: s.took }) }
    if (Object.keys(part).length > 0) parts.push([id, part])
  }
  return Object.fromEntries(parts)
}

/** [K11] It ended in the source of the fork. */
const isKept = ({ fork, started }: Run, { ended }: StepState): boolean => fork !== undefined && ended !== undefined && ended <= started

type Asked = Interaction & { readonly wait: number }

const DECIDED: Readonly<Record<string, "approved" | "edited" | "rejected">> = { approve: "approved", edit: "edited", reject: "rejected" }

function asksOf(asked: readonly Asked[]): Asks | undefined {
  const asks: Asks = {}
  for (const { status, answer, decided, wait } of asked) {
    asks.n = (asks.n ?? 0) + 1
    const decision = typeof answer?.["decision"] === "string" ? DECIDED[answer["decision"]] : undefined
    const end = status === "answered" ? (decision ?? "answered") : status === "expired" ? "expired" : undefined
    if (end !== undefined) asks[end] = (asks[end] ?? 0) + 1
    if (status === "answered" && decided !== undefined) asks.ms = withDuration(asks.ms, wait)
  }
  return asks.n === undefined ? undefined : asks
}

function askedByTool(asked: readonly Asked[]): [string, Asks | undefined][] {
  const tools = new Map<string, Asked[]>()
  for (const i of asked) {
    const { tool } = i.payload
    if (i.kind === "approval.tool" && typeof tool === "string") tools.set(tool, [...(tools.get(tool) ?? []), i])
  }
  return [...tools].map(([tool, all]) => [tool, asksOf(all)])
}

function personsOf(asked: readonly Asked[]): Record<string, PersonPart> {
  const persons = new Map<string, Histogram>()
  for (const { status, by, decided, wait } of asked) {
    if (status !== "answered" || by === undefined || decided === undefined) continue
    const name = by.slice(0, MAX_NAME)
    persons.set(name, withDuration(persons.get(name), wait))
  }
  return Object.fromEntries([...persons].map(([name, ms]) => [name, { answered: ms.n, ms }]))
}

/** A child's use is its parent's. */
function usesOf({ parent, trigger, tags, usage }: Run, ends: Ends): Required<Pick<ByName, "key" | "tag">> {
  if (parent !== undefined) return { key: {}, tag: {} }
  const part: UsePart = { ...ends, ...counts({ input: usage.input, output: usage.output }), ...defined({ usd: usage.usd ?? undefined }) }
  const named = (names: readonly string[]): Record<string, UsePart> =>
    Object.fromEntries(names.map((name) => [name.slice(0, MAX_NAME), part]))
  return { key: named(trigger.key === undefined ? [] : [trigger.key]), tag: named(tags) }
}

/** Without those that are 0. */
function counts<Name extends string>(all: Readonly<Record<Name, number | boolean | undefined>>): { [N in Name]?: number } {
  const some = Object.entries<number | boolean | undefined>(all).flatMap(([name, n]) => (n ? [[name, Number(n)] as const] : []))
  return Object.fromEntries(some) as { [N in Name]?: number }
}

/** Without the kinds that have no name. */
const filled = (names: ByName): ByName =>
  Object.fromEntries(Object.entries(names).filter(([, all]) => Object.keys(all).length > 0)) as ByName
