// Reads what a tool said as JSON, for templates and handlers [F26b, F27].

import { isEndless, isTooDeep, type Json } from "../../json.ts"
import { exactJson } from "../../outside/exact-json.ts"

/** undefined: the text is no JSON, or none that a template could hold. */
export function dataIn(text: string): Json | undefined {
  try {
    const value = exactJson(text) as Json
    return isTooDeep(value) || isEndless(value) ? undefined : value
  } catch {
    return undefined
  }
}
