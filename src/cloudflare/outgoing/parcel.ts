// Defines a call in transit from an object to a courier [J16], and the courier's interface. The headers contain keys, which stay inside
// this Worker's own binding.

export interface Parcel {
  readonly url: string
  readonly method: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** The result of a call without a response. */
export interface NotSent {
  readonly fault: string
}

export interface Courier {
  /** `call`: the caller's number for it. */
  send(call: number, parcel: Parcel): Promise<Response | NotSent>
  /** Ends a call whose answer nobody reads any more. */
  drop(call: number): Promise<void>
}

export interface CourierPost {
  hire(): Promise<Courier>
}

/** The binding of couriers. Results of its RPC calls must be disposed of. */
export interface CourierBinding {
  hire(): Promise<Courier & Disposable>
}

/** Bytes of a body that a courier takes. One RPC call may have 32 MiB. */
const MAX_PARCEL = 16 * 1024 * 1024 // limit: bytes of a body that a courier carries → the call leaves from the object

/** The parcel of a call; undefined: a courier cannot carry this call. */
export function parcelOf(input: string | URL | Request, init: RequestInit): Parcel | undefined {
  if (input instanceof Request || init.redirect !== "manual") return undefined
  const { method = "GET", body } = init
  const url = typeof input === "string" ? input : input.href
  const headers = [...new Headers(init.headers)]
  if (body === undefined || body === null) return { url, method, headers }
  // UTF-8 takes at most three bytes for a UTF-16 unit.
  if (typeof body === "string") return 3 * body.length > MAX_PARCEL ? undefined : { url, method, headers: typed(headers), body }
  if (!(body instanceof Uint8Array) || body.byteLength > MAX_PARCEL) return undefined
  // Its own buffer: a part of a larger one would cross with the whole.
  return { url, method, headers, body: new Uint8Array(body) }
}

/** What fetch itself says of a text. */
const typed = (headers: readonly [string, string][]): Parcel["headers"] =>
  headers.some(([name]) => name === "content-type") ? headers : [...headers, ["content-type", "text/plain;charset=UTF-8"]]

/** The couriers in the Worker's own exports; undefined: there are none. */
export function courierDoor(exports: unknown): CourierBinding | undefined {
  if (typeof exports !== "object" || exports === null || !("Couriers" in exports)) return undefined
  const { Couriers: door } = exports
  return isDoor(door) ? door : undefined
}

/** A binding answers every name with a method. */
const isDoor = (door: unknown): door is CourierBinding =>
  (typeof door === "object" || typeof door === "function") && door !== null && "hire" in door
