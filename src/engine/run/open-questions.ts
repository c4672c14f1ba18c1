// Collects the open questions of a run and the runs below it [P5]: a client talks to the first run, and each question is answered in the
// run that asked it.

import { MAX_DEPTH } from "../../core/run/steps/children.ts"
import { insideId, outsideId } from "../../core/run/protocol/protocol-state.ts"
import type { Answer } from "../../core/run/signal.ts"
import type { InteractionView, RunView } from "../../core/run/views/view.ts"
import { RUN_ID, type AnswerResult, type RunPort } from "../../ports/run.ts"
import { pause } from "../../ports/timers.ts"

type Runs = (id: string) => Pick<RunPort, "view" | "interactions" | "interaction" | "answer" | "answerAll">

/** An answer to a run below reaches this run within milliseconds; it is not waited for longer than this. */
const LOOKS = 100
const LOOK_PAUSE = 50

/** The open questions, oldest first; this run's own come before those of the runs below. */
export async function openQuestions(runs: Runs, view: Pick<RunView, "id" | "asks">): Promise<InteractionView[]> {
  const own = (await runs(view.id).interactions("pending")) ?? []
  const below = await Promise.all((view.asks ?? []).map(({ run, id }) => runs(run).interaction(id)))
  return [...own, ...below.filter((asked) => asked?.status === "pending").filter((asked) => asked !== undefined)]
}

/** The interaction with this id, if this run or a run below it asked. */
export async function questionOf(runs: Runs, { id }: Pick<RunView, "id">, name: string): Promise<InteractionView | undefined> {
  const inside = insideId(name)
  if (!inside || !RUN_ID.test(inside.run)) return undefined
  if (inside.run !== id && !(await upwards(runs, inside.run)).some((view) => view.id === id)) return undefined
  return runs(inside.run).interaction(inside.id)
}

/** The run through which clients see a question of `run`: the highest run above it that `fits`, or itself. */
export async function runAbove(runs: Runs, run: string, fits: (view: RunView) => boolean): Promise<RunView | undefined> {
  return RUN_ID.test(run) ? (await upwards(runs, run)).findLast((view) => fits(view)) : undefined
}

/** The run and those above it. */
async function upwards(runs: Runs, run: string): Promise<RunView[]> {
  const found: RunView[] = []
  for (let next: string | undefined = run; next !== undefined && found.length <= MAX_DEPTH;) {
    const view: RunView | undefined = await runs(next).view()
    if (view) found.push(view)
    next = view?.parent?.run
  }
  return found
}

/** The author of an answer. `outside`: not one of the tenant's people [G11]. */
export interface Answering {
  readonly by: string
  readonly outside?: true | undefined
}

export interface GivenAnswer {
  readonly asked: Pick<InteractionView, "run" | "id">
  readonly body: Answer
}

/**
 * Gives all answers, or none, to the runs that asked. Resolves when the client's run knows, so that its next events come after the answers.
 * Returns the refused answer; undefined: all were accepted.
 */
export async function giveAnswers(
  runs: Runs,
  { id: top }: Pick<RunView, "id">,
  answers: readonly GivenAnswer[],
  { by, outside }: Answering,
): Promise<{ readonly given: GivenAnswer; readonly result: Extract<AnswerResult, { ok: false }> } | undefined> {
  const byRun = [...new Set(answers.map(({ asked }) => asked.run))].map((run) => ({
    run,
    given: answers.filter(({ asked }) => asked.run === run),
  }))
  // Of several runs, each judges its part before any of them decides.
  for (const only of byRun.length > 1 ? (["judge", undefined] as const) : [undefined])
    for (const { run, given } of byRun) {
      const bodies = given.map(({ asked, body }) => ({ id: asked.id, body }))
      const refused = await runs(run).answerAll(bodies, by, only, outside)
      const one = refused && given.find(({ asked }) => asked.id === refused.id)
      if (refused && one) return { given: one, result: refused.result }
    }
  for (const { asked } of answers) if (asked.run !== top) await knows(runs, top, asked)
  return undefined
}

export async function answerQuestion(
  runs: Runs,
  view: Pick<RunView, "id">,
  asked: Pick<InteractionView, "run" | "id">,
  { body, by, outside }: Answering & { readonly body: Answer },
): Promise<AnswerResult> {
  const result = await runs(asked.run).answer(asked.id, body, by, outside)
  if (asked.run !== view.id && (result.ok || result.code === "already_answered")) await knows(runs, view.id, asked)
  return result
}

async function knows(runs: Runs, top: string, asked: Pick<InteractionView, "run" | "id">): Promise<void> {
  for (let n = 0; n < LOOKS; n++) {
    const now = await runs(top).view()
    if (now?.asks?.some(({ run, id }) => run === asked.run && id === asked.id) !== true) return
    await pause(LOOK_PAUSE)
  }
}

/** Tells whether the question was answered with this body: a repeated answer changes nothing. */
export const isAnsweredSo = ({ status, answer = {} }: InteractionView, { hash: _hash, ...body }: Answer): boolean =>
  status === "answered" && Object.entries(body).every(([name, value]) => JSON.stringify(answer[name]) === JSON.stringify(value))

/** The question's id for clients of `view`'s run; a run's own question has its plain id there. */
export const nameAt = (run: string, asked: Pick<InteractionView, "run" | "id">): string =>
  asked.run === run ? asked.id : outsideId(asked.run, asked.id)
