// Builds the signal with which a fork begins [K9, K12, K13]: the request, checked against the history and the definitions of the fork.

import { defined } from "../../../core/defined.ts"
import { canonical, type JsonObject } from "../../../core/json.ts"
import { effectsMode } from "../../../core/tool/policy/effects-mode.ts"
import { unitsOf, type Amount } from "../../../core/money/amount.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import { approvedCalls, approvedName, approvedPlace } from "../../../core/run/fork/ask-anew.ts"
import { left } from "../../../core/run/fork/apply-forked.ts"
import { callIdOf } from "../../../core/run/fork/call-id.ts"
import type { Plan } from "../../../core/run/plan.ts"
import type { ForkSignal, Instead } from "../../../core/run/signal.ts"
import type { Run } from "../../../core/run/state.ts"
import { bounded } from "../../../engine/catalog/pin/start-money.ts"
import { needsOf, startable } from "../../../engine/catalog/pin/startable.ts"
import type { ForkFault, ForkOrigin, ForkRequest, ForkResult, ForkSource, RanWith } from "../../../ports/fork.ts"
import { clock } from "../../platform/clock.ts"
import { sha256 } from "../../platform/sha256.ts"

type Refused = Extract<ForkResult, { ok: false }>
type Ground = Extract<ForkOrigin, { ok: true }>

export function pinsOf({ eras }: ForkSource): Pins {
  const last = eras.at(-1)
  if (!last) throw new Error("the source has no definitions")
  return last.pins
}

type SignalMade = { readonly ok: true; readonly signal: ForkSignal } | Refused

export function signalOf(asked: ForkRequest, offer: ForkSource, ground: Ground, { before, plan }: { before: Run; plan: Plan }): SignalMade {
  const { patch, source, run: id, by } = asked
  const faults: ForkFault[] = []
  const late = (["task", "inputs", "trigger"] as const).filter((name) => patch?.[name] !== undefined && offer.cut !== 1)
  for (const name of late) faults.push({ pointer: `/patch/${name}`, message: "can be changed at the beginning only: fork from `{seq: 1}`" })
  const given = givenTo(asked, offer, ground, before)
  const pins = ground.pins ?? pinsOf(offer)
  const budget = budgetOf(asked.budget, before, ground)
  const ready = startable(
    { flow: { ...needsOf(plan.flow), inputs: ground.inputs }, pins, money: ground.money },
    { task: given.task, inputs: given.checked, budget: budget ?? before.budget.run?.limit },
  )
  if (!ready.ok && ready.error.code !== "no_price") faults.push(...ready.error.faults.map((fault) => placed(fault, asked)))
  const instead = insteadOf(asked, before)
  if (typeof instead === "string") faults.push({ pointer: "/instead", message: instead })
  if (faults.length > 0 || typeof instead === "string") return { ok: false, code: "invalid", errors: faults }
  if (!ready.ok) return { ok: false, code: "no_price", models: "models" in ready.error ? ready.error.models : [] }
  const wished = effectsMode(
    ground.rules.policy,
    [offer.flow, ...Object.keys(pins.flows ?? {})],
    asked.trial ? "dry" : asked.effects === "source" ? offer.effects : (asked.effects ?? "staged"),
  )
  // [F77] What goes on from a draft that nobody accepted is such a draft.
  const isUnaccepted = asked.unaccepted === true || before.unaccepted === true
  const mode = isUnaccepted && wished === "live" ? "staged" : wished
  const patched = defined({ revision: ground.revision, definitions: ground.definitions, models: patch?.models })
  const { autonomous, tags, trace } = asked
  const digests = Object.fromEntries(
    approvedCalls(before).map((one) => [approvedName(one.step, one.open.call.id), sha256(canonical(approvedPlace(id, one)))]),
  )
  const rehearsed = ground.rehearsed
  return {
    ok: true,
    signal: {
      type: "fork",
      forked: {
        type: "run.forked",
        run: id,
        source: { run: source, seq: offer.cut, head: offer.head, at: offer.at },
        by,
        effects: mode,
        ...(Object.keys(patched).length > 0 ? { patch: patched } : {}),
        ...defined({
          pinned: ground.pins,
          prices: ready.value.prices,
          budget,
          autonomous,
          rehearsed,
          task: patch?.task,
          payload: patch?.trigger,
        }),
        ...(asked.again ? begunWith(offer.ran) : {}),
        ...defined({ inputs: given.checked && { ...given.kept, ...ready.value.inputs }, tags: tags && [...tags], trace }),
        ...(mode !== "dry" && isAskedAboutKept(before) ? { kept: true } : {}),
        ...(isUnaccepted ? { unaccepted: true } : {}),
        ...defined({ trial: asked.trial?.of }),
      },
      rules: ground.rules,
      added: plan.stepIds.filter((step) => !before.plan.steps.has(step)),
      ...(Object.keys(digests).length > 0 ? { digests } : {}),
      ...defined({ instead }),
      at: clock.now(),
    },
  }
}

/** [K11, B6] What the fork is given, within what the tenant allows one run now. undefined: what the source had left is within it. */
function budgetOf(asked: Amount | undefined, { budget }: Run, { money }: Ground): Amount | undefined {
  const given = asked ?? (budget.run && left(budget.run)) ?? {}
  const within = bounded(given, money.run)
  return asked === undefined && unitsOf(within).every((unit) => within[unit] === given[unit]) ? undefined : within
}

interface Given {
  /** Absent: it was checked when the source began. */
  readonly task?: string
  readonly checked?: JsonObject
  /** Inputs of the source that its flow does not declare any more. */
  readonly kept?: JsonObject
}

/** [K13] What is checked as a start's is: what the patch gives, and at the beginning of a changed flow what the source was given. */
function givenTo({ patch, again }: ForkRequest, { cut, ran }: ForkSource, ground: Ground, before: Run): Given {
  const isChanged = cut === 1 && (ground.revision !== undefined || ground.definitions !== undefined)
  const task = patch?.task ?? (isChanged ? ((again && ran.task) ?? before.task) : undefined)
  const more = defined({ task })
  if (patch?.inputs !== undefined) return { ...more, checked: patch.inputs }
  if (!isChanged) return more
  const all = Object.entries((again && ran.inputs) ?? before.inputs)
  const [checked, kept] = [true, false].map((has) => Object.fromEntries(all.filter(([name]) => Object.hasOwn(ground.inputs, name) === has)))
  return { ...more, ...defined({ checked, kept }) }
}

/** `again` has no patch to mend it with: a fork has. */
const placed = (fault: ForkFault, { again }: ForkRequest): ForkFault =>
  again
    ? { ...fault, message: `${fault.message}: fork the run with \`patch: {revision, inputs, task}\` to give it` }
    : { ...fault, pointer: `/patch${fault.pointer}` }

/** [K7] The defaults of `again`, which its body overrides. */
export const wishedBy = ({ autonomous, budget }: RanWith): Pick<ForkRequest, "autonomous" | "budget"> => defined({ autonomous, budget })

/** [K7] Checked when the source began with it. */
const begunWith = ({ task, inputs, payload }: RanWith): Pick<ForkSignal["forked"], "task" | "inputs" | "payload"> =>
  defined({ task, inputs, payload })

const isAskedAboutKept = ({ outside: { question }, interactions }: Run): boolean =>
  question !== undefined && interactions[question]?.status === "pending"

/** [K12] What stands in place of what; a sentence: it does not fit `from`. */
function insteadOf({ instead, from, run: id }: ForkRequest, before: Run): Instead | string | undefined {
  if (instead === undefined) return undefined
  if ("answer" in instead)
    return "interaction" in from ? { answer: instead.answer, interaction: from.interaction } : "`answer` is for `from: {interaction}`"
  if (!("step" in from)) return `\`${"finish" in instead ? "finish" : "reply"}\` is for \`from: {step}\``
  const { step } = from
  if ("finish" in instead) return { finish: instead.finish, step }
  const s = before.steps[step]
  if (!s) return `the flow has no step "${step}"`
  const isOpen = s.session !== undefined && s.status === "running"
  const turn = isOpen ? (s.session?.turn ?? 0) : 0
  const place = [id, step, s.pass, turn]
  const calls = instead.reply.toolCalls ?? []
  const digests = calls.map((call, i): [string, string] => {
    const callId = callIdOf(call, turn, i)
    return [callId, sha256(canonical([place, callId, call.name, call.args ?? {}]))]
  })
  return { reply: instead.reply, step, digests: Object.fromEntries(digests) }
}
