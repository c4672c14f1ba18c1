// Folds events of effects [K31–K35] into lists of open, kept and reversible effects. Part of `apply`; reads the run as it was before the event.

import { canonical, isObject, type JsonObject } from "../../json.ts"
import { changesOutside } from "../../tool/outside.ts"
import { isCallKey, toolKey } from "../key.ts"
import type { KeptEffect } from "../event-parts.ts"
import type { EventOf, RunEvent } from "../event.ts"
import type { OpenCall, Run, Session } from "../state.ts"
import { closed } from "../steps/touch.ts"
import { belowKey, isHandedUp, newOutside, shownKeys, undoKey, type CallingSession, type OpenEffect } from "./outside.ts"

export function effectsChanged(run: Run, e: RunEvent): void {
  switch (e.type) {
    case "interaction.asked":
      return asked(run, e)
    case "interaction.answered": {
      const i = run.interactions[e.id]
      const effect = i?.callId === undefined ? undefined : openOf(run, i.step, i.callId)
      // A rejected call is refused by the next fact.
      if (effect?.state === "asked") Object.assign(effect, { state: "approved", by: e.by, at: e.at, ...(e.args ? { args: e.args } : {}) })
      if (i?.kind === "effects") run.outside.commit = chosen(run, e)
      return
    }
    case "interaction.expired":
      if (run.interactions[e.id]?.kind === "effects") run.outside.commit = { keys: [], stop: false, by: "" }
      return
    case "action.begun":
      if (e.kind === "tool") begun(run, e)
      return
    case "tool.refused":
      return drop(run, e.step, e.callId)
    case "tool.uncertain": {
      const effect = openOf(run, e.step, e.callId)
      if (effect) unclear(run, effect, e.at)
      return
    }
    case "tool.returned":
      return returned(run, e)
    case "child.ended":
      return taken(run, e.step, e.at, e.effects)
    case "step.finished":
    case "step.reopened":
      return left(run, e.at, e.step)
    case "effect.settled":
      return settled(run, e)
    case "commit.asked":
      run.outside.commit = {
        keys: [...(run.outside.commit?.keys ?? []), ...e.keys.map((key) => belowKey({ run: run.id, key }))],
        stop: false,
        by: e.by,
      }
      return
    case "undo.asked":
      run.outside.undo = { keys: [...(run.outside.undo?.keys ?? []), ...e.keys], by: e.by }
      if (e.error) run.failure ??= e.error
      return
    case "run.forked":
      return forkedFrom(run, e)
    case "run.ended":
      return ended(run, e)
    default:
      return
  }
}

interface Place {
  readonly key: string
  readonly pass: number
  readonly session: Session
  readonly open: OpenCall
}

/** A call of the open turn of a step. */
function placeOf(run: Run, step: string, callId: string): Place | undefined {
  const s = Object.hasOwn(run.steps, step) ? run.steps[step] : undefined
  const open = s?.session?.open.find((o) => o.call.id === callId)
  return s?.session && open ? { key: toolKey(step, s.pass, s.session.turn - 1, callId), pass: s.pass, session: s.session, open } : undefined
}

function openOf(run: Run, step: string, callId: string): OpenEffect | undefined {
  const place = placeOf(run, step, callId)
  return place && Object.hasOwn(run.outside.open, place.key) ? run.outside.open[place.key] : undefined
}

function unclear(run: Run, effect: OpenEffect, at: number): void {
  Object.assign(effect, { state: "uncertain", at })
  run.outside.seen = true
}

/** [J6] A call that was admitted had its tool. A build that lacks the tool must fold the same, so a tool that is not here is no effect. */
function isEffect(run: Run, name: string, args: JsonObject): boolean {
  const tool = run.plan.tools.get(name)
  return tool !== undefined && changesOutside(name, tool, args)
}

const callerOf = ({ agent, model, tainted, origins, private: isPrivate }: Session): CallingSession => ({
  agent,
  model,
  tainted,
  ...(origins ? { origins } : {}),
  private: isPrivate,
})

function enter(run: Run, step: string, place: Place, is: Pick<OpenEffect, "args" | "state" | "at">): OpenEffect {
  const { call } = place.open
  const known = Object.hasOwn(run.outside.open, place.key) ? run.outside.open[place.key] : undefined
  const effect: OpenEffect = {
    ...known,
    key: place.key,
    step,
    pass: place.pass,
    callId: call.id,
    tool: call.name,
    caller: callerOf(place.session),
    ...is,
  }
  run.outside.open[place.key] = effect
  if (is.state !== "sent") run.outside.seen = true
  return effect
}

function asked(run: Run, e: EventOf<"interaction.asked">): void {
  if (e.kind === "effects") {
    run.outside.question = e.id
    return
  }
  const isApproval = e.kind === "approval.tool" || e.kind === "approval.plan"
  const place = isApproval && e.callId !== undefined ? placeOf(run, e.step, e.callId) : undefined
  const args = e.payload["args"]
  if (!place || !isObject(args)) return
  const given: JsonObject = args as JsonObject
  if (!isEffect(run, place.open.call.name, given)) return
  const effect = enter(run, e.step, place, { args: given, state: "asked", at: e.at })
  // [K9] Who approved it in a fork's history did not approve this one.
  delete effect.by
  if (typeof e.payload["hash"] === "string") effect.hash = e.payload["hash"]
}

function chosen(run: Run, { answer, by }: EventOf<"interaction.answered">): NonNullable<Run["outside"]["commit"]> {
  const body = isObject(answer) ? answer : {}
  const wanted = body["commit"]
  // Nothing is kept any more while the question is open, so these are the names that it showed.
  const names = shownKeys(run.id, run.outside.kept)
  const isWanted = (name = ""): boolean => wanted === "all" || (Array.isArray(wanted) && wanted.includes(name))
  return { keys: run.outside.kept.filter((_, i) => isWanted(names[i])).map(belowKey), stop: body["stop_on_failure"] === true, by }
}

function begun(run: Run, { step, key, at }: EventOf<"action.begun">): void {
  const open = run.steps[step]?.session?.open.find((o) => isCallKey(key, o.call.id))
  const place = open && placeOf(run, step, open.call.id)
  if (!place) return
  const args = place.open.args ?? place.open.call.args
  if (isEffect(run, place.open.call.name, args)) enter(run, step, place, { args, state: "sent", at })
}

function drop(run: Run, step: string, callId: string): void {
  const place = placeOf(run, step, callId)
  if (place) delete run.outside.open[place.key]
}

function returned(run: Run, e: EventOf<"tool.returned">): void {
  taken(run, e.step, e.at, e.child?.effects)
  const place = placeOf(run, e.step, e.callId)
  if (!place) return
  const effect = Object.hasOwn(run.outside.open, place.key) ? run.outside.open[place.key] : undefined
  if (effect && e.uncertain) return unclear(run, effect, e.at)
  delete run.outside.open[place.key]
  const args = place.open.args ?? place.open.call.args
  const call = { key: place.key, step: e.step, pass: place.pass, callId: e.callId, tool: e.tool, args, caller: callerOf(place.session) }
  if (e.staged) {
    run.outside.seen = true
    run.outside.keptChars += canonical(args).length
    const { by, hash } = effect ?? {}
    run.outside.kept.push({
      ...call,
      run: run.id,
      via: e.step,
      at: e.at,
      ...(by === undefined ? {} : { by }),
      ...(hash === undefined ? {} : { hash }),
    })
  } else if (effect && !e.isError && run.plan.tools.get(e.tool)?.undoable === true)
    run.outside.undoable.push({ ...call, at: e.at, result: e.seq })
}

/** Effects that a child keeps, and its own children. */
function taken(run: Run, via: string, at: number, effects: readonly KeptEffect[] = []): void {
  for (const effect of effects) {
    run.outside.keptChars += canonical(effect.args).length
    run.outside.kept.push({ ...effect, via, at })
    if (!run.outside.below.includes(effect.run)) run.outside.below.push(effect.run)
  }
}

/** [K10, K31] A fork's ledger begins at its cut: what its source kept or did is the source's. Calls that are still open go on in the fork. So
 *  does the question about kept calls; of those that children kept, only the source can decide, so without them it is asked anew. */
function forkedFrom(run: Run, e: EventOf<"run.forked">): void {
  const open = Object.entries(run.outside.open).filter(([, effect]) => effect.state !== "uncertain")
  const { question, kept } = run.outside
  const asked = question === undefined ? undefined : run.interactions[question]
  const own = e.kept === true ? kept.filter((k) => k.run === run.id).map((k) => ({ ...k, run: e.run })) : []
  const goesOn = own.length > 0 && own.length === kept.length
  if (question !== undefined && asked?.status === "pending" && !goesOn) {
    asked.status = "withdrawn"
    closed(run, question)
  }
  const seen = open.length > 0 || own.length > 0
  run.outside = { ...newOutside(), open: Object.fromEntries(open), kept: own, keptChars: charsOf(own), ...(seen ? { seen: true } : {}) }
  if (!goesOn || question === undefined || !asked) return
  run.outside.question = question
  const effects: KeptEffect[] = own
  asked.payload = { effects: effects.map(({ key, step, pass, tool, args }) => ({ key, run: e.run, step, pass, tool, args })) }
}

const charsOf = (kept: readonly KeptEffect[]): number => kept.reduce((sum, { args }) => sum + canonical(args).length, 0)

/** The step, or every step, is over: what it had sent may have happened, what it asked for did not. */
function left(run: Run, at: number, step?: string): void {
  for (const effect of Object.values(run.outside.open)) {
    if (step !== undefined && effect.step !== step) continue
    if (effect.state === "sent") unclear(run, effect, at)
    else if (effect.state !== "uncertain") delete run.outside.open[effect.key]
  }
}

function settled(run: Run, e: EventOf<"effect.settled">): void {
  const { outside } = run
  if (e.undoes !== undefined) return undone(run, e, e.undoes)
  delete run.underway[e.run === undefined ? e.key : `${e.run}/${e.key}`]
  const at = outside.kept.findIndex((k) => k.key === e.key && k.run === (e.run ?? run.id))
  const [kept] = at < 0 ? [] : outside.kept.splice(at, 1)
  const source = kept ?? outside.open[e.key]
  // What nobody chose did not fail.
  if (outside.commit?.stop && kept && e.state !== "confirmed" && e.state !== "discarded") outside.commit.stopped = true
  if (e.run !== undefined || !source?.caller) return
  const { key, step, pass, callId, tool, args, caller } = source
  const call = { key, step, pass, callId, tool, args, caller, at: e.at }
  delete outside.open[e.key]
  if (e.state === "uncertain") outside.open[e.key] = { ...call, state: "uncertain", ...(e.by === undefined ? {} : { by: e.by }) }
  if (e.state === "confirmed" && run.plan.tools.get(e.tool)?.undoable === true)
    outside.undoable.push({ ...call, ...(e.content === undefined ? {} : { result: e.seq }) })
}

function undone(run: Run, e: EventOf<"effect.settled">, undoes: string): void {
  const { outside } = run
  delete run.underway[e.key]
  delete outside.open[e.key]
  const of = outside.undoable.find((u) => u.key === undoes)
  if (outside.undo) outside.undo.keys = outside.undo.keys.filter((key) => key !== undoes)
  // What failed for certain may be tried again.
  if (e.state === "confirmed" || e.state === "uncertain") outside.undoable = outside.undoable.filter((u) => u.key !== undoes)
  if (e.state === "uncertain" && of) outside.open[e.key] = { ...of, key: e.key, undoes, state: "uncertain", at: e.at }
}

function ended(run: Run, e: EventOf<"run.ended">): void {
  left(run, e.at)
  for (const [key, { kind }] of Object.entries(run.underway)) {
    if (kind !== "effect") continue
    const kept = run.outside.kept.find((k) => k.key === key && k.run === run.id)
    run.outside.seen = true
    if (kept?.caller) run.outside.open[key] = { ...kept, caller: kept.caller, state: "uncertain", at: e.at }
    const taken = run.outside.undoable.find((u) => undoKey(u.key) === key)
    if (taken) run.outside.open[key] = { ...taken, key, undoes: taken.key, state: "uncertain", at: e.at }
    run.outside.undoable = run.outside.undoable.filter((u) => u !== taken)
  }
  delete run.outside.commit
  delete run.outside.undo
  if (isHandedUp(run, e.status)) return
  run.outside.kept = []
  run.outside.keptChars = 0
}
