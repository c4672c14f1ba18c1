// Decides whether a flow can start with a task, inputs, a budget and files [H3, B3, F55]. Every place that starts a run, or stores a start
// for later, uses this function and only words the result.

import type { Flow } from "../../../core/flow/flow.ts"
import { defined } from "../../../core/defined.ts"
import type { SaidStart } from "../../../core/start/start-block.ts"
import { checkInputs, type InputFault } from "../../../core/flow/flow-inputs.ts"
import { isObject, type Json, type JsonObject } from "../../../core/json.ts"
import type { Amount } from "../../../core/money/amount.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import type { Pins, StartFile } from "../../../core/run/event-parts.ts"
import type { GivenFiles } from "../../../core/run/given-file.ts"
import type { GivenFilesPort } from "../../../ports/given-files.ts"
import type { PinnedMoney } from "../../../ports/tenant/catalog.ts"
import { noPrice, startMoney, unpricedFault, type Money } from "./start-money.ts"

/** The requirements of a flow for its start. */
export interface StartNeeds {
  readonly inputs: JsonObject
  readonly task_required: boolean
  /** [R1] */
  readonly start?: SaidStart
}

export const needsOf = ({ inputs, task_required, start }: Flow): StartNeeds => ({
  inputs: Object.fromEntries(Object.entries(inputs).map(([name, spec]) => [name, { ...spec }])),
  task_required,
  ...defined({ start }),
})

interface Startable {
  readonly flow: StartNeeds
  /** Absent: the start is judged before its models are known, and money is not. */
  readonly pins?: Pins
  readonly money?: PinnedMoney | undefined
}

interface StartGiven {
  /** An absent task or absent inputs were judged before. */
  readonly task?: string | undefined
  readonly inputs?: JsonObject | undefined
  readonly budget?: Amount | undefined
  /** Inputs whose values nobody knows yet: they may fit. */
  readonly open?: ReadonlySet<string>
}

/** The parts of a start request that the decision makes. Defaults are filled in. */
export type Ready = Money & { readonly inputs: JsonObject }

export type Unstartable =
  | { readonly code: "task_required" | "inputs" | "files"; readonly faults: readonly InputFault[] }
  | { readonly code: "no_price"; readonly faults: readonly InputFault[]; readonly models: readonly string[] }

/** Decides whether a start is possible. A missing task is the last fault. The budget is checked once task and inputs fit. */
export function startable({ flow, pins, money }: Startable, { task, inputs, budget, open }: StartGiven = {}): Result<Ready, Unstartable> {
  const checked = inputs === undefined ? ok({}) : checkInputs(...known(flow.inputs, inputs, open))
  const faults = checked.ok ? [] : checked.error
  if (flow.task_required && task?.trim() === "")
    return err({ code: "task_required", faults: [...faults, { pointer: "/task", message: "is required by the flow" }] })
  if (!checked.ok) return err({ code: "inputs", faults })
  const found = pins ? startMoney({ pins, money }, budget) : ok({})
  if (found.ok) return ok({ inputs: checked.value, ...found.value })
  const pointer = budget?.usd === undefined ? "" : "/budget/usd"
  return err({ code: "no_price", faults: [unpricedFault(found.error, pointer)], models: found.error })
}

/** An open input of the flow is neither required nor checked. */
function known(specs: JsonObject, given: JsonObject, open: ReadonlySet<string> = new Set()): [specs: JsonObject, given: JsonObject] {
  const isOpen = (name: string): boolean => open.has(name) && Object.hasOwn(specs, name)
  const optional = (name: string, spec: Json): Json => (isOpen(name) && isObject(spec) ? { ...spec, required: false } : spec)
  return [
    Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, optional(name, spec)])),
    Object.fromEntries(Object.entries(given).filter(([name]) => !isOpen(name))),
  ]
}

/** Stores the files [F55] of a start that is otherwise ready. */
export async function startableWith(
  files: GivenFiles | undefined,
  keep: GivenFilesPort["keep"],
  ...start: Parameters<typeof startable>
): Promise<Result<Ready & { readonly files: StartFile[] }, Unstartable>> {
  const ready = startable(...start)
  if (!ready.ok) return ready
  const kept = await keep(files ?? {}, "/files")
  return kept.ok ? ok({ ...ready.value, files: kept.value }) : err({ code: "files", faults: kept.error })
}

/** The sentence for a start that no caller can correct. */
export function unstartableText(why: Unstartable): string {
  if (why.code === "task_required") return "the flow needs a task, and the task is empty"
  if (why.code === "no_price") return noPrice(why.models)
  return why.faults.map((fault) => `${fault.pointer} ${fault.message}`).join("; ")
}
