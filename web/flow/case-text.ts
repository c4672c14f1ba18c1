// Extracts one case from a file of tests, and puts the edited case back. This needs a list in which each case begins on its own line; any
// other file is edited as a whole.

import type { FlowStart } from "../../src/core/flow/check/graph-view.ts"

/** Lines of the file, from 0; `to` is exclusive. */
export interface CasePiece {
  readonly from: number
  readonly to: number
  readonly indent: string
}

const DASH = /^(\s*)-(\s|$)/

/** `lines`: the first line of each case, from 1. */
export function pieceOf(text: string, lines: readonly number[], at: number): CasePiece | undefined {
  const all = text.split("\n")
  const indents = new Set(lines.map((line) => DASH.exec(all[line - 1] ?? "")?.[1]))
  const [indent] = indents
  if (indents.size !== 1 || indent === undefined || new Set(lines).size !== lines.length) return undefined
  const from = lines[at]
  if (from === undefined) return undefined
  const next = lines[at + 1]
  const end = all.at(-1) === "" ? all.length - 1 : all.length
  return { from: from - 1, to: next === undefined ? end : next - 1, indent }
}

export function caseText(text: string, { from, to, indent }: CasePiece): string {
  const lines = text.split("\n").slice(from, to)
  return `${lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart())).join("\n")}\n`
}

/** The file with another text in place of the case, or without it. */
export function withCase(text: string, { from, to, indent }: CasePiece, own: string): string {
  const lines = text.split("\n")
  return [...lines.slice(0, from), ...indented(own, indent), ...lines.slice(to)].join("\n")
}

/** The place for a new case; undefined: no case can be added at the end of the file. */
export function placeForNew(text: string, lines: readonly number[]): CasePiece | undefined {
  const last = pieceOf(text, lines, lines.length - 1)
  if (last) return { ...last, from: last.to }
  const all = text.split("\n")
  return lines.length === 0 && /^cases:\s*$/m.test(text) ? { from: all.length - 1, to: all.length - 1, indent: "  " } : undefined
}

const indented = (own: string, indent: string): string[] =>
  own.trim() === ""
    ? []
    : own
        .replace(/\n+$/, "")
        .split("\n")
        .map((line) => (line === "" ? line : indent + line))

const SAMPLES = { string: "an example", number: 1, boolean: false, object: {}, array: [] }

/** A sample value for each required input. */
export const sampleInputs = ({ inputs }: FlowStart): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(inputs).flatMap(([name, { type, required }]) => (required ? [[name, SAMPLES[type]]] : [])))

export function newCase(start: FlowStart | undefined): string {
  const inputs = start ? sampleInputs(start) : {}
  const given = Object.keys(inputs).length === 0 ? "" : `  inputs: ${JSON.stringify(inputs)}\n`
  const task = start?.task_required === true ? "  task: an example\n" : ""
  return `- name: a new test\n${task}${given}  expect:\n    status: succeeded\n`
}

/** The case with the actual value as its expectation; undefined: the expectation is not in a single place. */
export function expecting(own: string, at: string, expected: unknown, found: unknown): string | undefined {
  const key = at.split("/").at(-1)?.replaceAll("~1", "/").replaceAll("~0", "~")
  if (key === undefined || key === "" || !isScalar(expected) || !isScalar(found)) return undefined
  const place = new RegExp(`(["']?${escaped(key)}["']?\\s*:\\s*)(["']?)${escaped(String(expected))}\\2(?=\\s*(?:[,}\\n#]|$))`, "g")
  const [only, ...others] = own.matchAll(place)
  if (!only || others.length > 0) return undefined
  return own.slice(0, only.index) + (only[1] ?? "") + JSON.stringify(found) + own.slice(only.index + only[0].length)
}

const isScalar = (value: unknown): value is string | number | boolean => ["string", "number", "boolean"].includes(typeof value)
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")
