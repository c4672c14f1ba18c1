// Serves a tenant's scorers and scores [V1–V22].

import { defined } from "../../../core/defined.ts"
import { allScorers } from "../../../engine/catalog/score/known-scorers.ts"
import { lazy } from "../../../core/lazy.ts"
import { isFree } from "../../../core/money/prices.ts"
import { meanOf, type ShownFeedback } from "../../../core/run/said/said.ts"
import { ruleFor } from "../../../core/score/scoring-setting.ts"
import { asksModel } from "../../../core/flow/scorer.ts"
import { isoTime } from "../../../core/text/iso-time.ts"
import type { Answers } from "../../../ports/objects.ts"
import type { ScoresPort, ScoresTaken } from "../../../ports/tenant/quality/scores.ts"
import type { KnownScorer } from "../../../ports/tenant/quality/scorers.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantResources } from "../tenant-resources.ts"

type Asked = Extract<ScoresTaken, { ok: true }>["data"][number]

/** [V18] The givers' mean, if it is low. */
function lowFeedback(said: ShownFeedback, low: number | undefined): number | undefined {
  const mean = meanOf(said) ?? undefined
  return low !== undefined && mean !== undefined && mean < low ? mean : undefined
}

const trusts = lazy(() => import("./trust-room.ts"))

export const scoreRoom = (all: TenantResources): Answers<ScoresPort> => {
  const { catalog, providers, settings, scorings, gradings, trust, failures, feed, runs, judges, known, want } = all
  return {
    async scorers() {
      const { view } = await catalog.ground.current()
      return (await allScorers({ view, models: providers.models() })).map(({ scorer, version, tier }) => {
        const { name, kind, description, judge } = scorer
        return { name, kind, description, version, ...defined({ levels: judge && [...judge.levels] }), tier }
      })
    },
    async ask({ run, flow, scorers, again = false, by, ask, versions }) {
      const found: KnownScorer[] = []
      for (const [at, name] of scorers.entries()) {
        const one = await known(name)
        if (!one) return { ok: false, code: "unknown", at }
        const isPaid = asksModel(one.scorer) && (one.model ?? "").split(",").some((model) => !isFree(model))
        if (isPaid && settings.get("scoring").budget === undefined && providers.prices()(one.model?.split(",")[0] ?? "") !== undefined)
          return { ok: false, code: "no_budget", at }
        if (isPaid && settings.get("scoring").budget !== undefined && !judges.reserve(one, "")) return { ok: false, code: "quota", at }
        found.push(one)
      }
      const now = clock.now()
      const data = found.map(({ scorer: { name }, version }): Asked => {
        const about = { scorer: name, version }
        if (!again && versions[name]?.includes(version) === true) return { ...about, state: "done" }
        const order = { by, ask, ...(again ? { again } : {}) }
        if (scorings.add({ run, scorer: name, flow, order }, now)) return { ...about, state: "waiting" }
        scorings.skip("queue", now)
        return { ...about, state: "skipped", why: "queue" }
      })
      want(now)
      return { ok: true, data }
    },
    async heard(run, flow, { given, said, at }) {
      const { scorer, score } = given
      // A grade answers a scorer's question; it is no feedback of the run.
      if (scorer !== undefined) {
        gradings.remove(run, scorer)
        if (score !== undefined) trust.graded({ run, scorer, score, at })
      } else {
        const now = clock.now()
        scorings.keepFeedback({ run, flow, now }, said.feedback)
        const low = said.feedback && lowFeedback(said.feedback, ruleFor(settings.get("scoring"), flow)?.low)
        if (low !== undefined && runs.source(run)?.status === "succeeded")
          failures.addLow({
            run,
            flow,
            scorer: "feedback",
            at: now,
            score: low,
            level: "thumbs down",
            ...defined({ reason: given.comment }),
          })
      }
      feed.tell("feedback.given", { run, flow, ...defined({ scorer }) })
    },
    async levels(scorer) {
      const one = await known(scorer)
      return one && (one.scorer.judge?.levels ?? null)
    },
    today() {
      const now = clock.now()
      const { scored, usd, tokens, budget, queue } = scorings.today(now)
      return { day: isoTime(now).slice(0, 10), scored, skipped: { budget, queue }, waiting: scorings.waiting(), usage: { tokens, usd } }
    },
    async grading(filter) {
      const waiting = gradings.list(filter)
      const names = new Set(waiting.map(({ scorer }) => scorer))
      const scorers = new Map(await Promise.all([...names].map(async (name) => [name, (await known(name))?.scorer] as const)))
      return waiting.map((one) => {
        const { judge, files = [] } = scorers.get(one.scorer) ?? {}
        return { ...one, files, ...(judge ? { rubric: judge.rubric, levels: judge.levels } : {}) }
      })
    },
    async addGrading(scorer, ids) {
      if (!(await known(scorer))) return undefined
      const since = clock.now()
      let added = 0
      for (const run of new Set(ids)) {
        const flow = runs.flowOf(run)
        if (flow !== undefined && gradings.add({ run, flow, scorer, since })) added += 1
      }
      return { added }
    },
    sums: (from, to, daily) => scorings.sums(from, to, daily),
    skipGrading: (run, scorer) => gradings.remove(run, scorer),
    probe: async (wish) => (await trusts()).trustRoom(all).probe(wish),
    trust: async (scorer) => (await trusts()).trustRoom(all).trust(scorer),
  }
}
