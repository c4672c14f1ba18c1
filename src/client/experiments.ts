// Compares variants of a flow [V32].

import type * as shapes from "../api/doc/experiments.doc.ts"
import type { ExperimentBegunShown, ExperimentForecastShown, ExperimentRowShown, ExperimentShown } from "../api/doc/experiments.doc.ts"
import type { ExperimentAsk, experiments } from "../api/quality/experiments.ts"
import { Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

export class ExperimentsClient extends Part<typeof experiments, typeof shapes> {
  readonly list: () => Paged<ExperimentShown> = this.paged("/v1/experiments")
  readonly get: (experiment: string) => Promise<ExperimentShown> = this.route("GET /v1/experiments/*")
  start(wish: ExperimentAsk): Promise<ExperimentBegunShown> {
    return this.json("POST", "/v1/experiments", { body: wish })
  }
  /** From 50 rows; begins nothing. */
  check(wish: ExperimentAsk): Promise<ExperimentForecastShown> {
    return this.json("POST", "/v1/experiments?check=1", { body: wish })
  }
  rows(experiment: string): Paged<ExperimentRowShown> {
    return new Paged(this.transport, `/v1/experiments/${part(experiment)}/rows`)
  }
  readonly stop: (experiment: string) => Promise<ExperimentShown> = this.route("POST /v1/experiments/*/stop")
  readonly remove: (experiment: string) => Promise<void> = this.route("DELETE /v1/experiments/*")
}
