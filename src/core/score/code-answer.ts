// Reads what a scorer's handler returned [V5]: a number, null, or `{score, reason?}`. Anything else is an error, which is no score.

import { isObject, type Json } from "../json.ts"
import type { Verdict } from "../run/said/score.ts"

export function codeAnswer(value: Json | undefined): Verdict {
  if (isObject(value)) {
    const { score, reason, ...others } = value
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) return wrong(`the handler's answer has the unknown member "${unknown}"; it may have score and reason`)
    if (reason !== undefined && typeof reason !== "string") return wrong("the handler's `reason` is not text")
    const verdict = ofNumber(score as Json | undefined)
    return reason === undefined || verdict.error !== undefined ? verdict : { ...verdict, reason }
  }
  return ofNumber(value)
}

function ofNumber(score: Json | undefined): Verdict {
  if (score === null) return { score: null }
  if (typeof score === "number" && score >= 0 && score <= 1) return { score }
  return wrong("the handler must return a number from 0 to 1, null, or { score, reason }")
}

const wrong = (error: string): Verdict => ({ score: null, error })
