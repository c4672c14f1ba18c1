// Network: what the Worker fetches, answered by hosts of the world. A host decides at one moment; the head and each chunk of its answer are messages.

import type { Border } from "./border.ts"

export interface Asked {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: string
}

export interface Told {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** As it is sent, with pauses (ms) before its parts. */
  readonly parts: readonly { readonly after: number; readonly text: string }[]
  /** Milliseconds until the head is sent. */
  readonly after?: number
}

export type Host = (asked: Asked) => Told

const SLOW_MS = 20_000

/** `hosts`: by host and port. */
export function networkOf(border: Border, hosts: ReadonlyMap<string, Host>): typeof fetch {
  const { faults } = border
  return async (input, init) => {
    const request = input instanceof Request ? input : undefined
    const url = new URL(request ? request.url : String(input))
    const signal = init?.signal ?? request?.signal
    signal?.throwIfAborted()
    const asked: Asked = {
      method: init?.method ?? request?.method ?? "GET",
      url,
      headers: new Headers(init?.headers ?? request?.headers),
      body: await textOf(init?.body ?? request?.body),
    }
    const place = border.here
    const label = `${place.label} → ${url.host}${url.pathname}`
    return new Promise<Response>((resolve, reject) => {
      let isOver = false
      const stop = (): void => {
        if (isOver) return
        isOver = true
        reject(signal?.reason)
      }
      signal?.addEventListener("abort", stop, { once: true })
      const answer = (delay: number, what: string, settle: () => void): void =>
        void border.at(delay, place, `${label}: ${what}`, () => {
          if (isOver) return
          isOver = true
          signal?.removeEventListener("abort", stop)
          settle()
        })
      const fail = (message: string): void => answer(border.way("network"), message, () => reject(new TypeError(message)))
      place.leave(() => {
        // Aborted while what was written before it became durable: it is not sent.
        if (isOver) return
        border.at(border.way("network"), undefined, label, () => {
          const host = hosts.get(url.host)
          if (!host || faults.of("refused connection")) return fail("connection refused")
          const told = faults.of("server error")
            ? { status: 503, parts: [{ after: 0, text: '{"error":{"message":"busy"}}' }] }
            : host(asked)
          if (faults.of("lost connection")) return fail("the connection was lost")
          const after = (told.after ?? 0) + (faults.of("slow stream") ? SLOW_MS * border.dice.roll("slow stream") : 0)
          answer(after + border.way("network"), String(told.status), () =>
            resolve(
              new Response(streamOf(border, told, label, signal ?? undefined), {
                status: told.status,
                ...(told.headers ? { headers: told.headers } : {}),
              }),
            ),
          )
        })
      })
    })
  }
}

function streamOf(border: Border, told: Told, label: string, signal: AbortSignal | undefined): ReadableStream<Uint8Array> | null {
  if (told.status === 204 || told.status === 304) return null
  const { faults, dice } = border
  const place = border.here
  const parts = [...told.parts]
  const cut = faults.of("cut stream") ? dice.below("cut", parts.length + 1) : undefined
  const garbled = faults.of("garbled stream") ? dice.below("garbled", parts.length) : undefined
  const encoder = new TextEncoder()
  let i = 0
  let isOver = false
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal?.addEventListener("abort", () => {
          if (isOver) return
          isOver = true
          controller.error(signal.reason)
        })
      },
      pull(controller) {
        return new Promise<void>((resolve) => {
          const part = parts[i]
          border.at((part?.after ?? 0) + border.way("network"), place, `${label}: ${part ? "a part" : "the end"}`, () => {
            resolve()
            if (isOver) return
            if (i === cut) {
              isOver = true
              return controller.error(new TypeError("the connection was lost"))
            }
            if (!part) {
              isOver = true
              return controller.close()
            }
            controller.enqueue(encoder.encode(i === garbled ? `${part.text.slice(0, part.text.length / 2)}\u0000{` : part.text))
            i++
          })
        })
      },
      cancel() {
        isOver = true
      },
    },
    { highWaterMark: 0 },
  )
}

async function textOf(body: unknown): Promise<string> {
  if (body === undefined || body === null) return ""
  if (typeof body === "string") return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  return await new Response(body as ReadableStream).text()
}
