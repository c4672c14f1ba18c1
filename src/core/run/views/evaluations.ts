// Turns the scores of a journal into the log records `gen_ai.evaluation.result` of OpenTelemetry [V17], under the span of the run or of the
// step's pass that was scored. Pure, like the spans: the same journal gives the same records. The conventions have the status "development".

import type { EventOf, RunEvent } from "../event.ts"
import type { Attribute } from "./span-attributes.ts"
import { spanId, traceId, type Hash } from "./span-ids.ts"

export interface Evaluation {
  /** The event. */
  readonly seq: number
  readonly trace: string
  readonly span: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly attributes: Readonly<Record<string, Attribute>>
}

type Scored = Pick<EventOf<"run.scored">, "scorer" | "score" | "level" | "reason" | "error">

/** Takes the events of one journal in order. */
export class RunEvaluations {
  readonly #hash: Hash
  /** Takes secrets out of a reason; absent: reasons stay here. */
  readonly #clean: ((reason: string) => string) | undefined
  #run = ""
  #trace = ""

  constructor(hash: Hash, clean?: (reason: string) => string) {
    this.#hash = hash
    this.#clean = clean
  }

  take(e: RunEvent): Evaluation | undefined {
    switch (e.type) {
      case "run.started":
      case "run.forked":
        return this.#begin(e)
      case "step.scored":
        return this.#record(e, `step/${e.step}/${e.pass}`)
      case "run.scored":
        return this.#record(e, "run")
      default:
        return undefined
    }
  }

  #begin(e: EventOf<"run.started"> | EventOf<"run.forked">): undefined {
    this.#run = e.run
    this.#trace = traceId({ id: e.run, trace: e.trace }, this.#hash)
  }

  #record(e: Scored & Pick<RunEvent, "seq" | "at">, of: string): Evaluation {
    const { scorer, score, level, reason, error } = e
    const explanation = this.#clean && (error ?? reason)
    return {
      seq: e.seq,
      trace: this.#trace,
      span: spanId(this.#hash, this.#run, of),
      at: e.at,
      attributes: {
        "gen_ai.evaluation.name": scorer,
        ...(score === null ? {} : { "gen_ai.evaluation.score.value": score }),
        ...(level === undefined ? {} : { "gen_ai.evaluation.score.label": level }),
        ...(explanation === undefined || !this.#clean ? {} : { "gen_ai.evaluation.explanation": this.#clean(explanation) }),
        ...(error === undefined ? {} : { "error.type": "scorer" }),
      },
    }
  }
}
