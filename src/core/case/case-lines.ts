// Finds where each case of a flow's tests begins, for an editor that shows one case at a time. Works for files with faults too.

import { isObject } from "../json.ts"
import { jsonOf, readYaml } from "../flow/parse/source.ts"
import { MAX_CASES } from "./parse-tests.ts"

export interface CaseLine {
  readonly name: string
  /** Of the file, from 1. */
  readonly line: number
}

export function caseLines(text: string): readonly CaseLine[] {
  const { root, place } = readYaml(text, "TV")
  const json = root === undefined ? null : jsonOf(root)
  const cases = isObject(json) ? json["cases"] : undefined
  if (!Array.isArray(cases)) return []
  return cases.slice(0, MAX_CASES).flatMap((one, i) => {
    const name = isObject(one) ? one["name"] : undefined
    return typeof name === "string" ? [{ name, line: place(["cases", i]).line }] : []
  })
}
