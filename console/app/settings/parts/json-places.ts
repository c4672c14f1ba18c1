// Where in a JSON text the values are that JSON Pointers name, so that what the server says of one stands at its line.

import { SluiceError } from "../../../../src/client/transport/sluice-error.ts"
import { messageOf } from "../../../../src/core/text/fault-text.ts"
import { pointerStep } from "../../../../src/core/text/pointer.ts"
import type { CodeProblem } from "../../code/code-props.ts"

type Place = Pick<CodeProblem, "line" | "column" | "endLine" | "endColumn">

/** Of a text that JSON.parse reads. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

interface Level {
  readonly pointer: string
  readonly isList: boolean
  index: number
  name: string | undefined
}

/** Pointer → where its value begins; of a whole object or list, its first bracket. */
export function placesOf(text: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  const levels: Level[] = []
  const [lineOf, ends] = lines(text)
  const place = (from: number, to: number): Place => {
    const [line, endLine] = [lineOf(from), lineOf(to)]
    return { line, column: from - (ends[line - 2] ?? -1), endLine, endColumn: to - (ends[endLine - 2] ?? -1) }
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const level = levels.at(-1)
    if (token === "}" || token === "]") levels.pop()
    else if (token === ",") {
      if (level) [level.index, level.name] = [level.index + 1, undefined]
    } else if (token === ":") continue
    else if (level?.isList === false && level.name === undefined) level.name = String(JSON.parse(token))
    else {
      const step = level === undefined ? "" : level.isList ? `/${level.index}` : pointerStep(level.name ?? "")
      const pointer = `${level?.pointer ?? ""}${step}`
      places.set(pointer, place(index, index + token.length))
      if (token === "{" || token === "[") levels.push({ pointer, isList: token === "[", index: 0, name: undefined })
    }
  }
  return places
}

/** Each line's number by an offset, and where the lines end. */
function lines(text: string): readonly [lineOf: (offset: number) => number, ends: readonly number[]] {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
  const lineOf = (offset: number): number => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
  return [lineOf, ends]
}

/** What the text is, or why it is no JSON. */
export function readJson(text: string): { readonly value: unknown } | { readonly problem: CodeProblem } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    const message = messageOf(error, "is not JSON")
    const at = /position (\d+)/.exec(message)?.[1]
    const [lineOf, ends] = lines(text)
    const offset = at === undefined ? text.length : Number(at)
    const line = lineOf(offset)
    return {
      problem: {
        line,
        column: offset - (ends[line - 2] ?? -1),
        severity: "error",
        message: message.replace(/ in JSON at position.*$/, ""),
      },
    }
  }
}

/** The server's faults, each at its value; one that names no value of the text stands at the nearest one around it. */
export function problemsOf(error: unknown, text: string): readonly CodeProblem[] {
  if (!(error instanceof SluiceError) || error.errors.length === 0) return []
  const places = placesOf(text)
  return error.errors.map(({ pointer, message, suggestion }) => {
    let near = pointer
    while (near !== "" && !places.has(near)) near = near.slice(0, near.lastIndexOf("/"))
    return {
      ...(places.get(near) ?? { line: 1 }),
      severity: "error" as const,
      message: near === pointer ? message : `${pointer} ${message}`,
      ...(suggestion === undefined ? {} : { hint: suggestion }),
    }
  })
}
