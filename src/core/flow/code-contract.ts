// Checks what a handler returns [F24, F25]: exactly the declared outputs, plus for a code-decision `branch`, one of its labels.

import { isObject, type Json, type JsonObject } from "../json.ts"
import { nearest } from "../text/nearest.ts"
import { err, ok, type Result } from "../result.ts"

export interface CodeContract {
  /** Names of the declared outputs. */
  readonly outputs: readonly string[]
  /** The labels of a code-decision; absent for a code step. */
  readonly branches?: readonly string[]
}

export interface CodeOutcome {
  /** The declared outputs, in declaration order, without the branch. */
  readonly outputs: JsonObject
  readonly branch?: string
}

/** The error is a sentence that names every wrong key. */
export function checkContract(contract: CodeContract, value: Json): Result<CodeOutcome, string> {
  if (!isObject(value)) return err(`the handler must return an object with ${wanted(contract)}, and returned ${kindOf(value)}`)
  const { outputs, branches } = contract
  const faults: string[] = []
  const missing = outputs.filter((name) => !Object.hasOwn(value, name))
  const extra = Object.keys(value).filter((key) => !outputs.includes(key) && !(branches !== undefined && key === "branch"))
  if (missing.length > 0) faults.push(`is missing ${list(missing)}`)
  if (extra.length > 0) faults.push(`has ${list(extra)}, which ${extra.length === 1 ? "is" : "are"} not declared${hint(extra, missing)}`)
  const branch = value["branch"]
  if (branches !== undefined) {
    if (!Object.hasOwn(value, "branch")) faults.push(`is missing "branch" (one of ${list(branches)})`)
    else if (typeof branch !== "string" || !branches.includes(branch))
      faults.push(`has the branch ${show(branch)}, which is none of ${list(branches)}`)
  }
  if (faults.length > 0) return err(`the output ${faults.join("; it ")}. It must have exactly ${wanted(contract)}`)
  const kept = Object.fromEntries(outputs.map((name) => [name, value[name] ?? null]))
  return ok({ outputs: kept, ...(branches !== undefined && typeof branch === "string" ? { branch } : {}) })
}

/** The text of a step that set no summary [pi-flows §2.8]. */
export const codeSummary = (step: string, outcome: CodeOutcome): string => {
  const names = Object.keys(outcome.outputs)
  const branch = outcome.branch === undefined ? "" : `, branch "${outcome.branch}"`
  return `Step "${step}" returned ${names.length === 0 ? "no outputs" : names.join(", ")}${branch}.`
}

const SHOWN = 10

function list(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => show(name))
  return names.length > SHOWN ? `${shown.join(", ")} and ${names.length - SHOWN} more` : shown.join(", ")
}

function wanted({ outputs, branches }: CodeContract): string {
  const keys = branches === undefined ? outputs : [...outputs, "branch"]
  return keys.length === 0 ? "no keys: no outputs are declared" : `the keys ${list(keys)}`
}

function hint(extra: readonly string[], missing: readonly string[]): string {
  const [key] = extra
  const near = key === undefined ? undefined : nearest(key, missing)
  return near === undefined ? "" : ` (did you mean "${near}"?)`
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

const kindOf = (value: Json): string => (value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`)
