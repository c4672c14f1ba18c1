// Renders a tool's calls and results for people, as data [T7, A15–A17]: one renderer for the console and the command line, which only draw
// its output. A tool describes itself with a RenderMap; parts that are missing or wrong fall back to a form that fits any tool.
//
// The same input gives the same bytes. The output is not escaped: the code that draws it escapes it for the terminal or the page.

import { isObject, type Json, type JsonObject } from "../json.ts"

/** Texts that are longer or have several lines are shown below the call line, as long arguments. */
const INLINE = 72
/** Items of a list that the compact view shows [A16]. */
const COMPACT = 5
const SUMMARY = 200

export interface CallView {
  /** The human name of the tool. */
  readonly label: string
  /** Which action the call performs, for a tool with several. */
  readonly action?: string
  /** The most informative argument. */
  readonly mainArg?: string
  readonly options: readonly (readonly [key: string, value: string])[]
  readonly longArgs: readonly (readonly [key: string, text: string])[]
}

export interface ResultView {
  readonly state: "running" | "success" | "error"
  readonly summary: string
  readonly items?: readonly string[]
  /** How many items the compact view leaves out. */
  readonly omitted?: number
  /** Shown below, after an empty line. */
  readonly footer?: string
}

/** How a tool is displayed. `call` refers to arguments by name, `result` to paths in the details: `matches`, `page.title`. */
export interface RenderMap {
  readonly call?: {
    readonly label?: string
    readonly action?: string
    readonly main?: string
    /** Arguments not shown: meaningless to people, or too large. */
    readonly hide?: readonly string[]
    /** Arguments always shown below the line. */
    readonly long?: readonly string[]
  }
  readonly result?: {
    /** A template with `{place}` for details: `{matches} matches in {files} files`. */
    readonly summary?: string
    /** The place of a list. */
    readonly items?: string
    /** A template for an item that is an object: `{name}, {size} bytes`. */
    readonly item?: string
    readonly footer?: string
  }
}

/** The parts of a tool that rendering needs. */
export interface Rendered {
  readonly name: string
  readonly label?: string
  readonly render?: RenderMap
}

/** The visible part of a tool's result. */
type Part = { readonly type: "text"; readonly text: string } | { readonly type: "image"; readonly mimeType: string }

export interface RenderedResult {
  readonly content: readonly Part[]
  readonly details?: Json | undefined
  readonly isError?: boolean
}

export interface ResultOptions {
  readonly expanded?: boolean
  /** The call is still running: the view shows the result so far [A7]. */
  readonly isPartial?: boolean
}

/** Candidates for the most informative argument; the first one present is used. */
const MAIN = ["path", "command", "url", "query", "pattern", "question", "agent", "name", "key", "id"]

export function renderCall(tool: Rendered, args: JsonObject): CallView {
  const map = tool.render?.call
  const label = map?.label ?? tool.label ?? tool.name
  try {
    const action = map?.action === undefined ? undefined : args[map.action]
    const mainKey = map?.main ?? MAIN.find((key) => isShort(args[key]))
    const main = mainKey === undefined ? undefined : args[mainKey]
    const isMain = isShort(main) && !map?.long?.includes(mainKey ?? "")
    const used = new Set([...(map?.hide ?? []), ...(isShort(action) ? [map?.action] : []), ...(isMain ? [mainKey] : [])])
    const options: (readonly [string, string])[] = []
    const longArgs: (readonly [string, string])[] = []
    for (const [key, value] of Object.entries(args)) {
      if (used.has(key)) continue
      const text = asText(value)
      if (map?.long?.includes(key) || text.length > INLINE || text.includes("\n")) longArgs.push([key, text])
      else options.push([key, text])
    }
    return {
      label,
      ...(isShort(action) ? { action: asText(action) } : {}),
      ...(isMain ? { mainArg: asText(main) } : {}),
      options,
      longArgs,
    }
  } catch {
    return { label, options: [], longArgs: [] }
  }
}

export function renderResult(tool: Rendered, result: RenderedResult, options: ResultOptions = {}): ResultView {
  const text = textOf(result.content)
  if (options.isPartial) return { state: "running", summary: clip(lastLine(text)) || "…" }
  if (result.isError) return { state: "error", summary: text.trim() || "failed without a reason" }
  const plain: ResultView = { state: "success", summary: clip(firstLine(text)) || "done" }
  try {
    return mapped(tool.render?.result, result, options) ?? plain
  } catch {
    return plain
  }
}

/** undefined: no part of the map fits these details. Results may come from older versions of a tool. */
function mapped(map: RenderMap["result"], result: RenderedResult, options: ResultOptions): ResultView | undefined {
  const { details } = result
  if (map === undefined || !isObject(details)) return undefined
  const list = map.items === undefined ? undefined : at(details, map.items)
  const all = Array.isArray(list)
    ? list.map((item) => clip((map.item === undefined ? undefined : filled(map.item, item)) ?? asText(item)))
    : []
  const summary = map.summary === undefined ? undefined : filled(map.summary, details)
  if (summary === undefined && all.length === 0) return undefined
  const shown = options.expanded ? all : all.slice(0, COMPACT)
  const footer = map.footer === undefined ? undefined : filled(map.footer, details)
  return {
    state: "success",
    summary: clip(summary ?? `${all.length} ${all.length === 1 ? "item" : "items"}`),
    ...(shown.length === 0 ? {} : { items: shown }),
    ...(all.length > shown.length ? { omitted: all.length - shown.length } : {}),
    ...(footer === undefined ? {} : { footer: clip(footer) }),
  }
}

/** undefined when a place of the template has no value: half a sentence is worse than none. */
function filled(template: string, value: unknown): string | undefined {
  let whole = true
  const text = template.replaceAll(/\{([A-Za-z0-9_.-]+)\}/g, (_, place: string) => {
    const found = at(value, place)
    if (found === undefined || found === null || typeof found === "object") whole = false
    return asText(found)
  })
  return whole ? text : undefined
}

function at(value: unknown, place: string): unknown {
  let found = value
  for (const key of place.split(".")) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
  return found
}

const isShort = (value: unknown): boolean =>
  (typeof value === "string" && value !== "" && value.length <= INLINE && !value.includes("\n")) ||
  typeof value === "number" ||
  typeof value === "boolean"

const asText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

export const textOf = (content: readonly Part[]): string =>
  content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join(" ")

const firstLine = (text: string): string => text.trim().split("\n", 1)[0] ?? ""
const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? ""

const clip = (text: string): string => {
  if (text.length <= SUMMARY) return text
  const whole = /[\ud800-\udbff]/.test(text.charAt(SUMMARY - 2)) ? SUMMARY - 2 : SUMMARY - 1
  return `${text.slice(0, whole)}…`
}

/** A call as a single line: `Search find notes.md limit=5`. */
export function callLine({ label, action, mainArg, options, longArgs }: CallView): string {
  const short = options.map(([key, value]) => `${key}=${value}`)
  const long = longArgs.map(([key, text]) => `${key}=${clip(text.replaceAll(/\s+/g, " "))}`)
  return [label, action, mainArg, ...short, ...long].filter((part) => part !== undefined).join(" ")
}
