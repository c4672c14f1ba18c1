// Reads the end of a judge's run as a verdict [V6]: the level's number is the score, so no text can bring one of its own.

import { isObject, type Json } from "../../json.ts"
import type { Verdict } from "../said/score.ts"
import type { Level } from "../../flow/scorer.ts"

export interface JudgeEnd {
  readonly status: string
  readonly output: Json | undefined
  readonly error: string | undefined
}

export function judgeVerdict(levels: readonly Level[], { status, output, error }: JudgeEnd): Verdict {
  if (status !== "succeeded") return { score: null, error: `the judge's run ${status}${error === undefined ? "" : `: ${error}`}` }
  const { level, reason } = isObject(output) ? output : {}
  const found = typeof level === "string" ? levels.find((one) => one.text === level) : undefined
  if (!found) return { score: null, error: "the judge chose no level of the scorer" }
  return { score: found.score, level: found.text, ...(typeof reason === "string" ? { reason } : {}) }
}
