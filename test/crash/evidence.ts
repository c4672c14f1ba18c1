// Checks on a killed case, based on its journal, its files and the model server's record.

import { createHash } from "node:crypto"
import { Envelope, Fact, type FactOf, type RunEvent } from "../../src/core/run/event.ts"
import { ANSWER } from "./flow.ts"
import { printIn, type ModelRequest } from "./model-server.ts"
import type { Seen } from "./round.ts"

export interface Check {
  readonly name: string
  /** undefined: the check passes. */
  readonly fault: string | undefined
}

/** Everything that must match with and without a kill: no times, ids, attempts (of which model calls are a part) or case. */
export function resultOf({ name, view, files }: Seen): string {
  const steps = Object.fromEntries(
    Object.entries(view.steps).map(([id, step]) => {
      const { started: _started, ended: _ended, attempts: _attempts, model_calls: _calls, paced_ms: _paced, ...rest } = step
      return [id, rest]
    }),
  )
  const { status, output } = view
  // A kill loses calls, and the run says how many [B3].
  const { lost: _lost, ...usage } = view.usage ?? {}
  return JSON.stringify({ status, output, usage, steps, files }, undefined, 1).replaceAll(name, "CASE")
}

export function checkCase(seen: Seen, calm: string, requests: readonly ModelRequest[]): Check[] {
  const events = seen.journal.map(readEvent)
  const own = requests.filter((r) => r.name === seen.name)
  const replies = events.filter((e) => e.type === "model.replied")
  const replyOf = new Map(replies.map((e) => [printIn(e.text) ?? "", e]))
  const answers = events.filter((e) => e.type === "interaction.answered")
  const checks: [name: string, fault: string | undefined][] = [
    ["[J10] a killed run ends with the result of an undisturbed run, files included", difference(resultOf(seen), calm)],
    ["[J14] a run answered 202 exists and has one terminal event, its last", endOf(events)],
    ["[J7] the journal is dense and each event has the previous event's hash", chainOf(seen.journal)],
    ["[E4] no event that a client read is lost or changed", lostOf(seen)],
    ["[J4] a step finishes once per pass", twice(events.filter((e) => e.type === "step.finished").map((e) => `${e.step}/${e.pass}`))],
    ["[J3] a turn has one reply", twice(replies.map((e) => e.key))],
    ["[J3] a tool call has one result", twice(events.filter((e) => e.type === "tool.returned").map((e) => e.callId))],
    ["[J11] no tool call is uncertain: these calls may all be repeated", events.find((e) => e.type === "tool.uncertain")?.callId],
    ["[J10] every attempt begins once and ends once: by its reply, its failure or its loss", attemptsOf(events)],
    ["[J2] no model is asked without a matching action.begun", unannounced(own, replyOf, events)],
    ["[J11] a turn whose reply is in the journal is not asked again", askedAgain(own, replyOf)],
    ["[J1] a turn asked again is byte-for-byte the same", changed(own)],
    ["[Q2] the person's answer exists once, as acknowledged", answerOf(seen, answers)],
  ]
  return checks.map(([name, fault]) => ({ name, fault: fault === undefined ? undefined : `${seen.name} (${seen.id}): ${fault}` }))
}

/** Checks that apply to every journal, whatever its run was doing when killed. */
export function checkJournal(name: string, journal: readonly unknown[]): Check[] {
  const events = journal.map(readEvent)
  const checks: [name: string, fault: string | undefined][] = [
    ["[J14] a run answered 202 exists and has one terminal event, its last", endOf(events)],
    ["[J7] the journal is dense and each event has the previous event's hash", chainOf(journal)],
    ["[J3] a turn has one reply", twice(events.flatMap((e) => (e.type === "model.replied" ? [e.key] : [])))],
    ["[J3] a tool call has one result", twice(events.flatMap((e) => (e.type === "tool.returned" ? [e.callId] : [])))],
  ]
  return checks.map(([law, fault]) => ({ name: law, fault: fault === undefined ? undefined : `${name}: ${fault}` }))
}

export function readEvent(value: unknown): RunEvent {
  return { ...Fact.parse(value), ...Envelope.parse(value) }
}

export function difference(a: string, b: string): string | undefined {
  if (a === b) return undefined
  const [left, right] = [a.split("\n"), b.split("\n")]
  const at = left.findIndex((line, i) => line !== right[i])
  return `line ${at + 1} is ${left[at]?.trim() ?? "missing"}, calm it is ${right[at]?.trim() ?? "missing"}`
}

function endOf(events: readonly RunEvent[]): string | undefined {
  const ends = events.filter((e) => e.type === "run.ended")
  if (ends.length !== 1) return `${ends.length} terminal events`
  return events.at(-1)?.type === "run.ended" ? undefined : `events follow its end: ${events.at(-1)?.type}`
}

function chainOf(journal: readonly unknown[]): string | undefined {
  let prev = "0".repeat(64)
  for (const [i, value] of journal.entries()) {
    const { seq, prev: previous } = Envelope.parse(value)
    if (seq !== i + 1) return `event ${i + 1} has seq ${seq}`
    if (previous !== prev) return `event ${seq} does not follow the previous event`
    prev = createHash("sha256").update(JSON.stringify(value)).digest("hex")
  }
  return undefined
}

function lostOf({ received, journal }: Seen): string | undefined {
  for (const [seq, text] of received) {
    const kept = journal[seq - 1]
    if (kept === undefined) return `event ${seq} was read and is missing`
    if (JSON.stringify(kept) !== text) return `event ${seq} was read as ${text.slice(0, 200)} and is ${JSON.stringify(kept).slice(0, 200)}`
  }
  return undefined
}

function twice(keys: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return keys.find((key) => seen.size === seen.add(key).size)
}

function attemptsOf(events: readonly RunEvent[]): string | undefined {
  const open = new Map<string, number>()
  const calls = new Map<string, string>()
  const last = new Map<string, number>()
  for (const e of events) {
    const ends = e.type === "tool.returned" || e.type === "tool.uncertain" ? calls.get(e.callId) : undefined
    if (e.type === "action.begun") {
      if (open.has(e.key)) return `${e.key} is begun again while it is under way (event ${e.seq})`
      if (e.attempt !== (last.get(e.key) ?? 0) + 1) return `${e.key}: attempt ${e.attempt} follows ${last.get(e.key) ?? 0}`
      open.set(e.key, e.attempt)
      last.set(e.key, e.attempt)
      const callId = e.kind === "tool" ? e.key.split("/tool/")[1] : undefined
      if (callId !== undefined) calls.set(callId, e.key)
    } else if (e.type === "model.paced") {
      // [R29] Nothing was sent: the attempt comes again.
      if (open.delete(e.key)) last.set(e.key, (last.get(e.key) ?? 1) - 1)
    } else if (e.type === "action.lost" || e.type === "model.replied" || e.type === "model.failed" || ends !== undefined) {
      const key = ends ?? ("key" in e ? (e.key ?? "") : "")
      if (!open.delete(key) && e.type !== "tool.uncertain") return `${key} ends and was not under way (event ${e.seq})`
      // [R31] The provider said when to come again: that was no try.
      if (e.type === "model.failed" && e.paced) last.set(key, (last.get(key) ?? 1) - 1)
    }
  }
  const [left] = open
  return left && `${left[0]} never ends`
}

type Replies = ReadonlyMap<string, FactOf<"model.replied"> & Envelope>

function unannounced(own: readonly ModelRequest[], replies: Replies, events: readonly RunEvent[]): string | undefined {
  for (const print of new Set(own.map((r) => r.print))) {
    const reply = replies.get(print)
    const asked = own.filter((r) => r.print === print)
    const where = `${asked[0]?.step} turn ${asked[0]?.turn}`
    if (!reply) return `${where} was asked (${print}) and the journal has no such turn`
    const begun = events.filter((e) => e.type === "action.begun" && e.key === reply.key).length
    if (asked.length > begun) return `${where} was asked ${asked.length} times and begun ${begun} times`
  }
  return undefined
}

function askedAgain(own: readonly ModelRequest[], replies: Replies): string | undefined {
  for (const r of own) {
    const reply = replies.get(r.print)
    if (reply && r.at > reply.at) return `${r.step} turn ${r.turn} came ${r.at - reply.at} ms after its reply was in the journal`
  }
  const unanswered = [...replies].find(([print]) => !own.some((r) => r.print === print && r.progress === "answered"))
  return unanswered && `${unanswered[1].key} has a reply that the model server never sent in full`
}

function changed(own: readonly ModelRequest[]): string | undefined {
  const prints = new Map<string, string>()
  for (const r of own) {
    const turn = `${r.step}, round ${r.round}, turn ${r.turn}`
    if ((prints.get(turn) ?? r.print) !== r.print) return `${turn} was asked in two ways`
    prints.set(turn, r.print)
  }
  return undefined
}

function answerOf({ acknowledged }: Seen, answers: readonly FactOf<"interaction.answered">[]): string | undefined {
  const [first] = answers
  if (!acknowledged) return "the answer was never acknowledged"
  if (acknowledged.status !== 200 && acknowledged.status !== 409) return `the answer got ${acknowledged.status}`
  if (answers.length !== 1 || first?.id !== acknowledged.interaction) return `${answers.length} answers in the journal`
  return first.answer === ANSWER.answer && first.notes === ANSWER.notes ? undefined : `it became ${JSON.stringify(first)}`
}
