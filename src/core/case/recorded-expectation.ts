// Derives the expectation of a recorded case from its run [K22], without what cannot repeat, such as the ids of child runs in an output.

import { isObject, type Json, type JsonObject } from "../json.ts"
import type { Mismatch } from "./matcher.ts"

/** Characters of a value that is expected whole. */
const SHOWN_CHARS = 16_384

export interface RecordedWrites {
  /** Texts that the run wrote. */
  readonly files: ReadonlyMap<string, string>
  /** Steps of which nothing is expected: they ran beside the one that failed. */
  readonly beside: ReadonlySet<string>
  /** Did work that is counted end with a failure beside it? */
  readonly cut: boolean
}

/** `found`: the run's results, as tested-run.ts reads them. */
export function expectationOf(found: JsonObject, { files: texts, beside, cut }: RecordedWrites): JsonObject {
  // The answer follows from what is expected of the output and the steps.
  const { steps, branches, output, error, turns, tool_calls, answer: _answer, ...rest } = found
  const files = cut ? new Map<string, string>() : texts
  const shown = (isObject(steps) ? Object.entries(steps) : [])
    // One that never opened may have waited for one beside the failure.
    .filter(([id, step]) => !beside.has(id) && (beside.size === 0 || !isObject(step) || step["status"] !== "canceled"))
    .map(([id, step]) => [id, ofStep(step as JsonObject)] as const)
  return {
    ...rest,
    ...(cut || turns === undefined ? {} : { turns }),
    ...(cut || tool_calls === undefined ? {} : { tool_calls }),
    ...(output === null || output === undefined || isLong(output) ? {} : { output }),
    ...(isObject(error) ? { error } : {}),
    ...(isObject(branches) && !cut && Object.keys(branches).length > 0 ? { branches } : {}),
    steps: Object.fromEntries(shown),
    ...(files.size > 0 ? { files: Object.fromEntries([...files].map(([path, text]) => [path, { equals: text }])) } : {}),
  }
}

function ofStep({ outputs, called, refused, ...step }: JsonObject): JsonObject {
  return {
    ...step,
    ...(isObject(outputs) && Object.keys(outputs).length > 0 && !isLong(outputs as Json) ? { outputs } : {}),
    ...(Array.isArray(called) && called.length > 0 ? { called } : {}),
    ...(Array.isArray(refused) && refused.length > 0 ? { refused } : {}),
  }
}

const isLong = (value: Json): boolean => JSON.stringify(value).length > SHOWN_CHARS

/** Removes the places that differed when the case was tried. A list that differs is removed as a whole. */
export function without(expect: JsonObject, differing: readonly Pick<Mismatch, "at">[]): JsonObject {
  const copy = structuredCloneOf(expect)
  for (const { at } of differing) {
    const path = at
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    drop(copy, path)
  }
  return copy
}

const structuredCloneOf = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

function drop(root: JsonObject, path: readonly string[]): void {
  let holder: Json = root
  let owner: readonly [JsonObject, string] | undefined
  for (const [i, key] of path.entries()) {
    if (isObject(holder) && Object.hasOwn(holder, key)) {
      owner = [holder as JsonObject, key]
      holder = holder[key] as Json
    } else if (Array.isArray(holder) && i < path.length - 1) holder = holder[Number(key)] ?? null
    else break
  }
  if (owner) delete owner[0][owner[1]]
}
