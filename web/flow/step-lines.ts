// Finds the lines of a flow's steps by indentation alone, so it also works while the text is invalid.

export interface StepLines {
  readonly id: string
  /** From 1: where its dash is, and its last line with a word. */
  readonly first: number
  readonly last: number
  /** Where its keys begin, from 0. */
  readonly indent: number
}

const STEPS = /^steps\s*:/
const DASH = /^(\s*)-(\s+)(.*)$/

export function stepLines(text: string): readonly StepLines[] {
  const lines = text.split(/\r?\n/)
  const from = lines.findIndex((line) => STEPS.test(line))
  if (from < 0) return []
  const found: { id: string; first: number; last: number; indent: number }[] = []
  let dash: number | undefined
  for (const [at, line] of lines.entries()) {
    if (at <= from || /^\s*(#|$)/.test(line)) continue
    // The next key of the flow ends its steps.
    if (/^[^\s-]/.test(line)) break
    const [, before = "", gap = "", rest = ""] = DASH.exec(line) ?? []
    const isStep = rest !== "" && (dash === undefined || before.length === dash)
    if (isStep) {
      dash = before.length
      found.push({ id: idIn(rest), first: at + 1, last: at + 1, indent: before.length + 1 + gap.length })
    } else {
      const step = found.at(-1)
      if (step) {
        step.last = at + 1
        if (step.id === "" && indentOf(line) === step.indent) step.id = idIn(line)
      }
    }
  }
  return found
}

export const stepAt = (steps: readonly StepLines[], line: number): StepLines | undefined =>
  steps.find(({ first, last }) => first <= line && line <= last)

const indentOf = (line: string): number => line.length - line.trimStart().length

/** `id: name`, or `{ id: name, … }`. */
const idIn = (text: string): string => /(?:^|[{,])\s*id\s*:\s*["']?([^"',}\s]+)/.exec(text)?.[1] ?? ""
