// Reads the fields of a mapping by type, with a diagnostic at each wrong key or value.
//
// Any scalar is accepted as text, as written (`007` stays `007`). A key without a value counts as absent.

import { parseDuration } from "../../text/duration.ts"
import type { DiagnosticCode } from "../../diagnostic-codes.ts"
import type { SourcePlace } from "./place.ts"
import { type Report, shown } from "./report.ts"
import { entryOf } from "./source.ts"
import type { MapEntry, MapNode, YamlNode } from "./yaml-tree.ts"

export interface Item {
  readonly text: string
  readonly at: SourcePlace
}

export interface Fields {
  readonly where: string
  readonly entries: readonly MapEntry[]
  has(key: string): boolean
  node(key: string): YamlNode | undefined
  /** The place of the key, or of the whole mapping if the key is absent. */
  keyAt(key: string): SourcePlace
  valueAt(key: string): SourcePlace
  text(key: string): string | undefined
  /** `""`, with a diagnostic, if the key is missing or empty. */
  required(key: string, suggestion?: string): string
  integer(key: string, least: number): number | undefined
  number(key: string, least: number, most: number): number | undefined
  flag(key: string): boolean | undefined
  /** Milliseconds, more than 0. */
  duration(key: string): number | undefined
  /** A list or a scalar; with `commas`, items may also be separated by commas. Each item is a scalar. */
  list(key: string, commas: boolean): readonly Item[]
  map(key: string): MapNode | undefined
  /** A mapping of name → text; undefined when the key is absent. */
  texts(key: string): Record<string, string> | undefined
  /** `code` replaces the usual code of these fields. */
  wrong(at: SourcePlace, message: string, suggestion?: string, code?: DiagnosticCode): void
}

/** `code`: the code for faults in structure. `where`: the beginning of each message. `lost`: the place of a missing key. */
export function fieldsOf(map: MapNode, report: Report, code: DiagnosticCode, where: string, lost: SourcePlace = map.at): Fields {
  const node = (key: string): YamlNode | undefined => {
    const value = entryOf(map, key)?.value
    return value?.kind === "scalar" && value.value === null ? undefined : value
  }
  const wrong: Fields["wrong"] = (at, message, suggestion, own = code) => report.error(own, at, `${where}: ${message}`, suggestion)
  const scalar = (key: string, wanted: string, example: string): { text: string; value: unknown; at: SourcePlace } | undefined => {
    const found = node(key)
    if (found === undefined) return undefined
    if (found.kind === "scalar") return found
    wrong(found.at, `"${key}" must be ${wanted}, not a ${found.kind === "map" ? "mapping" : "list"}`, `${key}: ${example}`)
    return undefined
  }
  const fields: Fields = {
    where,
    entries: map.entries,
    has: (key) => entryOf(map, key) !== undefined,
    node,
    keyAt: (key) => entryOf(map, key)?.at ?? lost,
    valueAt: (key) => entryOf(map, key)?.value.at ?? lost,
    text: (key) => scalar(key, "text", "some text")?.text,
    required(key, suggestion) {
      const text = fields.text(key)?.trim()
      if (text !== undefined && text !== "") return fields.text(key) ?? ""
      if (text !== undefined || node(key) === undefined)
        wrong(fields.keyAt(key), `"${key}" is ${fields.has(key) ? "empty" : "missing"}`, suggestion ?? `${key}: …`)
      return ""
    },
    integer(key, least) {
      const example = `${key}: ${Math.max(least, 3)}`
      const found = scalar(key, "a whole number", String(Math.max(least, 3)))
      if (found === undefined) return undefined
      const value = typeof found.value === "number" ? found.value : /^[+-]?\d+$/.test(found.text.trim()) ? Number(found.text) : Number.NaN
      if (!Number.isSafeInteger(value)) wrong(found.at, `"${key}" must be a whole number, not ${shown(found.text)}`, example)
      else if (value < least) wrong(found.at, `"${key}" must be at least ${least}`, example)
      else return value
      return undefined
    },
    number(key, least, most) {
      const found = scalar(key, "a number", String(least))
      if (found === undefined) return undefined
      if (typeof found.value === "number" && found.value >= least && found.value <= most) return found.value
      wrong(found.at, `"${key}" must be a number from ${least} to ${most}, not ${shown(found.text)}`, `${key}: ${most}`)
      return undefined
    },
    flag(key) {
      const found = scalar(key, "true or false", "true")
      if (found === undefined) return undefined
      // YAML reads `True` and `TRUE` as true; the text "true" is accepted too.
      if (typeof found.value === "boolean") return found.value
      if (found.text === "true" || found.text === "false") return found.text === "true"
      wrong(found.at, `"${key}" must be true or false, not ${shown(found.text)}`, `${key}: true`)
      return undefined
    },
    duration(key) {
      const found = scalar(key, "a duration", "30s")
      if (found === undefined) return undefined
      const ms = parseDuration(typeof found.value === "number" ? found.value : found.text)
      if (ms !== undefined && ms > 0) return ms
      wrong(found.at, `"${key}" must be a duration, not ${shown(found.text)}`, "milliseconds, or 500ms, 30s, 5m, 2h, 3d")
      return undefined
    },
    list(key, commas) {
      const found = node(key)
      if (found === undefined) return []
      if (found.kind === "map") {
        wrong(found.at, `"${key}" must be a list`, `${key}: [first, second]`)
        return []
      }
      const items: Item[] = []
      for (const one of found.kind === "list" ? found.items : [found]) {
        if (one.kind !== "scalar" || one.value === null)
          wrong(one.at, `"${key}" contains an item that is not text`, `${key}: [first, second]`)
        else
          for (const part of commas ? one.text.split(",") : [one.text])
            if (part.trim() !== "") items.push({ text: part.trim(), at: one.at })
      }
      return items
    },
    map(key) {
      const found = node(key)
      if (found === undefined || found.kind === "map") return found
      wrong(found.at, `"${key}" must be a mapping, not ${found.kind === "list" ? "a list" : shown(found.text)}`, `${key}: { name: value }`)
      return undefined
    },
    texts(key) {
      const map = fields.map(key)
      if (map === undefined) return undefined
      return Object.fromEntries(
        map.entries.flatMap((e): [string, string][] => {
          if (e.value.kind === "scalar") return [[e.key, e.value.text]]
          wrong(e.at, `"${key}.${e.key}" must be text, not a ${e.value.kind === "map" ? "mapping" : "list"}`, `${e.key}: "some text"`)
          return []
        }),
      )
    },
    wrong,
  }
  return fields
}

/** What is known about a key that has no meaning in its place. */
interface Note {
  readonly why: string
  /** The line to write instead. */
  readonly write?: string
}

/** The prefixes of files that may have keys of other programs. */
type KeyFamily = "FV" | "AV" | "SV"

/** [F3] An unknown key is a warning. One that is nearly a known key is an error once the file is written (`asWritten`): its author believes
 *  that it has an effect. */
export function warnUnknown(
  fields: Fields,
  report: Report,
  family: KeyFamily,
  known: readonly string[],
  note?: (key: string) => Note | undefined,
): void {
  for (const { key, at } of fields.entries) {
    if (known.includes(key)) continue
    const { why, write } = note?.(key) ?? {}
    const said = (text: string): string => `${fields.where}: ${text}`
    if (why !== undefined) report.warn(`${family}-UNKNOWN-KEY`, at, said(why), write ?? "remove it")
    else if (report.near(key, known) === undefined)
      report.warn(
        `${family}-UNKNOWN-KEY`,
        at,
        said(`the key ${shown(key)} is unknown and is ignored`),
        report.hint(key, known) ?? "remove it",
      )
    else report.warn(`${family}-MISSPELLED-KEY`, at, said(`there is no key ${shown(key)}`), report.hint(key, known))
  }
}
