// Returns the answer to a call over a courier as `fetch` would: streamed, ended by the caller's signal, and with a notice when it ends. The
// courier's place is taken until then, because the courier ends with its last answer.

import type { NotSent } from "./parcel.ts"

interface Call {
  readonly signal: AbortSignal | undefined
  /** Tells the courier that nobody reads the answer any more. */
  readonly drop: () => void
  /** Once: the answer is read, given up, or will not come. */
  readonly over: () => void
}

export function carriedAnswer(answer: Promise<Response | NotSent>, { signal, drop, over }: Call): Promise<Response> {
  let isOver = false
  const end = (): void => {
    if (isOver) return
    isOver = true
    signal?.removeEventListener("abort", aborted)
    over()
  }
  let giveUp: (reason: unknown) => void = () => {}
  const aborted = (): void => {
    drop()
    giveUp(signal?.reason)
    end()
  }
  signal?.addEventListener("abort", aborted, { once: true })
  return new Promise<Response>((resolve, reject) => {
    giveUp = reject
    answer.then(
      (got) => {
        if (!(got instanceof Response)) {
          reject(new Error(got.fault))
          end()
        } else if (isOver) void got.body?.cancel().catch(() => {})
        else if (got.body === null) {
          resolve(got)
          end()
        } else {
          const { status, statusText, headers } = got
          const body = streamed(got.body.getReader(), { drop, end, onAbort: (stop) => (giveUp = stop) })
          resolve(new Response(body, { status, statusText, headers }))
        }
      },
      (e: unknown) => {
        reject(e instanceof Error ? e : new Error(String(e)))
        end()
      },
    )
  })
}

interface Reading {
  readonly drop: () => void
  readonly end: () => void
  readonly onAbort: (stop: (reason: unknown) => void) => void
}

function streamed(reader: ReadableStreamDefaultReader<Uint8Array>, { drop, end, onAbort }: Reading): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        onAbort((reason) => {
          controller.error(reason)
          void reader.cancel(reason).catch(() => {})
        })
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          controller.close()
          end()
        } catch (e) {
          controller.error(e)
          end()
        }
      },
      async cancel(reason) {
        drop()
        end()
        await reader.cancel(reason).catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}
