// Prepares the cases of a flow's tests with the pins of their runs [K21]: the flow of a view, rehearsed models, and each case's scripted
// turns instead of the rehearsal files.

import { hasErrors } from "../../../core/diagnostic.ts"
import { playsOf, playText, stepsOf, type Plays } from "../../../core/case/play.ts"
import type { TestCase } from "../../../core/case/test-case.ts"
import { childFlowOf, runsChildren, type Flow, type Step } from "../../../core/flow/flow.ts"
import type { Rehearsal } from "../../../core/case/rehearsal.ts"
import { defined } from "../../../core/defined.ts"
import { JUDGE_PREFIX } from "../../../core/flow/judge-flow.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import type { PinResult } from "../../../ports/tenant/catalog.ts"
import type { Pinned, TrialCase, TrialReady } from "../../../ports/tenant/authoring/trials.ts"
import { scorersOf } from "../../../core/case/tested-run.ts"
import { atOnce } from "../../at-once.ts"
import { knownScorer } from "../score/known-scorers.ts"
import type { CatalogView } from "../catalog-view.ts"
import { pin, type PinContext } from "../pin/pin.ts"

export type TestContext = Omit<PinContext, "rehearse" | "autonomous">

/** `only`: the name of one case. */
export async function readyTests(context: TestContext, flow: string, only?: string): Promise<TrialReady> {
  const { view } = context
  const entry = view.entry("flow", flow)
  if (!entry) return { ok: false, code: "not_pinned", why: { ok: false, code: "not_found" } }
  const tests = await view.tests(entry)
  if (!tests) return { ok: false, code: "no_tests" }
  if (!tests.value || hasErrors(tests.diagnostics))
    return { ok: false, code: "faults", diagnostics: { [tests.entry.path]: tests.diagnostics } }
  const { cases } = tests.value
  const chosen = only === undefined ? cases : cases.filter(({ name }) => name === only)
  if (chosen.length === 0)
    return only === undefined ? { ok: false, code: "no_tests" } : { ok: false, code: "no_case", names: namesOf(cases) }
  const pins = new Map<boolean | undefined, PinResult>()
  const ready: TrialCase[] = []
  for (const one of chosen) {
    const { autonomous } = one
    const pinned = pins.get(autonomous) ?? (await pin({ ...context, rehearse: true, ...defined({ autonomous }) }, { flow }))
    pins.set(autonomous, pinned)
    if (!pinned.ok) return { ok: false, code: "not_pinned", why: pinned }
    const scorers = await atOnce(scorersOf(one.expect), (name) => knownScorer({ view, models: context.settings }, name))
    const trial = trialOf(one, { ...pinned, pins: await withPlays(context, pinned, playsOf(one.rehearsal)) })
    ready.push(scorers.length === 0 ? trial : { ...trial, scorers: scorers.flatMap((known) => known ?? []) })
  }
  return { ok: true, flow, cases: ready }
}

const namesOf = (cases: readonly TestCase[]): string[] => cases.map(({ name }) => name)

export function trialOf(
  { name, task = "", inputs = {}, trigger, autonomous, files, answers, expect }: TestCase,
  pinned: Pinned,
): TrialCase {
  return { name, task, inputs, ...defined({ payload: trigger, autonomous, files }), answers, expect, pinned }
}

/** The pins with the case's scripted turns. A flow without such turns keeps its rehearsal file. */
export async function withPlays(
  { view, keep }: Pick<PinContext, "view" | "keep">,
  { pins }: Pick<Pinned, "pins">,
  plays: Plays,
): Promise<Pins> {
  const { rehearsal, rehearsals, ...rest } = pins
  const all: Record<string, string> = { ...rehearsals }
  for (const [flow, turns] of plays.flows)
    if (isPinned(pins, flow)) all[flow] = await keep(playText((await fileOf(view, flow))?.steps, turns))
  for (const [path, turns] of plays.children) {
    const flow = await flowAt(view, pins.flow.id, stepsOf(path))
    if (flow !== undefined && isPinned(pins, flow))
      all[path] = await keep(playText((await fileOf(view, flow))?.steps, plays.flows.get(flow), turns))
  }
  const own = plays.own.size > 0 ? await keep(playText((await fileOf(view, pins.flow.id))?.steps, plays.own)) : rehearsal
  return { ...rest, ...defined({ rehearsal: own }), ...(Object.keys(all).length > 0 ? { rehearsals: all } : {}) }
}

const isPinned = ({ flows = {}, scorers = {} }: Pins, flow: string): boolean =>
  Object.hasOwn(flows, flow) || (flow.startsWith(JUDGE_PREFIX) && Object.hasOwn(scorers, flow.slice(JUDGE_PREFIX.length)))

async function fileOf(view: CatalogView, flow: string): Promise<Rehearsal | undefined> {
  const entry = view.entry("flow", flow)
  return entry && (await view.rehearsal(entry))?.value
}

/** The flow of a child, by the steps on the way to it. */
async function flowAt(view: CatalogView, root: string, steps: readonly string[]): Promise<string | undefined> {
  let id: string | undefined = root
  for (const name of steps) {
    const flow: Flow | undefined = id === undefined ? undefined : (await view.flow(id))?.value
    const step: Step | undefined = flow?.steps.find((s) => s.id === name)
    id = step && runsChildren(step) ? childFlowOf(step) : undefined
  }
  return id
}
