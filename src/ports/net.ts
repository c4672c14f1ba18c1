// The one way out [T21]: every address is judged before it is asked, and again at each redirect. Behind it stands fetch.

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
  /** Default 5; a redirect beyond is an error. */
  readonly redirects?: number
}

export interface NetAnswer {
  readonly status: number
  /** Where it came from in the end. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** An answer whose body is still to come: an event stream. */
export interface NetStream extends Omit<NetAnswer, "body"> {
  readonly body: ReadableStream<Uint8Array> | null
}

export interface Net {
  /** Throws an Error; one that begins `address refused` is the guard's own, and nothing was sent. */
  fetch(request: NetRequest, signal: AbortSignal): Promise<NetAnswer>
  /** The same way out, the body left unread: who reads it counts its bytes, and `signal` is the only time limit. */
  open?(request: Omit<NetRequest, "maxBytes" | "timeout">, signal: AbortSignal): Promise<NetStream>
}
