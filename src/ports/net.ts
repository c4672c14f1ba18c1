// Defines the only way to the network [T21]. The address guard checks every address before `fetch`, and again at each redirect.

import type { Outside } from "./outside.ts"

export interface NetRequest {
  readonly url: string
  /** Default GET. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Headers that hold a secret: sent to the first origin only. */
  readonly secretHeaders?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Default 5 MiB. */
  readonly maxBytes?: number
  /** Milliseconds; default 10,000. */
  readonly timeout?: number
  /** Default 5; more redirects are an error. */
  readonly redirects?: number
}

export interface NetAnswer {
  readonly status: number
  /** The final address, after redirects. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Outside
}

/** A response whose body is not read yet, such as an event stream. */
export interface NetStream extends Omit<NetAnswer, "body"> {
  readonly body: ReadableStream<Uint8Array> | null
}

export interface Net {
  /** Throws an Error on failure. A message that begins with `address refused` is from the guard, and nothing was sent to that address. */
  fetch(request: NetRequest, signal: AbortSignal): Promise<NetAnswer>
  /** The same without reading the body. The caller limits its size, and `signal` is the only time limit. */
  open?(request: Omit<NetRequest, "maxBytes" | "timeout">, signal: AbortSignal): Promise<NetStream>
}
