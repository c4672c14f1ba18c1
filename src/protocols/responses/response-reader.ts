// Reads a run's responses from its frames [P27]: one response in its current state, and its first event in the journal.

import { isObject } from "../../core/json.ts"
import { responseId, responseOf } from "./frames.ts"
import type { RunPort } from "../../ports/run.ts"
import { isRunId } from "../../http/middleware/call.ts"

export type ResponseObject = Readonly<Record<string, unknown>>

export interface FoundResponse {
  readonly run: string
  /** The event after which it begins. */
  readonly from: number
  readonly isOver: boolean
  readonly response: ResponseObject
}

/** A response: by number, by an event `at`, the last that ended, or the last. */
export type Wanted = { readonly number: number } | { readonly at: number } | "ended" | "last"

const PAGE = 500

/** Parses a response's id; undefined: it is not valid. */
export function runOfResponse(id: string): { readonly run: string; readonly number: number } | undefined {
  const [, run = "", number = "1"] = /^resp_(run_[0-9a-z]{1,64})(?:_([1-9]\d{0,8}))?$/.exec(id) ?? []
  return isRunId(run) && responseId(run, Number(number)) === id ? { run, number: Number(number) } : undefined
}

/** undefined: there is no such run or response. */
export async function findResponse(port: RunPort, run: string, wanted: Wanted): Promise<FoundResponse | undefined> {
  let best: FoundResponse | undefined
  let now: { from: number; isOver: boolean; response: ResponseObject; output: unknown[] } | undefined
  const id = typeof wanted === "object" && "number" in wanted ? responseId(run, wanted.number) : undefined
  const isWanted = (): boolean => now !== undefined && (wanted === "ended" ? now.isOver : id === undefined || now.response["id"] === id)
  for (let after: number | null = 0; after !== null;) {
    const page = await port.frames(after, PAGE, "responses")
    if (!page) return undefined
    for (const { seq, data } of page.data) {
      const { type, response, item, output_index: index } = data
      if (type === "response.created" && isObject(response)) {
        if (typeof wanted === "object" && "at" in wanted && seq > wanted.at) return best
        if (id !== undefined && best) return best
        now = { from: seq - 1, isOver: false, response, output: [] }
      } else if (now && isObject(item) && typeof index === "number") now.output[index] = item
      else if (now && isObject(response) && type !== "response.in_progress") now = { ...now, isOver: true, response }
      if (now && isWanted()) best = { run, ...now, response: now.isOver ? now.response : { ...now.response, output: now.output } }
    }
    after = page.next
  }
  return best ?? (now ? undefined : await queued(port, run, wanted))
}

/** [R16] Of a run that has not begun, so that it has no events. */
async function queued(port: RunPort, run: string, wanted: Wanted): Promise<FoundResponse | undefined> {
  const isFirst = typeof wanted === "object" ? !("number" in wanted) || wanted.number === 1 : wanted === "last"
  const view = isFirst ? await port.view() : undefined
  if (view?.status !== "queued") return undefined
  const { flow, thread, created, status } = view
  const shown = { number: 1, created: Math.floor(Date.parse(created) / 1000), status, output: [], usage: null }
  return { run, from: 0, isOver: false, response: responseOf({ run, flow, thread, status, seq: 0 }, shown) }
}
