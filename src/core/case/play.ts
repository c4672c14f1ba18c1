// Combines the scripted turns of a case's run [K20]: those of the flow's rehearsal, with the case's turns replacing those for the same
// step. The result is pinned like a rehearsal file, as JSON, for the flow, for each child flow, and for single children.
//
// A key of a case's rehearsal is STEP, or FLOW/STEP for every child of that flow, or PARENT[INDEX]/STEP for the child that the step PARENT
// started with this index (from 0) in its first pass; in pass 2 it is PARENT#2[INDEX]/STEP. Children of children: A[0]/B[1]/STEP.

import { defined } from "../defined.ts"
import { isObject, type JsonObject } from "../json.ts"
import { turnsOf, type Rehearsal, type RehearsedTurn } from "./rehearsal.ts"

type Turns = ReadonlyMap<string, readonly RehearsedTurn[]>

export interface Plays {
  readonly own: Turns
  /** By flow. */
  readonly flows: ReadonlyMap<string, Turns>
  /** By the path of the child: `A#1[0]`, `A#1[0]/B#1[1]`. */
  readonly children: ReadonlyMap<string, Turns>
}

export function playsOf(rehearsal: Turns): Plays {
  const own = new Map<string, readonly RehearsedTurn[]>()
  const flows = new Map<string, Map<string, readonly RehearsedTurn[]>>()
  const children = new Map<string, Map<string, readonly RehearsedTurn[]>>()
  for (const [key, turns] of rehearsal) {
    const cut = key.lastIndexOf("/")
    if (cut < 0) own.set(key, turns)
    else {
      const path = childPath(key.slice(0, cut))
      const [name, all] = path === undefined ? [key.slice(0, cut), flows] : [path, children]
      const steps = all.get(name) ?? new Map<string, readonly RehearsedTurn[]>()
      all.set(name, steps.set(key.slice(cut + 1), turns))
    }
  }
  return { own, flows, children }
}

/** Identifies a child by the step that started it, the step's pass, and the child's index. */
export const childAt = (step: string, pass: number, index: number): string => `${step}#${pass}[${index}]`

/** With every pass written out; undefined: the text names a flow. */
function childPath(text: string): string | undefined {
  const parts = text.split("/").map((part) => /^([^#[\]]+)(?:#(\d{1,9}))?\[(\d{1,9})\]$/.exec(part))
  const path = parts.map((part) => (part ? childAt(part[1] ?? "", Number(part[2] ?? 1), Number(part[3])) : ""))
  return path.includes("") ? undefined : path.join("/")
}

/** The steps on the path to a child. */
export const stepsOf = (path: string): readonly string[] => path.split("/").map((part) => part.slice(0, part.lastIndexOf("#")))

/** `layers`: later ones win, step by step. */
export function playText(...layers: readonly (Turns | undefined)[]): string {
  const steps = new Map(layers.flatMap((layer) => [...(layer ?? [])]))
  return `${PLAY}${JSON.stringify(Object.fromEntries([...steps].map(([step, turns]) => [step, turns.map(written)])))}}`
}

const PLAY = '{"steps":'

/** The pinned script of a case; undefined: the text is a rehearsal file. */
export function readPlay(text: string): Rehearsal | undefined {
  if (!text.startsWith(PLAY)) return undefined
  try {
    const read: unknown = JSON.parse(text)
    const steps = isObject(read) && isObject(read["steps"]) ? Object.entries(read["steps"]) : []
    return { steps: new Map(steps.map(([step, turns]) => [step, turnsOf(turns, [], unheard, unheard)])) }
  } catch {
    return undefined
  }
}

/** Its turns were checked when they were written. */
const unheard = (): undefined => undefined

/** The turns as a file has them. */
export function written(turn: RehearsedTurn): JsonObject {
  const { calls, error, ...rest } = turn
  return {
    ...rest,
    ...defined({ error: error && { ...error } }),
    ...(calls === undefined
      ? {}
      : {
          calls: calls.map(({ tool, args, raw, result }): JsonObject => {
            const sent = { tool, ...(raw === undefined ? { args } : { raw }) }
            if (result === undefined) return sent
            const { text, isError, ...marks } = result
            return { ...sent, result: isError ? { error: text } : text, ...marks }
          }),
        }),
  }
}
