// Builds the request to start a run, for all callers. Each kind of start describes its own part, and `startOf` adds the common part. A run
// without a parent uses its tenant's pins, a child those of its parent.

import { defined } from "../../../core/defined.ts"
import type { Amount } from "../../../core/money/amount.ts"
import { effectsMode } from "../../../core/tool/policy/effects-mode.ts"
import type { Rules } from "../../../core/tool/policy/policy.ts"
import type { Pins, Trigger } from "../../../core/run/event-parts.ts"
import { JUDGE_PREFIX } from "../../../core/flow/judge-flow.ts"
import type { EffectsMode } from "../../../core/tool/policy/effects-modes.ts"
import type { Origin } from "../../../core/flow/origin.ts"
import type { Run } from "../../../core/run/state.ts"
import { isTested } from "../../../core/run/tested.ts"
import { stepTrace } from "../../../core/run/views/span-ids.ts"
import type { StartRequest } from "../../../ports/run.ts"
import type { RunDesk } from "../../../ports/tenant/catalog.ts"

/** The pins of a start: the result of `pin`, or a part of the parent's pins. */
export interface StartSource {
  readonly flow: { readonly id: string; readonly autonomous: boolean }
  readonly pins: Pins
  readonly rehearsed: boolean
  readonly rules?: Rules
  /** [N3] */
  readonly tenancy?: number
  /** There is no room for the run now: its object holds the start until there is room [H6]. */
  readonly queue?: true
  readonly listed?: true
  readonly desk?: RunDesk
}

type Needed = "tenant" | "run" | "task" | "inputs" | "trigger"
type Pinned = "flow" | "pins" | "rehearsed" | "rules" | "tenancy" | "held" | "listed" | "desk" | "effects"

/** The caller's part of a start. An undefined field is absent. */
export type StartWish = Pick<StartRequest, Needed> & {
  readonly [Field in Exclude<keyof StartRequest, Needed | Pinned>]?: StartRequest[Field] | undefined
} & { readonly effects?: EffectsMode | undefined }

/** A new field of `StartRequest` is a type error until it is added here. The order is the order of the journal's first event, which
 *  is hashed as text [J3]. */
export function startOf(ground: StartSource, wish: StartWish): StartRequest {
  const request: { readonly [Field in keyof Required<StartRequest>]: StartRequest[Field] | undefined } = {
    tenant: wish.tenant,
    run: wish.run,
    flow: ground.flow.id,
    task: wish.task,
    inputs: wish.inputs,
    autonomous: wish.autonomous ?? ground.flow.autonomous,
    pins: ground.pins,
    trigger: wish.trigger,
    rehearsed: ground.rehearsed,
    tags: wish.tags,
    parent: wish.parent,
    thread: wish.thread,
    session: wish.session,
    staging: wish.staging,
    // Always there: `{}` says that nothing limits the run, where an absent field would say nothing.
    budget: wish.budget ?? {},
    prices: wish.prices,
    rules: ground.rules,
    tainted: wish.tainted || undefined,
    origins: wish.origins && wish.origins.length > 0 ? wish.origins : undefined,
    trusted: wish.trusted && wish.trusted.length > 0 ? wish.trusted : undefined,
    asker: wish.asker,
    private: wish.private || undefined,
    payload: wish.payload,
    files: wish.files && wish.files.length > 0 ? wish.files : undefined,
    callback: wish.callback,
    callbacks: wish.callbacks,
    starters: wish.starters,
    address: wish.address,
    trace: wish.trace,
    conversation: wish.conversation && wish.conversation.length > 0 ? wish.conversation : undefined,
    effects: written(wish.effects ?? "live", ground, wish.parent !== undefined),
    daily: wish.daily,
    held: ground.queue,
    block: wish.block,
    pace: wish.pace,
    above: wish.above,
    number: wish.number,
    keyId: wish.keyId,
    ownMoney: wish.ownMoney,
    listed: ground.listed,
    desk: ground.desk,
    cannot: wish.cannot,
    unaccepted: wish.unaccepted,
    tenancy: ground.tenancy,
    batch: wish.batch,
    trial: wish.trial,
  }
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as unknown as StartRequest
}

/** [K30] As the journal has it: a live run has no mode. A child has its parent's, whatever the policy says of its flow alone. */
function written(asked: EffectsMode, { flow, pins, rules }: StartSource, isChild: boolean): StartRequest["effects"] {
  const mode = isChild ? asked : effectsMode(rules?.policy, [flow.id, ...Object.keys(pins.flows ?? {})], asked)
  return mode === "live" ? undefined : mode
}

/** The values that child runs inherit. They are read from the run before the first await. */
export interface Inherited {
  readonly run: string
  /** The root run, which no other run started. The plans and conversations of a team belong to it. */
  readonly root: string
  readonly depth: number
  readonly step: string
  readonly pass: number
  readonly autonomous: boolean
  readonly rehearsed: boolean
  /** [K30] */
  readonly effects: EffectsMode
  readonly rules: Rules
  readonly prices: Run["prices"]
  readonly pins?: Pins
  /** The tenant has a daily budget [B4]. */
  readonly daily: boolean
  readonly tainted: boolean
  /** [G11] What of it came with a message, and what the run trusts. */
  readonly origins?: readonly Origin[]
  readonly trusted?: readonly Origin[]
  readonly private: boolean
  /** [K21] */
  readonly tested?: true
  /** [F77] */
  readonly unaccepted?: true
  /** [N3] */
  readonly tenancy?: number
  readonly trace?: StartRequest["trace"]
  /** The receiver from the root run's start, which also gets notices when a child needs a person [W6]. */
  readonly callback?: StartRequest["callback"]
  readonly callbacks?: Run["callbacks"]
  readonly address?: StartRequest["address"]
  /** [R32] */
  readonly batch?: StartRequest["batch"]
  /** [R27] */
  readonly pace?: StartRequest["pace"]
}

interface Place {
  readonly step: string
  readonly pass: number
  /** Marks of the input that the step gives the child [G11]. */
  readonly tainted: boolean
  readonly origins?: readonly Origin[]
  readonly private: boolean
  readonly waited?: boolean
}

/** `waited`: a person waits for the run now [R27]. */
export function inheritedBy(run: Run, { step, pass, waited, ...marks }: Place): Inherited {
  const origins = (run.tainted ? run.origins : undefined) ?? marks.origins
  return {
    run: run.id,
    root: rootOf(run),
    depth: run.parent?.depth ?? 0,
    step,
    pass,
    autonomous: run.autonomous,
    rehearsed: run.rehearsed,
    effects: run.effects ?? "live",
    rules: run.rules,
    prices: run.prices,
    ...defined({ pins: run.pins }),
    daily: run.budget.lease !== undefined,
    tainted: run.tainted || marks.tainted,
    ...defined({ origins, trusted: run.trusted }),
    private: run.private === true || marks.private,
    ...(isTested(run) ? { tested: true } : {}),
    ...defined({ batch: run.batch ?? mapOf(run, step, pass), pace: paceOf(run, waited === true) }),
    ...defined({ unaccepted: run.unaccepted, tenancy: run.tenancy, trace: run.trace, callback: run.callback, address: run.address }),
    ...defined({ callbacks: run.callbacks }),
  }
}

function paceOf({ start }: Run, waited: boolean): StartRequest["pace"] {
  const { priority } = start ?? {}
  if (!waited && priority === undefined) return undefined
  return { ...defined({ priority }), ...(waited ? { attended: true } : {}) }
}

/** [R32] The outermost map takes the calls of all runs below it. */
function mapOf({ id, pins, plan }: Run, step: string, pass: number): StartRequest["batch"] {
  const spec = plan.steps.get(step)
  return pins?.batch && spec?.type === "map" && spec.batch_api ? { run: id, step, pass } : undefined
}

/** The part of a child's start that the step decides. */
export type ChildStart = Pick<StartWish, "tenant" | "run" | "task" | "inputs" | "session"> & {
  readonly pins: Pins
  readonly index: number
  /** The budget reserved for it [B5]. */
  readonly budget: Amount
  /** [V35] */
  readonly trial?: StartWish["trial"]
}

export function childStartOf(from: Inherited, { pins, index, ...wish }: ChildStart, hash: (text: string) => string): StartRequest {
  const { run, root, depth, step, pass, autonomous, rehearsed, rules, tenancy } = from
  return startOf(
    { flow: { id: pins.flow.id, autonomous }, pins, rehearsed, rules, ...defined({ tenancy }) },
    {
      ...wish,
      trigger: { ...triggerOf(run, pins.flow.id), ...defined({ test: from.tested }) },
      effects: from.effects,
      parent: { run, step, pass, index, depth: depth + 1, root },
      prices: from.prices,
      daily: from.daily ? true : undefined,
      tainted: from.tainted,
      origins: from.origins && [...from.origins],
      trusted: from.trusted && [...from.trusted],
      private: from.private ? true : undefined,
      callback: from.callback,
      callbacks: from.callbacks && [...from.callbacks],
      address: from.address,
      trace: stepTrace({ id: run, trace: from.trace }, step, pass, hash),
      unaccepted: from.unaccepted,
      batch: from.batch,
      pace: from.pace,
    },
  )
}

/** [V15] */
const triggerOf = (run: string, flow: string): Trigger =>
  flow.startsWith(JUDGE_PREFIX) ? { kind: "score", score: { run, scorer: flow.slice(JUDGE_PREFIX.length) } } : { kind: "child" }

export const rootOf = ({ id, parent }: Pick<Run, "id" | "parent">): string => parent?.root ?? id
