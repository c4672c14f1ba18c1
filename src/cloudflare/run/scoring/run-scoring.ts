// Scores a run, and takes what people say of it [V11, V19]: both become events of its journal, also after its end.

import { defined } from "../../../core/defined.ts"
import { lazy } from "../../../core/lazy.ts"
import type { FactOf, RunEvent } from "../../../core/run/event.ts"
import { shownFeedback, shownScores } from "../../../core/run/said/said.ts"
import { isOver, type Run } from "../../../core/run/state.ts"
import { runView } from "../../../core/run/views/view.ts"
import { kept, type Score, type Verdict } from "../../../core/run/said/score.ts"
import type { Answers, RunRooms } from "../../../ports/objects.ts"
import type { RowAnswer, RowAsk } from "../../../ports/tenant/quality/experiments.ts"
import type { FeedbackTaken, FeedbackWish, SaidEvents, SaidOfRun, ScoreAnswer, ScoreAsk } from "../../../ports/tenant/quality/scoring.ts"
import type { Account } from "../../../core/score/account.ts"
import { loaderSandbox } from "../../sandbox/sandbox-loader.ts"
import { clock } from "../../platform/clock.ts"
import type { AwakeRun } from "../awake-run.ts"
import { eventsOf } from "../journal/journal-pages.ts"
import type { RunResources } from "../run-resources.ts"
import type { RunStart } from "../run-start.ts"

const planning = lazy(() => import("../../authoring/row-plan.ts"))
const scoring = lazy(() => import("../../../engine/score/score-asked.ts"))

type Text = (path: string) => Promise<{ readonly body: Uint8Array } | undefined>

export class RunScoring implements Answers<RunRooms["quality"]> {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #starts: RunStart
  readonly #file: Text

  constructor(resources: RunResources, self: AwakeRun, starts: RunStart, file: Text) {
    this.#resources = resources
    this.#self = self
    this.#starts = starts
    this.#file = file
  }

  async score(asked: ScoreAsk): Promise<ScoreAnswer> {
    const conductor = await this.#self.awake()
    if (!conductor) return { state: (await this.#starts.run()) ? "not_over" : "gone" }
    const { run } = conductor
    if (!isOver(run)) return { state: "not_over" }
    if (run.status === "canceled") return { state: "canceled" }
    const { scorer, version, by, judged, ask, experiment, again, probe } = asked
    if (probe) {
      const found = await this.#judge(run, asked)
      return "task" in found ? { state: "judge", task: found.task, tainted: isTainted(run) } : { state: "known" }
    }
    const before = run.said?.scores[scorer.name]
    const at = { said: saidOf(run), flow: run.flow, status: run.status }
    // The tenant's object did not hear the answer.
    if (before && ask !== undefined && before.ask === ask)
      return { state: "scored", score: scoreOf(scorer.name, before.version, verdictOf(before)), ...at }
    if (again !== true && before?.versions.includes(version) === true) return { state: "known" }
    const found = judged ? { verdict: judged.verdict } : await this.#judge(run, asked)
    if ("task" in found) return { state: "judge", task: found.task, tainted: isTainted(run) }
    // [T32] A handler and a judge may say what they read.
    const verdict = kept(await this.#self.clean(found.verdict))
    const made = { scorer: scorer.name, version, ...verdict, ...defined({ judge: judged?.run, usage: judged?.usage, cost: judged?.cost }) }
    const fact: FactOf<"run.scored"> = { type: "run.scored", ...made, by, ...defined({ ask, experiment }) }
    this.#resources.telemetry.scored(run.seq)
    conductor.tell({ type: "score", scored: fact, ...defined({ again }) })
    return { state: "scored", score: scoreOf(scorer.name, version, verdict), said: saidOf(run), flow: run.flow, status: run.status }
  }

  async #judge(run: Run, asked: ScoreAsk): Promise<{ readonly verdict: Verdict } | { readonly task: string }> {
    const { scoreAsked, accountOf } = await scoring()
    const { env, journal } = this.#resources
    const view = runView(run)
    const events = [...eventsOf(journal)]
    return scoreAsked(
      {
        flow: view.flow,
        task: view.task,
        scored: (more) => ({ account: accountOf({ view, events, ...more }), view, events }),
        file: async (path) => textOf((await this.#file(path))?.body),
        sandbox: loaderSandbox(env.LOADER, this.#self.tenant ?? ""),
        turn: async () => undefined,
        fresh: () => crypto.randomUUID().replaceAll("-", "").slice(0, 16),
      },
      asked,
    )
  }

  async account(names: readonly string[]): Promise<Account | undefined> {
    const run = await this.#starts.run()
    if (!run) return undefined
    const { accountOf } = await scoring()
    const files: Record<string, string | null> = {}
    for (const path of names) files[path] = textOf((await this.#file(path))?.body)
    return accountOf({ view: runView(run), events: [...eventsOf(this.#resources.journal)], files })
  }

  async planRow(asked: RowAsk): Promise<RowAnswer | undefined> {
    const [{ tenant }, run] = [this.#self, await this.#starts.run()]
    if (!run || tenant === undefined || !isOver(run)) return undefined
    const { rowPlanOf } = await planning()
    return rowPlanOf(this.#resources.env, { tenant, run: run.id, flow: run.flow }, asked)
  }

  async feedback(wish: FeedbackWish): Promise<FeedbackTaken> {
    const conductor = await this.#self.awake()
    if (!conductor) return { ok: false, code: (await this.#starts.run()) ? "not_running" : "not_found" }
    const given = await this.#self.clean(wish)
    const told = conductor.tell({ type: "feedback", given: { type: "feedback.given", ...given } })
    if (!told.ok) return { ok: false, code: told.error.code === "too_many" ? "too_many" : "not_running" }
    const { page: _page, ...shown } = given
    return { ok: true, at: clock.now(), said: saidOf(conductor.run), given: shown }
  }

  async said(): Promise<{ readonly status: string; readonly isOver: boolean; readonly events: SaidEvents } | undefined> {
    const run = await this.#starts.run()
    if (!run) return undefined
    // In a fork, what the prefix says is the source's alone [V19].
    const from = run.fork?.seq ?? 0
    const events = run.said ? [...eventsOf(this.#resources.journal, from)].filter(isSaid).toReversed() : []
    return { status: run.status, isOver: isOver(run), events }
  }
}

const isTainted = (run: Run): boolean => run.marked === true || run.tainted === true

const verdictOf = ({ score, level, reason, error }: Verdict): Verdict => ({ score, ...defined({ level, reason, error }) })

const scoreOf = (scorer: string, version: string, verdict: Verdict): Score => ({ scorer, version, ...verdict })

const saidOf = ({ said }: Run): SaidOfRun => (said ? defined({ scores: shownScores(said), feedback: shownFeedback(said) }) : {})

const isSaid = (e: RunEvent): e is SaidEvents[number] => e.type === "run.scored" || e.type === "feedback.given"

function textOf(body: Uint8Array | undefined): string | null {
  if (!body) return null
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return null
  }
}
