// [S1], [S13], [H5] What was acknowledged is there: each start is a run that has ended or waits for what can come, each cancel has canceled, each
// answer and signal is in its run's journal once, and what was deleted is gone for whoever asks.

import { OVER, type Rest } from "./rest.ts"
import type { Journal } from "./journals.ts"

export function acknowledgedOf(rest: Rest): string[] {
  const { told, tenant } = rest.story
  const wrong: string[] = []
  for (const { id, name, flow } of told.starts) {
    if (rest.isDeleted(id)) continue
    const journal = rest.journals.of(tenant, id)
    const isHeld = rest.service.runs.objects.get(`${tenant}/${id}`)?.storage.kv.get("held") !== undefined
    if (!journal && isHeld) wrong.push(`[H6] ${name} of ${flow} (${id}) waits for room, and there is room`)
    else if (!journal) wrong.push(`[S1] the start of ${name} (${id}) was answered 202, and there is no journal`)
    else if (!isAtRest(rest, journal)) wrong.push(`[S16] ${name} of ${flow} (${id}) stays ${stateOf(journal)}`)
    if (told.canceled.has(id) && journal && !journal.standing.isOver)
      wrong.push(`[H5] ${name} (${id}) was canceled and is ${stateOf(journal)}`)
    if (told.missed.has(id)) wrong.push(`[H5] the cancel of ${name} (${id}) was answered 404, and nobody has deleted it`)
    const session = told.called.get(id)
    if (session !== undefined && journal && journal.standing.started?.session !== session)
      wrong.push(`[J25] the call of an agent that is ${id} was told the session ${session}; it has ${journal.standing.started?.session}`)
    if (told.signaled.has(id) && journal && !heardSignal(journal))
      wrong.push(`[S1] the signal to ${name} (${id}) was taken, and is not in its journal`)
  }
  for (const { run, id, message } of told.steers) {
    const queued = journalOf(rest, run)?.events.some((e) => e.type === "steer.queued" && e.id === id && e.message === message)
    if (queued === false) wrong.push(`[S1] the word ${id} to ${run} was taken, and is not in its journal`)
  }
  for (const journal of rest.own) {
    if (!isAtRest(rest, journal)) wrong.push(`[S16] ${journal.run} stays ${stateOf(journal)}`)
    const { error } = journal.standing.ended ?? {}
    if (error?.source === "config" && !isBusy(rest, error.message, journal))
      wrong.push(`[F33] ${journal.run} failed for its configuration: ${error.message}`)
    if (error?.source === "engine") wrong.push(`[J12] ${journal.run} failed by itself: ${error.message}`)
  }
  return [...new Set([...wrong, ...answersOf(rest), ...twiceIn(rest)])]
}

const journalOf = (rest: Rest, run: string): Journal | undefined => (rest.isDeleted(run) ? undefined : rest.journals.of(rest.tenant, run))

const stateOf = ({ standing: { status, reason, underway } }: Journal): string =>
  `${status} ${status === "waiting" ? reason : ""} ${[...underway.keys()].join()}`.trim()

/** [J25] A session belongs to one step at a time, and a step that wants it fails softly. Steps of the simulator are short, so it had waited in vain for one
 *  that is long: its run was paused while this one went on. */
const isBusy = ({ journals, tenant }: Rest, message: string, { events: own }: Journal): boolean => {
  const [, holder = ""] = /^the session .* is busy: (run_\w+) has it$/.exec(message) ?? []
  const events = journals.of(tenant, holder)?.events ?? []
  const [first, last] = [own[0]?.at ?? 0, own.at(-1)?.at ?? 0]
  return events.some((e, i) => {
    if (e.type !== "run.paused") return false
    const resumed = events.slice(i).find(({ type }) => type === "run.resumed")
    return e.at <= last && (resumed === undefined || resumed.at >= first)
  })
}

/** It has ended, or waits for what can still come: a signal that nobody has sent, a person who has not answered. */
function isAtRest({ story: { told }, journals, tenant }: Rest, { run, standing, events }: Journal): boolean {
  if (OVER.has(standing.status)) return true
  const { paused } = told as { readonly paused?: ReadonlyMap<string, number> }
  if (standing.status === "paused" && paused?.has(run) === true) return true
  if (standing.status !== "waiting") return false
  if (standing.reason === "interaction") return standing.open.size > 0
  // It says that its children work.
  const asking = [...standing.children].filter((child) => (journals.of(tenant, child)?.standing.open.size ?? 0) > 0)
  if (standing.reason === "child_interaction") return asking.length > 0
  return standing.reason === "signal" && !told.signaled.has(run) && events.length > 0
}

const heardSignal = ({ events, standing }: Journal): boolean => standing.isOver || events.some((e) => e.type === "signal.received")

function answersOf({ story: { told }, journals, tenant }: Rest): string[] {
  const wrong: string[] = []
  for (const [where, said] of told.answers) {
    const at = where.indexOf("/")
    const [run, id] = [where.slice(0, at), where.slice(at + 1)]
    const events = journals.of(tenant, run)?.events
    if (!events) continue
    const answers = events.filter((e) => e.type === "interaction.answered" && e.id === id)
    const [first] = answers
    if (answers.length !== 1 || first?.type !== "interaction.answered") {
      wrong.push(`[Q2] the answer to ${where} was taken, and its journal has ${answers.length}`)
      continue
    }
    const body = JSON.parse(said) as { readonly answer?: unknown; readonly decision?: string }
    if (body.decision !== undefined && first.decision !== body.decision)
      wrong.push(`[Q2] ${where} was decided ${body.decision}, and became ${first.decision}`)
    if (body.answer !== undefined && JSON.stringify(first.answer) !== JSON.stringify(body.answer))
      wrong.push(`[Q2] ${where} was answered ${JSON.stringify(body.answer)}, and became ${JSON.stringify(first.answer)}`)
  }
  return wrong
}

/** [S13] A start that is made again is the same run. */
function twiceIn({ own, repeats, story: { told } }: Rest): string[] {
  const names = new Set(told.starts.map(({ name }) => name))
  const seen = new Map<string, string>()
  const wrong: string[] = []
  for (const { run, standing } of own) {
    const { task, parent } = standing.started ?? {}
    if (task === undefined || parent || !names.has(task) || repeats.has(task)) continue
    const before = seen.get(task)
    if (before !== undefined) wrong.push(`[S13] ${before} and ${run} are both the run of ${task}`)
    seen.set(task, run)
  }
  return wrong
}
