// Compares two runs [K17]: aligns their passes by step and pass, and finds where their outputs differ. Pure.

import { canonical, isObject, type Json, type JsonObject } from "../../json.ts"
import { pointerStep } from "../../text/pointer.ts"
import type { Pass, ShownPass } from "./passes.ts"

/** The parts of a run that are compared. */
export interface Compared {
  /** The ids of its flow's steps, in the flow's order. */
  readonly steps: readonly string[]
  readonly passes: readonly Pass[]
}

export interface StepPair {
  readonly step: string
  readonly pass: number
  readonly same: boolean
  /** null: this run has no such pass. */
  readonly a: ShownPass | null
  readonly b: ShownPass | null
}

/** The pairs in the order of a's flow, then the passes that only b has. */
export function pairs(a: Compared, b: Compared): StepPair[] {
  const [ofA, ofB] = [byStep(a.passes), byStep(b.passes)]
  const order = new Set([...a.steps, ...ofA.keys(), ...b.steps, ...ofB.keys()])
  return [...order].flatMap((step) => {
    const [one, other] = [ofA.get(step) ?? new Map<number, ShownPass>(), ofB.get(step) ?? new Map<number, ShownPass>()]
    const passes = [...new Set([...one.keys(), ...other.keys()])].toSorted((x, y) => x - y)
    return passes.map((pass) => {
      const [x, y] = [one.get(pass) ?? null, other.get(pass) ?? null]
      return { step, pass, same: text(x) === text(y), a: x, b: y }
    })
  })
}

function byStep(passes: readonly Pass[]): ReadonlyMap<string, Map<number, ShownPass>> {
  const all = new Map<string, Map<number, ShownPass>>()
  for (const { step, pass, shown } of passes) {
    const own = all.get(step) ?? new Map<number, ShownPass>()
    all.set(step, own.set(pass, shown))
  }
  return all
}

const text = (shown: ShownPass | null): string => (shown === null ? "" : canonical(nameless(shown as unknown as JsonObject)))

/** A child of a map has an id of its own in every run: that two children have other names is no difference. */
const isChild = (value: JsonObject): boolean =>
  typeof value["index"] === "number" && typeof value["run"] === "string" && typeof value["status"] === "string"

function nameless(value: Json): Json {
  if (Array.isArray(value)) return value.map(nameless)
  if (!isObject(value)) return value
  const members = Object.entries(value as JsonObject).filter(([name]) => name !== "run" || !isChild(value as JsonObject))
  return Object.fromEntries(members.map(([name, member]) => [name, nameless(member)]))
}

export interface ValueDifference {
  readonly pointer: string
  /** null: it is null, or not there. */
  readonly a: Json
  readonly b: Json
}

/** The JSON pointers at which two values differ, down to the deepest member or item that both have. */
export function differences(a: Json | undefined, b: Json | undefined, pointer = ""): ValueDifference[] {
  if (a !== undefined && b !== undefined && canonical([a]) === canonical([b])) return []
  if ((a ?? null) === null && (b ?? null) === null) return []
  if (Array.isArray(a) && Array.isArray(b))
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => i).flatMap((i) =>
      differences(a[i], b[i], `${pointer}${pointerStep(i)}`),
    )
  if (isObject(a) && isObject(b)) {
    const of = (value: object, name: string): Json | undefined => (Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined)
    const names = new Set([...Object.keys(a), ...Object.keys(b)])
    if (isChild(a as JsonObject) && isChild(b as JsonObject)) names.delete("run")
    return [...names].flatMap((name) => differences(of(a, name), of(b, name), `${pointer}${pointerStep(name)}`))
  }
  return [{ pointer, a: a ?? null, b: b ?? null }]
}
