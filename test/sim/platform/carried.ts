// Carries values between places as the platform's RPC does: copies, errors by name and message, streams chunk by chunk.

import type { Border } from "./border.ts"
import { lost } from "./border.ts"
import type { Place } from "./place.ts"

/** A copy; throws for what cannot cross. Data is copied here: the platform's own copier takes several times as long, and does the same. */
export function copied<T>(value: T): T {
  const copy = dataOf(value, 0)
  return copy === OTHER ? structuredClone(value) : (copy as T)
}

/** Not data alone. */
const OTHER = Symbol("other")
/** Deeper than any answer; what holds itself is endless. */
const DEEPEST = 100

function dataOf(value: unknown, depth: number): unknown {
  if (value === null || (typeof value !== "object" && typeof value !== "function" && typeof value !== "symbol")) return value
  if (typeof value !== "object" || depth > DEEPEST) return OTHER
  const proto: unknown = Object.getPrototypeOf(value)
  if (proto !== Array.prototype && proto !== Object.prototype && proto !== null) return OTHER
  if (Array.isArray(value)) return listOf(value, depth)
  const copy: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(value) as [string, unknown][]) {
    const same = dataOf(part, depth + 1)
    if (same === OTHER || name === "__proto__") return OTHER
    copy[name] = same
  }
  return copy
}

/** A list with holes or names is no data. */
function listOf(list: readonly unknown[], depth: number): unknown {
  const copy: unknown[] = []
  for (let i = 0; i < list.length; i++) {
    const same = i in list ? dataOf(list[i], depth + 1) : OTHER
    if (same === OTHER) return OTHER
    copy.push(same)
  }
  return Object.keys(list).length === list.length ? copy : OTHER
}

/** An error of another object as its caller sees it. */
export function remote(e: unknown): Error {
  const from = e instanceof Error ? e : new Error(String(e))
  const error = new Error(from.message)
  error.name = from.name
  if (from.stack !== undefined) error.stack = from.stack
  return Object.assign(error, { remote: true })
}

/** The answer of an object's `fetch`, for its caller: each chunk is a message that the reader has asked for. */
export function carriedResponse(border: Border, answer: Response, from: Place, to: Place | undefined): Response {
  const { status, headers, body } = answer
  return new Response(body && carriedStream(border, body, from, to), { status, headers })
}

function carriedStream(border: Border, source: ReadableStream<Uint8Array>, from: Place, to: Place | undefined): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let isOver = false
  let forget = (): void => {}
  const stop = (): void => {
    if (isOver) return
    isOver = true
    forget()
    border.at(border.way("stream"), from, `${from.label}: nobody reads on`, () => void reader.cancel().catch(() => {}))
  }
  to?.onEnd(stop)
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        forget = from.onEnd(() => {
          border.at(border.way("stream"), to, `${from.label}: its stream breaks`, () => {
            if (!isOver) controller.error(lost())
            isOver = true
          })
        })
      },
      pull(controller) {
        return new Promise<void>((resolve) => {
          const arrive = (what: string, happen: () => void): void =>
            from.leave(() => {
              border.at(border.way("stream"), to, `${from.label}: ${what}`, () => {
                if (!isOver) happen()
                resolve()
              })
            })
          border.at(border.way("stream"), from, `${from.label}: its stream is read`, () => {
            reader.read().then(
              ({ done, value }) => {
                if (!done) return arrive("a chunk", () => controller.enqueue(value.slice()))
                forget()
                arrive("the end of its stream", () => {
                  isOver = true
                  controller.close()
                })
              },
              (e: unknown) => {
                forget()
                arrive("its stream fails", () => {
                  isOver = true
                  controller.error(remote(e))
                })
              },
            )
          })
        })
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  )
}
