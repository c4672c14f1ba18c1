// Carries values between places as the platform's RPC does: copies, errors by name and message, streams chunk by chunk.

import type { Border } from "./border.ts"
import { lost } from "./border.ts"
import type { Place } from "./place.ts"

/** A copy; throws for what cannot cross. */
export const copied = <T>(value: T): T => (isPlain(value) ? value : structuredClone(value))

const isPlain = (value: unknown): boolean => value === null || (typeof value !== "object" && typeof value !== "function")

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
