// Silences warnings where they arise [F54d]: a comment `sluice-allow CODE: reason` for the line that it is on, for the entry below it, or, at
// the head of a file, for the whole file. The warning stays in every list, with the reason; an error is never silenced. Pure.

import { MOST_SHOWN, type Diagnostic } from "./diagnostic.ts"

export interface Allowance {
  /** The line of the comment. */
  readonly line: number
  readonly codes: readonly string[]
  /** "": none is given, so nothing is silenced. */
  readonly reason: string
  /** The lines that it is for. */
  readonly from: number
  readonly to: number
}

const WORD = "sluice-allow"
const COMMENT = /^(.*?)(?:#|\/\/)\s*sluice-allow\b(.*)$/
const CODES = /^[ \t]*((?:[A-Z][A-Z0-9-]*,?[ \t]*)*)(?::[ \t]*(.*))?$/

export function allowancesIn(text: string): readonly Allowance[] {
  if (!text.includes(WORD)) return []
  const lines = text.split("\n")
  const head = lines.findIndex((line) => !isBlank(line) && !/^\uFEFF?---\s*$/.test(line))
  return lines
    .flatMap((whole, i): Allowance[] => {
      const [, before, after = ""] = COMMENT.exec(whole.trimEnd()) ?? []
      if (before === undefined) return []
      const [, named = "", reason = ""] = CODES.exec(after) ?? []
      const codes = named.split(/[\s,]+/).filter((code) => code !== "")
      return [{ line: i + 1, codes, reason: reason.trim(), ...linesOf(lines, i, before.trim() === "", head) }]
    })
    .filter((_, i) => i < MOST_SHOWN)
}

/** A line with nothing on it, or only a comment. */
const isBlank = (line: string): boolean => /^\s*(?:(?:#|\/\/).*)?$/.test(line)
const depth = (line: string): number => line.length - line.trimStart().length

/** From 1: the entry with everything below it that is indented more. */
function linesOf(lines: readonly string[], comment: number, isAlone: boolean, head: number): Pick<Allowance, "from" | "to"> {
  if (isAlone && (head < 0 || comment < head)) return { from: 1, to: lines.length + 1 }
  let first = comment
  while (isAlone && first < lines.length - 1 && isBlank(lines[first] ?? "")) first++
  let last = first
  while (last < lines.length - 1 && ((lines[last + 1] ?? "").trim() === "" || depth(lines[last + 1] ?? "") > depth(lines[first] ?? "")))
    last++
  return { from: first + 1, to: last + 1 }
}

const covers = ({ codes, from, to }: Allowance, { code, line }: Diagnostic): boolean => codes.includes(code) && from <= line && line <= to

/** The same list, its silenced warnings marked. */
export function silence(list: readonly Diagnostic[], allowances: readonly Allowance[]): readonly Diagnostic[] {
  if (allowances.length === 0) return list
  return list.map((one) => {
    const reason = one.severity === "error" ? undefined : allowances.find((a) => a.reason !== "" && covers(a, one))?.reason
    return reason === undefined ? one : { ...one, silenced: reason }
  })
}

/** Comments that silence nothing, or say no reason. */
export function strayAllowances(list: readonly Diagnostic[], allowances: readonly Allowance[]): readonly Diagnostic[] {
  const said = (line: number, message: string, suggestion: string): Diagnostic => ({
    code: "CAT-ALLOW",
    line,
    column: 1,
    severity: "warning",
    message,
    suggestion,
  })
  return allowances.flatMap((allowance): readonly Diagnostic[] => {
    const { line, codes, reason } = allowance
    if (codes.length === 0) return [said(line, "this comment names no code, so it silences nothing", EXAMPLE)]
    if (reason === "")
      return [said(line, "this comment gives no reason, so it silences nothing", `# ${WORD} ${codes.join(", ")}: the reason`)]
    return codes
      .filter((code) => !list.some((one) => one.severity === "warning" && covers({ ...allowance, codes: [code] }, one)))
      .map((code) => said(line, `there is no warning ${code} that this comment could silence`, "remove it"))
  })
}
const EXAMPLE = `# ${WORD} FV-REF-ORDER: one of the two branches ran`
