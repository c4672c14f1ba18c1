// Values on a command line: JSON if it is valid, otherwise text.

import type { Json } from "../src/core/json.ts"
import { exactJson } from "../src/core/outside/exact-json.ts"
import { usage } from "./program.ts"

/** `a=1` is the number 1, `a=x` the text x. */
export function inputsOf(pairs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=")
      if (at < 1) throw usage(`--input ${pair}: write NAME=VALUE`)
      return [pair.slice(0, at), valueOf(pair.slice(at + 1))]
    }),
  )
}

export function valueOf(text: string): unknown {
  try {
    return exactJson(text)
  } catch {
    return text
  }
}

export function jsonOf(option: string, text: string): Json {
  try {
    return exactJson(text) as Json
  } catch {
    throw usage(`${option} ${text.slice(0, 80)}: this is not JSON`)
  }
}
