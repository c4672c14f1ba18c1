// What is wrong with the text, as the editor shows it: with a button where what to write is certain; and what is wrong with each step.

import { useEffect, useMemo, useState } from "react"
import type { CodeProblem } from "../code/code-props.ts"
import { sentence } from "../../../web/faults/sentence.ts"
import { adviceOf } from "../../../web/flow/advice.ts"
import { mended } from "../../../web/flow/mend.ts"
import { stepAt, stepLines } from "../../../web/flow/step-lines.ts"
import type { Checked, Problem } from "./use-check.ts"

export interface StepFaults {
  readonly errors: number
  readonly warnings: number
}

export interface Problems {
  /** A line of these moves with the text around it until the server has seen the new text. */
  readonly shown: readonly CodeProblem[]
  /** Whether they are about the text as it is. */
  readonly isFresh: boolean
  readonly errors: number
  readonly faults: ReadonlyMap<string, StepFaults>
  /** The text with this one mended; undefined: it has changed since, or the reader decides. */
  readonly mend: (problem: CodeProblem) => string | undefined
}

const NONE: readonly Problem[] = []

export function useProblems(checked: Checked, text: string): Problems {
  const problems = checked.problems ?? NONE
  const about = checked.of ?? ""
  const isFresh = checked.of === text
  const boxes = useMemo(() => problems.map((one) => boxOf(one, about)), [problems, about])
  const [shown, setShown] = useState<readonly CodeProblem[]>([])
  useEffect(() => {
    if (isFresh) setShown(boxes)
  }, [isFresh, boxes])
  const faults = useMemo(() => faultsOf(problems, about), [problems, about])
  const mend = (problem: CodeProblem): string | undefined => {
    const own = problems[boxes.indexOf(problem)]
    return own && isFresh ? mended(text, own) : undefined
  }
  return { shown, isFresh, errors: problems.filter(({ severity }) => severity === "error").length, faults, mend }
}

function boxOf(problem: Problem, text: string): CodeProblem {
  const { code, line, column, severity, message, suggestion, silenced } = problem
  return {
    code,
    line,
    severity,
    message: sentence(message),
    ...(column === undefined ? {} : { column }),
    ...(silenced === undefined ? {} : { silenced }),
    ...saidOf(suggestion),
    ...(mended(text, problem) === undefined ? {} : { fix: "Fix it" }),
  }
}

function saidOf(suggestion: string | undefined): Pick<CodeProblem, "hint" | "write"> {
  if (suggestion === undefined) return {}
  const advice = adviceOf(suggestion)
  return "write" in advice ? advice : { hint: advice.say }
}

function faultsOf(problems: readonly Problem[], text: string): ReadonlyMap<string, { readonly errors: number; readonly warnings: number }> {
  const steps = stepLines(text)
  const found = new Map<string, { errors: number; warnings: number }>()
  for (const { line, severity, silenced } of problems) {
    if (silenced !== undefined) continue
    const step = stepAt(steps, line)
    if (step === undefined) continue
    const count = found.get(step.id) ?? { errors: 0, warnings: 0 }
    count[severity === "error" ? "errors" : "warnings"] += 1
    found.set(step.id, count)
  }
  return found
}
