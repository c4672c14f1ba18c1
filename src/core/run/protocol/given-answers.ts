// Lists the texts of a run that its client may send back as history [P2]: its answer and its questions. Only an untainted run contributes, so a text
// with a known digest is the tenant's own. A digest belongs to the key or the thread that received the text; other keys and threads do not have it.

import type { Run } from "../state.ts"
import { answerText } from "./answer-text.ts"
import { questionText } from "./person-text.ts"

/** Limit: questions of a run that its client's history is compared with, the newest → an older one counts as text from outside. */
const MAX_QUESTIONS = 50
/** Lines between two questions that are asked together. */
const BETWEEN = "\n\n"

/** Clients trim and reflow texts, so consecutive white space counts as one space. */
export const asSaid = (text: string): string => text.normalize("NFC").replace(/\s+/gu, " ").trim()

/** The text to digest, with its owner. `thread`: as the start names it; a run's own id is not a thread that others share. */
export const underKey = (key: string, text: string): string => `key\n${key}\n${asSaid(text)}`
export const underThread = (flow: string, thread: string, text: string): string => `thread\n${flow}\n${thread}\n${asSaid(text)}`
/** The mark that text from outside has reached the thread. It is never removed. */
export const markOf = (flow: string, thread: string): string => `marked\n${flow}\n${thread}`

/** What the tenant remembers of this run: nothing if the run came from no message and no thread. */
export function rememberedOf(run: Run): string[] {
  const { flow, starters = [] } = run
  const askers = new Set([run.asker, ...starters.map(({ asker }) => asker)].filter((asker) => asker !== undefined))
  const thread = run.thread === run.id ? undefined : run.thread
  if (run.parent !== undefined || (askers.size === 0 && run.thread === undefined)) return []
  if (run.marked === true || run.origins !== undefined) return thread === undefined ? [] : [markOf(flow, thread)]
  return textsOf(run).flatMap((text) => [
    ...[...askers].map((asker) => underKey(asker, text)),
    ...(thread === undefined ? [] : [underThread(flow, thread, text)]),
  ])
}

function textsOf(run: Run): string[] {
  const asked = Object.values(run.interactions)
  const together = asked.filter(({ status }) => status === "pending").map((one) => questionText(one))
  const texts = new Set([
    ...asked.slice(-MAX_QUESTIONS).map((one) => questionText(one)),
    together.join(BETWEEN),
    ...(run.status === "succeeded" ? answersOf(run) : []),
  ])
  return [...texts].filter((text) => asSaid(text) !== "")
}

/** The answer as protocols tell it; a client that asks for JSON is told the whole output. */
function answersOf({ output, steps, plan }: Run): string[] {
  const ended = Object.values(steps).flatMap(({ result, ended: at }) =>
    at === undefined || !result?.summary ? [] : [{ at, text: result.summary }],
  )
  const last = Math.max(...ended.map(({ at }) => at), 0)
  const summaries = ended.filter(({ at }) => at === last).map(({ text }) => text)
  const whole = plan.flow.outputs === undefined ? [] : [JSON.stringify(output ?? null)]
  return [...(summaries.length === 0 ? [""] : summaries).map((summary) => answerText(output, summary)), ...whole]
}
