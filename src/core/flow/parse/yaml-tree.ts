// Builds the tree that all readers of the flow language use: maps are lists of entries, each with its place. The tree has no prototype to
// pollute, and refuses the keys `__proto__`, `constructor`, `prototype` [F1].

import { isAlias, isMap, isNode, isScalar, isSeq } from "yaml"
import type { FileFamily } from "../../diagnostic-codes.ts"
import type { Locate, SourcePlace } from "./place.ts"
import { type Report, shown } from "./report.ts"
import { isInexact } from "../../outside/exact-json.ts"
import { limitsOf } from "./yaml-scan.ts"
import { lookalikeIn, undo } from "./yaml-text.ts"

export interface MapEntry {
  readonly key: string
  readonly at: SourcePlace
  readonly value: YamlNode
}
export interface MapNode {
  readonly kind: "map"
  readonly at: SourcePlace
  readonly entries: readonly MapEntry[]
}
export interface ListNode {
  readonly kind: "list"
  readonly at: SourcePlace
  readonly items: readonly YamlNode[]
}
export interface ScalarNode {
  readonly kind: "scalar"
  readonly at: SourcePlace
  readonly value: string | number | boolean | null
  /** As written, so `007` stays `007`, but without quotes and block marks. Empty for null. */
  readonly text: string
  /** The offsets in the file, including quotes and the block header. */
  readonly start: number
  readonly end: number
}
export type YamlNode = MapNode | ListNode | ScalarNode

export interface Conversion {
  readonly text: string
  readonly edits: readonly number[]
  readonly family: FileFamily
  readonly report: Report
  readonly at: Locate
  /** Whether long whole numbers keep their digits [H3]; where JSON Schemas are written, bounds stay numbers. */
  readonly exact: boolean
  readonly seen: { keys: number; full: boolean }
}

const REFUSED_KEYS = new Set(["__proto__", "constructor", "prototype"])

// The recursion is bounded: `scanYaml` refuses files nested too deeply.
export function treeOf(node: unknown, c: Conversion, fallback: SourcePlace): YamlNode {
  if (isMap(node)) {
    const at = c.at(node.range?.[0] ?? 0)
    const entries: MapEntry[] = []
    const keys = new Set<string>()
    for (const pair of node.items) {
      const key = isScalar(pair.key) ? pair.key : undefined
      const keyAt = isNode(pair.key) && pair.key.range ? c.at(pair.key.range[0]) : at
      if (++c.seen.keys > limitsOf(c.family).keys) {
        if (!c.seen.full)
          c.report.error(`${c.family}-LIMIT`, keyAt, `the file has more than ${limitsOf(c.family).keys} keys`, "split the file")
        c.seen.full = true
        break
      }
      const name =
        key === undefined
          ? undefined
          : key.value === null && !key.source
            ? ""
            : typeof key.value === "string"
              ? key.value
              : (key.source ?? String(key.value))
      if (name === undefined || name === "") c.report.error(`${c.family}-KEY`, keyAt, "a key must be text", "name: value")
      else if (REFUSED_KEYS.has(name)) c.report.error(`${c.family}-KEY`, keyAt, `the key ${shown(name)} is reserved`, "choose another name")
      else if (name === "<<") c.report.error(`${c.family}-KEY`, keyAt, "merge keys are not supported", "write the keys out")
      else if (keys.has(name)) c.report.error(`${c.family}-DUP-KEY`, keyAt, `the key ${shown(name)} is repeated`, "keep one of them")
      else {
        const odd = key?.type === "PLAIN" ? lookalikeIn(name) : undefined
        if (odd !== undefined) c.report.warn(`${c.family}-TEXT`, keyAt, `the key ${shown(name)} contains ${odd.says}`, odd.write)
        keys.add(name)
        entries.push({ key: name, at: keyAt, value: treeOf(pair.value, c, keyAt) })
      }
    }
    return { kind: "map", at, entries }
  }
  if (isSeq(node)) {
    const at = c.at(node.range?.[0] ?? 0)
    return { kind: "list", at, items: node.items.map((item) => treeOf(item, c, itemAt(item, c, at))) }
  }
  if (isScalar(node)) {
    const value = scalarValue(node.value, node.source, c.exact)
    const start = undo(c.edits, node.range?.[0] ?? 0)
    const end = undo(c.edits, node.range?.[1] ?? 0)
    // An empty value has no place, so it gets the place of its key.
    const at = value === null && start === end ? fallback : c.at(node.range?.[0] ?? 0)
    return { kind: "scalar", at, value, text: textOf(value, node.source), start, end }
  }
  if (isAlias(node)) c.report.error(`${c.family}-ALIAS`, fallback, "anchors and aliases are not supported", "write the value out")
  return { kind: "scalar", at: fallback, value: null, text: "", start: 0, end: 0 }
}

/** An empty list item has no key; the parser gives it the place after its dash. */
const itemAt = (item: unknown, c: Conversion, list: SourcePlace): SourcePlace => (isNode(item) && item.range ? c.at(item.range[0]) : list)

/** `.nan`, `.inf` and values of tags are not JSON, so they stay text as written; so does a whole number with more digits than a number has. */
function scalarValue(value: unknown, source: string | undefined, exact: boolean): string | number | boolean | null {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value
  if (exact && source !== undefined && isInexact(plainDigits(source))) return plainDigits(source)
  return typeof value === "number" && Number.isFinite(value) ? value : (source ?? "")
}

/** YAML allows a plus sign and zeros before the digits. */
const plainDigits = (source: string): string => source.replace(/^\+?(-?)0*(?=\d)/, "$1")

const textOf = (value: string | number | boolean | null, source: string | undefined): string =>
  value === null ? "" : typeof value === "string" ? value : (source ?? String(value))
