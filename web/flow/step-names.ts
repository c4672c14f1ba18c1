// Names that a flow's own text has: its steps, the options of a question, labels of branches, signals.

import type { Option } from "./keys.ts"
import { stepLines } from "./step-lines.ts"

export const stepsIn = (whole: string): readonly Option[] =>
  [...new Set(stepLines(whole).flatMap(({ id }) => (id === "" ? [] : [id])))].map((label) => ({ label, detail: "step" }))

/** The options of the question: what a branch of a fork can be called. */
export const optionsOf = (step: string): readonly Option[] => namesIn(/\boptions:\s*\[([^\]]*)\]/g, step, "option")

export const branchesIn = (step: string): readonly Option[] =>
  [...new Set([...step.matchAll(/^\s*([\w-]+):|[{,]\s*([\w-]+):/gm)].map(([, a, b]) => a ?? b ?? ""))].flatMap((label) =>
    new RegExp(`branches:[^]*\\b${label}:`).test(step) ? [{ label, detail: "branch" }] : [],
  )

export const signalsIn = (whole: string): readonly Option[] => namesIn(/\bsignal:\s*["']?([\w-]+)/g, whole, "signal")

function namesIn(pattern: RegExp, text: string, detail: string): readonly Option[] {
  const found = [...text.matchAll(pattern)].flatMap(([, list = ""]) =>
    list.split(",").map((one) => one.trim().replaceAll(/^["']|["']$/g, "")),
  )
  return [...new Set(found)].filter((label) => label !== "").map((label) => ({ label, detail }))
}
