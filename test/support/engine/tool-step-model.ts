// What a run of tool steps must do [F26], told in plain steps and without the kernel: which calls leave, with which arguments, what a person is asked,
// and how each step ends. Its world is small: every tool answers by its arguments alone.

import type { Json } from "../../../src/core/json.ts"

export interface Arg {
  /** References of which the first with a value counts; within other text they are one text. */
  readonly refs: readonly Ref[]
  readonly around?: readonly [before: string, after: string]
}
export type Ref =
  | { readonly of: "input"; readonly name: string }
  | { readonly of: "step"; readonly step: number; readonly path: readonly string[] }

export interface ToolStep {
  readonly tool: keyof typeof MADE
  /** `any` and `list` hold theirs below another level. */
  readonly args: Readonly<Partial<Record<"text" | "num" | "any" | "list", Arg>>>
  /** Of `shop.fails`: how many of its calls fail. */
  readonly failing: number
  readonly retry: number
  readonly isCaught: boolean
  readonly isAllowed: boolean
}
export interface Course {
  readonly steps: readonly ToolStep[]
  readonly isTainted: boolean
  readonly mode: "live" | "staged" | "dry"
  /** A hook of the policy asks for every call of `shop.put`. */
  readonly isAsked: boolean
  /** What the person says, question after question. */
  readonly answers: readonly ("approve" | "reject" | "edit")[]
}

export const INPUTS: Readonly<Record<string, Json>> = { n: 7, o: { a: 1 }, s: "T 1", l: [1, { b: 2 }] }

interface Made {
  readonly writes: boolean
  readonly isOutside: boolean
  readonly answer: (args: Readonly<Record<string, Json>>) => string
}
const echoed = (args: Readonly<Record<string, Json>>): string => JSON.stringify({ got: args })
export const MADE = {
  "shop.get": { writes: false, isOutside: false, answer: echoed },
  "shop.out": { writes: false, isOutside: true, answer: echoed },
  "shop.put": { writes: true, isOutside: false, answer: () => '{"ok":1}' },
  "shop.plain": { writes: false, isOutside: false, answer: ({ id }) => `plain ${String(id)}` },
  "shop.hangs": { writes: false, isOutside: false, answer: () => "never" },
  "shop.fails": { writes: false, isOutside: false, answer: () => "at last" },
} satisfies Readonly<Record<string, Made>>

export const EDITED: Json = { id: "edited" }
/** What a call says that does not leave. */
export const SIMULATED = '{"ok":0}'

export interface Told {
  /** Calls that left, in order. */
  readonly sent: readonly (readonly [tool: string, args: Json])[]
  /** Step and reason of each question before a call. */
  readonly asked: readonly (readonly [step: string, reason: string])[]
  readonly steps: readonly Ended[]
  readonly status: "succeeded" | "failed"
}
interface Ended {
  readonly status: "complete" | "error" | "blocked"
  readonly source?: "tool_refused" | "tool_failed" | "step_timeout"
  readonly isMarked: boolean
  /** It has words of a person, who wrote other arguments for a marked step. */
  readonly isPrivate: boolean
  /** Absent: the step gave no answer. `undefined` data: the answer is no JSON. */
  readonly text?: string
  readonly data?: Json
}

export function toldOf({ steps, isTainted, mode, isAsked, answers }: Course): Told {
  const sent: [string, Json][] = []
  const kept: [string, Json][] = []
  const asked: [string, string][] = []
  const ended: Ended[] = []
  let said = 0
  let status: Told["status"] = "succeeded"
  for (const [at, step] of steps.entries()) {
    const id = `s${at}`
    const tool: Made = MADE[step.tool]
    const { args, ...quoted } = argsOf(id, step, ended)
    const isMarked = isTainted || quoted.isMarked
    /** How often this call was made; one that a person changed is another. */
    let made = 0
    const tried = (): Ended => {
      let { isPrivate } = quoted
      if (args["num"] !== undefined && typeof args["num"] !== "number")
        return { status: "blocked", source: "tool_refused", isMarked, isPrivate }
      let wish: Json = args
      // Every call of this world goes out: what a person wrote goes nowhere unseen.
      const reason = (tool.writes || isPrivate) && isMarked && !step.isAllowed ? "tainted" : tool.writes && isAsked ? "hook" : undefined
      if (reason !== undefined) {
        asked.push([id, reason])
        const answer = answers[said++] ?? "approve"
        if (answer === "reject") return { status: "blocked", source: "tool_refused", isMarked, isPrivate }
        if (answer === "edit") {
          wish = EDITED
          // [G11] What a person tells a marked session is private.
          isPrivate ||= isMarked
        }
      }
      if (tool.writes && mode !== "live") {
        kept.push([step.tool, wish])
        return answered(SIMULATED, { isMarked, isPrivate })
      }
      sent.push([step.tool, wish])
      if (step.tool === "shop.hangs") return { status: "error", source: "step_timeout", isMarked, isPrivate }
      if (step.tool === "shop.fails" && wish !== EDITED && made++ < step.failing)
        return { status: "error", source: "tool_failed", isMarked, isPrivate }
      return answered(tool.answer(wish as Record<string, Json>), { isMarked: isMarked || tool.isOutside, isPrivate })
    }
    // What failed is tried again, and asked about again; what was refused is not.
    let end = tried()
    for (let left = step.retry; left > 0 && end.status === "error"; left--) end = tried()
    ended.push(end)
    if (end.status !== "complete" && !step.isCaught) {
      status = "failed"
      break
    }
  }
  // A person lets all of them leave.
  if (mode === "staged" && status === "succeeded") sent.push(...kept)
  return { sent, asked, steps: ended, status }
}

interface Marks {
  readonly isMarked: boolean
  readonly isPrivate: boolean
}

function answered(text: string, marks: Marks): Ended {
  try {
    return { status: "complete", ...marks, text, data: JSON.parse(text) as Json }
  } catch {
    return { status: "complete", ...marks, text }
  }
}

function argsOf(id: string, { args }: ToolStep, ended: readonly Ended[]): Marks & { readonly args: Record<string, Json> } {
  const made: Record<string, Json> = { id }
  let [isMarked, isPrivate] = [false, false]
  for (const [name, arg] of Object.entries(args)) {
    const { json, ...marks } = valueOf(arg, ended)
    isMarked ||= marks.isMarked
    isPrivate ||= marks.isPrivate
    if (name === "any") made[name] = json === undefined ? {} : { deep: json }
    else if (name === "list") made[name] = json === undefined ? ["first"] : ["first", json]
    else if (json !== undefined) made[name] = name === "text" && typeof json !== "string" ? JSON.stringify(json) : json
  }
  return { args: made, isMarked, isPrivate }
}

/** What is not there tells something too: whether a result from outside has a member is said from outside. */
function valueOf({ refs, around }: Arg, ended: readonly Ended[]): Marks & { readonly json?: Json } {
  let json: Json | undefined
  let [isMarked, isPrivate] = [false, false]
  for (const ref of refs) {
    const end = ref.of === "step" ? ended[ref.step] : undefined
    isMarked ||= end?.isMarked === true
    isPrivate ||= end?.isPrivate === true
    json = ref.of === "input" ? INPUTS[ref.name] : memberOf(end, ref.path)
    if (json !== undefined) break
  }
  if (around === undefined) return json === undefined ? { isMarked, isPrivate } : { json, isMarked, isPrivate }
  return {
    json: `${around[0]}${json === undefined ? "" : typeof json === "string" ? json : JSON.stringify(json)}${around[1]}`,
    isMarked,
    isPrivate,
  }
}

function memberOf(end: Ended | undefined, [first, ...rest]: readonly string[]): Json | undefined {
  if (first === "text") return end?.text
  let json = end?.data
  for (const name of rest) json = typeof json === "object" && json !== null && !Array.isArray(json) ? json[name] : undefined
  return json ?? undefined
}
