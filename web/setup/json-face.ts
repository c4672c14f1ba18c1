// Reads and changes one place of a JSON document that is also edited as text. What becomes empty leaves the document, so that a form adds
// nothing to it that nobody has chosen.

import { isObject } from "../../src/core/json.ts"

export type Path = readonly (string | number)[]

export function at(value: unknown, path: Path): unknown {
  let here = value
  for (const step of path) here = Array.isArray(here) ? here[Number(step)] : isObject(here) ? here[String(step)] : undefined
  return here
}

/** `next` undefined: it is taken out, and with it every object around it that is empty then. */
export function withAt(value: unknown, path: Path, next: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return next
  if (Array.isArray(value) && typeof step === "number") {
    const inner = withAt(value[step], rest, next)
    return inner === undefined ? value.filter((_, index) => index !== step) : value.with(step, inner)
  }
  const object: Readonly<Record<string, unknown>> = isObject(value) ? value : {}
  const inner = withAt(object[String(step)], rest, next)
  const all = { ...object, [String(step)]: inner } as Record<string, unknown>
  if (inner === undefined) delete all[String(step)]
  return path.length > 0 && Object.keys(all).length === 0 && rest.length === 0 && next === undefined ? undefined : all
}

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

export const pointerOf = (path: Path): string => path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** A pointer's path through this value: a step is a number where there is a list. */
export function pathOf(value: unknown, pointer: string): Path {
  let here = value
  return pointer
    .split("/")
    .slice(1)
    .map((raw) => {
      const step = raw.replaceAll("~1", "/").replaceAll("~0", "~")
      const key = Array.isArray(here) ? Number(step) : step
      here = at(here, [key])
      return key
    })
}

export interface JsonFault {
  readonly pointer: string
  readonly message: string
  readonly suggestion?: string
  /** The value that it was said of. */
  readonly was: unknown
}

/** Faults whose value is still what they were said of: one that was mended goes. */
export const standing = (faults: readonly JsonFault[], value: unknown): readonly JsonFault[] =>
  faults.filter(({ pointer, was }) => isSame(at(value, pathOf(value, pointer)), was))
