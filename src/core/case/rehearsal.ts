// Reads a rehearsal file, `flows/NAME.rehearsal.yaml` [M3]: the replies of the rehearsal model, by step and turn. The provider kind
// `scripted` takes the same turns as JSON.
//
// A step's turns form a group for each pass: a turn with `finish` or `last` ends a group. Passes beyond the last group repeat it.
// The index inside a group is the turn plus the failures so far, so each `error` plays only once.

import type { Names } from "../text/name-index.ts"
import { INSTEAD, refusedFinishes, type Finisher } from "./finish-faults.ts"
import { defined } from "../defined.ts"
import { bounded, type Diagnostic } from "../diagnostic.ts"
import { isObject, type Json, type JsonObject } from "../json.ts"
import { err, ok, type Result } from "../result.ts"
import { CALL_FIELDS, ERROR_FIELDS, REHEARSAL_KEYS, TURN_FIELDS } from "./case-fields.ts"
import { parseDuration } from "../text/duration.ts"
import { openReport, shown, type Report } from "../flow/parse/report.ts"
import { jsonOf, readYaml, type Path, type Source } from "../flow/parse/source.ts"
import { UNREGISTERED } from "../flow/parse/tool-wish.ts"
import { TOOLKIT_TOOLS } from "../tool/toolkits.ts"

export interface RehearsedTurn {
  /** The model's text, alone or with calls or a finish. */
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** The arguments of the finish tool; ends the group of the pass. */
  readonly finish?: JsonObject
  /** Replaces an answer. Without a status, the connection is lost. `retry_after` is in seconds. */
  readonly error?: { readonly status?: number; readonly message?: string; readonly retry_after?: number }
  /** Milliseconds before the answer. */
  readonly delay?: number
  /** Ends the group of the pass without a finish: the pass ended in another way. */
  readonly last?: true
}

/** [M3] With `result`, the guard judges the call as always, and the result is returned without running the tool. */
export interface ScriptedCall {
  readonly tool: string
  readonly args: JsonObject
  /** Sent in place of `args`: arguments that are no JSON object. */
  readonly raw?: string
  readonly result?: ScriptedResult
}
export interface ScriptedResult {
  readonly text: string
  readonly isError: boolean
  /** The result counts as text from outside, or as private, although the tool does not always answer such [G11]. */
  readonly untrusted?: true
  readonly private?: true
}

export interface Rehearsal {
  readonly steps: ReadonlyMap<string, readonly RehearsedTurn[]>
}

/** `steps`: ids of the flow's steps, `tools`: names of all tools, if known; turns for an unknown step and calls of an unknown tool are warnings. */
export function parseRehearsal(
  text: string,
  steps?: readonly string[],
  tools?: ReadonlySet<string>,
  finisher?: Finisher,
): { readonly rehearsal?: Rehearsal; readonly diagnostics: readonly Diagnostic[] } {
  const source = readYaml(text, "RV")
  const report = openReport("RV")
  const read = new Map<string, readonly RehearsedTurn[]>()
  const json: Json = source.root === undefined ? null : jsonOf(source.root)
  const complain: Complain = (path, message, suggestion, what) =>
    report.error("RV-TURN", source.place(path, what), message, suggestion ?? "- finish: { status: complete, summary: done }")
  const hint: Hint = (word, known) => report.hint(word, known)
  if (isObject(json)) {
    refuseUnknown(json, REHEARSAL_KEYS, [], complain, hint)
    const list: unknown = json["steps"]
    if (isObject(list)) {
      for (const [step, turns] of Object.entries(list)) {
        const played = turnsOf(turns, ["steps", step], complain, hint)
        read.set(step, played)
        for (const { path, message } of refusedFinishes(played, ["steps", step], finisher?.(step)))
          report.warn("RV-FINISH", source.place(path), message, INSTEAD)
        if (tools !== undefined) warnOfTools(step, played, tools, report, source)
        if (steps !== undefined && !steps.includes(step)) {
          report.warn("RV-STEP", source.place(["steps", step], "key"), `the flow has no step "${step}"`, report.hint(step, steps))
        }
      }
    } else
      complain(
        ["steps"],
        "`steps` must map step ids to lists of turns",
        "steps: { STEP: [ { finish: { status: complete, summary: done } } ] }",
      )
  } else if (source.diagnostics.length === 0) complain([], "a rehearsal file is a map with the key `steps`", "steps:")
  const diagnostics = bounded([...source.diagnostics, ...report.list()], "RV-MORE")
  return diagnostics.some((d) => d.severity === "error") ? { diagnostics } : { rehearsal: { steps: read }, diagnostics }
}

function warnOfTools(step: string, turns: readonly RehearsedTurn[], tools: ReadonlySet<string>, report: Report, source: Source): void {
  for (const { tool, path } of unknownTools(turns, ["steps", step], tools))
    report.warn(
      "RV-TOOL",
      source.place(path),
      `the tool ${shown(tool)} does not exist here, so the call is refused`,
      report.hint(tool, tools),
    )
}

/** The calls whose tools do not exist. */
export function unknownTools(
  turns: readonly RehearsedTurn[],
  path: Path,
  tools: ReadonlySet<string>,
): readonly { tool: string; path: Path }[] {
  return turns.flatMap(({ calls = [] }, i) =>
    calls.flatMap(({ tool }, j) => (isTool(tool, tools) ? [] : [{ tool, path: [...path, i, "calls", j, "tool"] }])),
  )
}

export const isTool = (tool: string, tools: ReadonlySet<string>): boolean => tool === "" || tools.has(tool) || ALWAYS.has(tool)

/** Every session may have these, and no host registers them. */
const ALWAYS: ReadonlySet<string> = new Set([...UNREGISTERED, ...TOOLKIT_TOOLS, "finish", "subagent_finalize"])

/** Texts made for one model: a body of 1 MiB can hold a hundred thousand wrong keys. */
const MOST_ERRORS = 100 // limit: faults told of a scripted provider's turns → further ones are not told

/** The turns of a model of a `scripted` provider; errors name the path of the fault. */
export function readTurns(value: unknown): Result<readonly RehearsedTurn[], readonly string[]> {
  const errors: string[] = []
  const complain: Complain = (path, message, suggestion) => {
    const at = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("")
    if (errors.length < MOST_ERRORS) errors.push(`turns${at}: ${message}${suggestion === undefined ? "" : ` (${suggestion})`}`)
  }
  const turns = turnsOf(value, [], complain, (word, known) => openReport("RV").hint(word, known))
  return errors.length > 0 ? err(errors) : ok(turns)
}

/** The group of turns for pass `pass` (from 1); empty if there are none. */
export function turnsOfPass(turns: readonly RehearsedTurn[], pass: number): readonly RehearsedTurn[] {
  const groups: RehearsedTurn[][] = [[]]
  for (const turn of turns) {
    groups.at(-1)?.push(turn)
    if (turn.finish || turn.last) groups.push([])
  }
  if (groups.length > 1 && groups.at(-1)?.length === 0) groups.pop()
  return groups[Math.min(Math.max(1, pass), groups.length) - 1] ?? []
}

/** [F26] The calls of a pass, for a step that makes its calls itself. */
export const scriptedCalls = (turns: readonly RehearsedTurn[], pass: number): readonly ScriptedCall[] =>
  turnsOfPass(turns, pass).flatMap(({ calls = [] }) => calls)

/** The turn at this place, or undefined after the end of its group. */
export function turnAt(
  turns: readonly RehearsedTurn[],
  place: { readonly pass: number; readonly turn: number; readonly failures: number },
): RehearsedTurn | undefined {
  return turnsOfPass(turns, place.pass)[place.turn + place.failures]
}

export type Complain = (path: Path, message: string, suggestion?: string, what?: "key" | "value") => void
export type Hint = (word: string, known: Names) => string | undefined

const TURN_KEYS = Object.keys(TURN_FIELDS)
const CALL_KEYS = Object.keys(CALL_FIELDS)
const ERROR_KEYS = Object.keys(ERROR_FIELDS)

export function refuseUnknown(map: Record<string, unknown>, known: readonly string[], path: Path, complain: Complain, hint: Hint): void {
  for (const key of Object.keys(map)) if (!known.includes(key)) complain([...path, key], `unknown key "${key}"`, hint(key, known), "key")
}

/** [K20] Reads turns; a case of a flow's tests has the same form. */
export function turnsOf(value: unknown, path: Path, complain: Complain, hint: Hint): readonly RehearsedTurn[] {
  if (Array.isArray(value)) return value.map((turn, i) => turnOf(turn, [...path, i], complain, hint))
  complain(path, "this must be a list of turns", "- finish: { status: complete, summary: done }")
  return []
}

function turnOf(value: unknown, path: Path, complain: Complain, hint: Hint): RehearsedTurn {
  if (!isObject(value)) {
    complain(path, "a turn is a map", "finish: { status: complete, summary: done }")
    return {}
  }
  refuseUnknown(value, TURN_KEYS, path, complain, hint)
  const { text, calls, finish, error, delay, last } = value
  if (last !== undefined && last !== true) complain([...path, "last"], "`last` can only be true", "last: true")
  const wait = delay === undefined ? undefined : parseDuration(delay)
  if (delay !== undefined && (wait === undefined || wait > MAX_DELAY)) {
    complain([...path, "delay"], "`delay` must be a duration up to 10m", "300ms, 30s, 5m or an integer of milliseconds")
  }
  if (text !== undefined && typeof text !== "string") complain([...path, "text"], "`text` must be text", "put it in quotes")
  if (finish !== undefined && !isObject(finish)) {
    complain([...path, "finish"], "`finish` must be a map of the finish tool's arguments", "{ status: complete, summary: done }")
  }
  if (error !== undefined && (text !== undefined || calls !== undefined || finish !== undefined)) {
    complain([...path, "error"], "`error` replaces an answer", "make it a separate turn before this one", "key")
  } else if (text === undefined && calls === undefined && finish === undefined && error === undefined) {
    complain(path, "a turn needs one of `text`, `calls`, `finish`, `error`")
  }
  return {
    ...(typeof text === "string" ? { text } : {}),
    ...(calls === undefined ? {} : { calls: callsOf(calls, [...path, "calls"], complain, hint) }),
    ...(isObject(finish) ? { finish: asJson(finish) } : {}),
    ...defined({ error: error === undefined ? undefined : errorOf(error, [...path, "error"], complain, hint), delay: wait }),
    ...(last === true ? { last } : {}),
  }
}

// A timer keeps a Durable Object awake, and a delay beyond a step's timeout proves nothing.
const MAX_DELAY = 600_000 // limit: milliseconds of a rehearsed delay → `RV-TURN`

function callsOf(value: unknown, path: Path, complain: Complain, hint: Hint): ScriptedCall[] {
  if (!Array.isArray(value) || value.length === 0) {
    complain(path, "`calls` must be a list of tool calls", "- { tool: read, args: { path: a.md } }")
    return []
  }
  return value.map((call: unknown, i) => {
    const at = [...path, i]
    if (!isObject(call)) {
      complain(at, "a call is a map", "{ tool: read, args: { path: a.md } }")
      return { tool: "", args: {} }
    }
    refuseUnknown(call, CALL_KEYS, at, complain, hint)
    if (typeof call["tool"] !== "string" || call["tool"] === "")
      complain([...at, "tool"], "a call needs `tool`, the name of a tool", "tool: read")
    const { args, raw } = call
    if (args !== undefined && !isObject(args)) complain([...at, "args"], "`args` must be a map", "args: { path: a.md }")
    if (raw !== undefined && (typeof raw !== "string" || args !== undefined))
      complain([...at, "raw"], "`raw` is a text that is sent instead of `args`", "raw: not JSON")
    const result = resultOf(call, at, complain)
    return {
      tool: typeof call["tool"] === "string" ? call["tool"] : "",
      args: isObject(args) ? asJson(args) : {},
      ...(typeof raw === "string" ? { raw } : {}),
      ...defined({ result }),
    }
  })
}

function resultOf(call: Record<string, unknown>, at: Path, complain: Complain): ScriptedResult | undefined {
  const { result } = call
  for (const mark of ["untrusted", "private"] as const) {
    if (call[mark] !== undefined && call[mark] !== true) complain([...at, mark], `\`${mark}\` can only be true`, `${mark}: true`)
    else if (call[mark] === true && result === undefined)
      complain([...at, mark], `\`${mark}\` describes the result, and the call has none`, "result: text", "key")
  }
  if (result === undefined) return undefined
  const error = isObject(result) && Object.keys(result).length === 1 ? result["error"] : undefined
  const said = typeof error === "string" ? error : result
  return {
    text: typeof said === "string" ? said : JSON.stringify(said),
    isError: typeof error === "string",
    ...(call["untrusted"] === true ? { untrusted: true } : {}),
    ...(call["private"] === true ? { private: true } : {}),
  }
}

function errorOf(value: unknown, path: Path, complain: Complain, hint: Hint): NonNullable<RehearsedTurn["error"]> {
  if (!isObject(value)) {
    complain(path, "`error` must be a map", "{ status: 429, retry_after: 1 }")
    return {}
  }
  refuseUnknown(value, ERROR_KEYS, path, complain, hint)
  const { status, message, retry_after } = value
  const rightStatus = typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599
  if (status !== undefined && !rightStatus)
    complain([...path, "status"], "`status` must be an HTTP status from 400 to 599", "remove it for a lost connection")
  if (message !== undefined && typeof message !== "string") complain([...path, "message"], "`message` must be text", "put it in quotes")
  const rightWait = typeof retry_after === "number" && retry_after >= 0
  if (retry_after !== undefined && !rightWait)
    complain([...path, "retry_after"], "`retry_after` must be a number of seconds", "retry_after: 1")
  return {
    ...(rightStatus ? { status } : {}),
    ...(typeof message === "string" ? { message } : {}),
    ...(rightWait ? { retry_after } : {}),
  }
}

/** Values from JSON text or from the YAML tree contain only JSON. */
const asJson = (value: Record<string, unknown>): JsonObject => value as JsonObject
