// Fixes the scorers of an experiment with their judges [V32], and refuses one whose dollars nobody could count.

import { defined } from "../../../../core/defined.ts"
import { bareModel, isFree, type PriceBook } from "../../../../core/money/prices.ts"
import { modelsOf } from "../../../../engine/catalog/pin/start-money.ts"
import type { ExperimentBegun, ExperimentFixed } from "../../../../ports/tenant/quality/experiments.ts"
import type { KnownScorer } from "../../../../ports/tenant/quality/scorers.ts"
import type { Judges } from "../judges.ts"
import type { ExperimentBody, FixedScorer } from "./experiment-store.ts"

export interface ReadyDeps {
  readonly known: (scorer: string) => Promise<KnownScorer | undefined>
  readonly judges: Pick<Judges, "pin">
  readonly prices: () => PriceBook
}

export async function readyExperiment(
  { known, judges, prices }: ReadyDeps,
  fixed: ExperimentFixed,
): Promise<{ readonly ok: true; readonly body: ExperimentBody } | Extract<ExperimentBegun, { ok: false }>> {
  const scorers: FixedScorer[] = []
  for (const [at, name] of fixed.scorers.entries()) {
    const one = await known(name)
    if (!one) return { ok: false, code: "no_scorer", at }
    scorers.push({ known: one, ...defined({ judge: await judges.pin(one) }) })
  }
  if (fixed.budget?.usd !== undefined && !fixed.isEqual) {
    const models = new Set([
      ...fixed.variants.flatMap(({ pinned = {} }) => Object.values(pinned).flatMap(({ pins }) => modelsOf(pins))),
      ...scorers.flatMap(({ known: { model = "" } }) => (model === "" ? [] : model.split(","))),
    ])
    const unpriced = [...models].filter((model) => !isFree(model) && prices()(bareModel(model)) === undefined)
    if (unpriced.length > 0) return { ok: false, code: "no_price", models: [...new Set(unpriced.map(bareModel))] }
  }
  return { ok: true, body: { ...fixed, fixed: scorers } }
}

/** The rows of an experiment, or of a dataset, as one text. */
export const rowsHash = (hash: (text: string) => string, rows: readonly { readonly id: string }[]): string =>
  hash(
    rows
      .map(({ id }) => id)
      .toSorted()
      .join("\n"),
  )
