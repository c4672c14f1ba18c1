// Values on a command line: of the type that is wanted; where none is known, JSON if it is valid, otherwise text.

import type { Json } from "../src/core/json.ts"
import { exactJson } from "../src/core/outside/exact-json.ts"
import { usage } from "./program.ts"

/** Input → its type, as the flow declares it. */
export type InputTypes = Readonly<Record<string, { readonly type: string }>>

/** `a=1` is the number 1, `a=x` the text x; for an input of the type string, `a=1` is the text 1. */
export function inputsOf(pairs: readonly string[], types: InputTypes = {}): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=")
      if (at < 1) throw usage(`--input ${pair}: write NAME=VALUE`)
      const [name, text] = [pair.slice(0, at), pair.slice(at + 1)]
      return [name, Object.hasOwn(types, name) && types[name]?.type === "string" ? textOf(text) : valueOf(text)]
    }),
  )
}

/** Quotes around it are JSON's, as for inputs of any other type. */
function textOf(text: string): string {
  const value = valueOf(text)
  return typeof value === "string" ? value : text
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
