// An environment of sluice.yaml [F81]: what differs in the project's files there. The merge is that of RFC 7396: objects merge, lists and values
// replace, null removes. Pure.

import { isAlias, isMap, parseDocument, stringify, type Document } from "yaml"
import type { Bundle } from "../../src/api/catalog.ts"
import { catalogFolder, TOP } from "../../src/core/flow/catalog-kinds.ts"
import { isObject, type Json } from "../../src/core/json.ts"
import { differencesOf, type Difference, type Environment } from "../../src/core/project/project-file.ts"
import { pointerStep } from "../../src/core/text/pointer.ts"
import { filesOf } from "./difference.ts"

/** A member of a file that the environment sets to something else. */
export interface Differs {
  readonly path: string
  /** JSON Pointer; "": the file as a whole. */
  readonly pointer: string
  /** Absent: the file has no such member. */
  readonly from?: Json
  /** Absent: it has none in the environment. */
  readonly to?: Json
}

export interface Overlaid {
  readonly bundle: Bundle
  readonly differs: readonly Differs[]
}

export function overlaid(bundle: Bundle, environment: Environment): Overlaid {
  const files = filesOf(bundle)
  const changed: Record<string, Record<string, string>> = { ...(bundle as Record<string, Record<string, string>>) }
  const differs: Differs[] = []
  for (const [path, difference] of differencesOf(environment)) {
    const before = files.get(path)
    const after =
      difference === null ? undefined : before === undefined ? stringify(patched({}, difference)) : mergedText(before, difference)
    differs.push(...differencesIn(path, before, after))
    const kind = catalogFolder(path)
    const name = kind === TOP ? path : path.slice(kind.length + 1)
    // A kind that the folder lacks is not the project's: an apply leaves it alone.
    if (after === undefined && changed[kind] === undefined) continue
    const { [name]: _gone, ...others } = changed[kind] ?? {}
    changed[kind] = after === undefined ? others : { ...others, [name]: after }
  }
  return { bundle: changed as Bundle, differs }
}

/** The file's own comments and order stay. A file that is no YAML stays as it is: its check says why. */
export function mergedText(text: string, difference: Difference): string {
  const document = parseDocument(text)
  if (document.errors.length > 0) return text
  if (document.contents === null) return stringify(patched({}, difference))
  if (!isMap(document.contents)) return text
  merge(document, [], difference)
  return String(document)
}

function merge(document: Document, at: readonly string[], difference: Difference): void {
  for (const [name, value] of Object.entries(difference)) {
    const place = [...at, name]
    const present: unknown = document.getIn(place, true)
    if (value === null) document.deleteIn(place)
    else if (isObject(value) && isMap(present)) merge(document, place, value as Difference)
    else {
      const before: unknown = isAlias(present) ? present.toJS(document) : undefined
      document.setIn(place, document.createNode(patched(before, value)))
    }
  }
}

/** RFC 7396. */
export function patched(target: unknown, patch: unknown): Json {
  if (!isObject(patch)) return patch as Json
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = patched(result[name], value)
  }
  return result as Json
}

function differencesIn(path: string, before: string | undefined, after: string | undefined): readonly Differs[] {
  if (before === undefined && after === undefined) return []
  const [from, to] = [valueOf(before), valueOf(after)]
  if (before === undefined || after === undefined)
    return [{ path, pointer: "", ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
  return members(path, "", from, to)
}

const valueOf = (text: string | undefined): Json | undefined => (text === undefined ? undefined : (parseDocument(text).toJS() as Json))

function members(path: string, pointer: string, from: Json | undefined, to: Json | undefined): readonly Differs[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return []
  if (!isObject(from) || !isObject(to))
    return [{ path, pointer, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
  const names = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...names].flatMap((name) => members(path, `${pointer}${pointerStep(name)}`, from[name], to[name]))
}
