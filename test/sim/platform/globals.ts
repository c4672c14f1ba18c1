// Replaces what the Worker's code finds in its global scope by the simulator's: the clock, timers, random numbers, digests, compression, fetch. For the
// whole process; what the simulator itself needs of the real ones it takes before.

import { createHash, webcrypto } from "node:crypto"
import { getEventListeners } from "node:events"
import { deflateRawSync, deflateSync, gunzipSync, gzipSync, inflateRawSync, inflateSync } from "node:zlib"
import type { Border } from "./border.ts"
import type { Coming } from "./timeline.ts"

/** The simulation that plays now. */
let border: Border | undefined
let fetching: typeof fetch | undefined

const playing = (): Border => {
  if (!border) throw new Error("no simulation plays")
  return border
}

/** Signals that follow others. Node keeps each for as long as anyone listens, and with it all that its listeners know: a whole simulation. */
const following = new Set<AbortSignal>()

export function play(next: Border, fetches: typeof fetch): void {
  for (const signal of following)
    for (const listener of getEventListeners(signal, "abort")) signal.removeEventListener("abort", listener as () => void)
  following.clear()
  border = next
  fetching = fetches
}

const RealDate = Date
const { subtle: real } = webcrypto

class VirtualDate extends RealDate {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(VirtualDate.now())
    else super(...(args as [number]))
  }

  static override now(): number {
    return border ? border.clock() : RealDate.now()
  }
}

interface Timer extends Partial<Coming> {
  unref(): Timer
  ref(): Timer
  hasRef(): boolean
  [Symbol.toPrimitive](): number
}

/** Late as timers are: by less than a millisecond, sometimes by more. */
const LATE_MS = 1

function timerOf(work: (...args: readonly unknown[]) => void, ms: number, args: readonly unknown[], isRepeated: boolean): object {
  const { timeline, dice } = playing()
  const place = timeline.here
  const wait = Number.isFinite(ms) && ms > 0 ? ms : 0
  const timer = { coming: undefined as Coming | undefined, isOff: false }
  const arm = (): void => {
    timer.coming = timeline.in(wait + dice.roll("timer") * LATE_MS, place, "timer", () => {
      if (timer.isOff) return
      if (isRepeated) arm()
      work(...args)
    })
  }
  arm()
  const handle: Timer = Object.assign(timer, { unref: () => handle, ref: () => handle, hasRef: () => true, [Symbol.toPrimitive]: () => 0 })
  return handle
}

function clear(handle: unknown): void {
  if (typeof handle !== "object" || handle === null) return
  const timer = handle as { coming?: Coming; isOff: boolean }
  timer.isOff = true
  if (timer.coming) timer.coming.isOff = true
}

const algorithmOf = (algorithm: AlgorithmIdentifier): string => (typeof algorithm === "string" ? algorithm : algorithm.name).toUpperCase()

const bytesOf = (data: BufferSource): Uint8Array =>
  data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength)

/** DER of an Ed25519 private key (RFC 8410), before its 32 bytes. */
const ED25519 = Buffer.from("302e020100300506032b657004220420", "hex")

const subtle = new Proxy(real, {
  get(_, name) {
    if (name === "digest")
      return (algorithm: AlgorithmIdentifier, data: BufferSource) => {
        const bytes = bytesOf(data).slice()
        return playing().compute("digest", () => {
          const hash = createHash(algorithmOf(algorithm).replace("-", "")).update(bytes).digest()
          return new Uint8Array(hash).buffer
        })
      }
    if (name === "timingSafeEqual")
      return (a: BufferSource, b: BufferSource) => Buffer.compare(Buffer.from(bytesOf(a)), Buffer.from(bytesOf(b))) === 0
    if (name === "generateKey")
      return (algorithm: AlgorithmIdentifier, extractable: boolean, usages: KeyUsage[]) =>
        playing().compute("key", () => madeKey(algorithm, extractable, usages))
    const found: unknown = Reflect.get(real, name)
    if (typeof found !== "function") return found
    return (...args: readonly unknown[]) => playing().compute(String(name), () => Reflect.apply(found, real, args) as Promise<unknown>)
  },
})

/** A key that follows from the seed. */
async function madeKey(algorithm: AlgorithmIdentifier, extractable: boolean, usages: KeyUsage[]): Promise<unknown> {
  const name = algorithmOf(algorithm)
  if (name === "HMAC") return real.importKey("raw", randomBytes(new Uint8Array(32)), algorithm as HmacImportParams, extractable, usages)
  if (name !== "ED25519") throw new Error(`the simulator makes no key for ${name}`)
  const der = Buffer.concat([ED25519, randomBytes(new Uint8Array(32))])
  const privateKey = await real.importKey("pkcs8", der, algorithm, true, ["sign"])
  const { d: _, ...jwk } = await real.exportKey("jwk", privateKey)
  const publicKey = await real.importKey("jwk", { ...jwk, key_ops: ["verify"] }, algorithm, true, ["verify"])
  return { privateKey, publicKey }
}

function randomBytes<T extends ArrayBufferView>(array: T): T {
  const { dice } = playing()
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  for (let i = 0; i < bytes.length; i++) bytes[i] = dice.below("random bytes", 256)
  return array
}

function uuid(): string {
  const bytes = randomBytes(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Takes everything, and gives it at the end: when compression computes is not a choice of the thread pool. */
const atOnce = (work: (bytes: Uint8Array) => Uint8Array): new () => TransformStream<Uint8Array, Uint8Array> =>
  class extends TransformStream<Uint8Array, Uint8Array> {
    constructor() {
      const chunks: Uint8Array[] = []
      super({
        transform: (chunk) => void chunks.push(chunk),
        flush: (to) => to.enqueue(new Uint8Array(work(Buffer.concat(chunks)))),
      })
    }
  }

const PACKED = { gzip: gzipSync, deflate: deflateSync, "deflate-raw": deflateRawSync } as const
const OPENED = { gzip: gunzipSync, deflate: inflateSync, "deflate-raw": inflateRawSync } as const
const streamOf = (works: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>>): unknown =>
  function Stream(format: string) {
    const work = works[format]
    if (!work) throw new TypeError(`${format} is no format`)
    return new (atOnce(work))()
  }

/** Once for the process. */
export function takeGlobals(): void {
  const abortAfter = (ms: number): AbortSignal => {
    const controller = new AbortController()
    timerOf(() => controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")), ms, [], false)
    return controller.signal
  }
  const follow = AbortSignal.any.bind(AbortSignal)
  const followed = (signals: Iterable<AbortSignal>): AbortSignal => {
    const signal = follow([...signals])
    following.add(signal)
    return signal
  }
  const crypto = { subtle, randomUUID: uuid, getRandomValues: randomBytes }
  const replaced: Readonly<Record<string, unknown>> = {
    Date: VirtualDate,
    setTimeout: (work: () => void, ms = 0, ...args: readonly unknown[]) => timerOf(work, ms, args, false),
    setInterval: (work: () => void, ms = 0, ...args: readonly unknown[]) => timerOf(work, ms, args, true),
    clearTimeout: clear,
    clearInterval: clear,
    crypto,
    fetch: ((input, init) => {
      if (!fetching) throw new Error("no simulation plays")
      return fetching(input, init)
    }) satisfies typeof fetch,
    CompressionStream: streamOf(PACKED),
    DecompressionStream: streamOf(OPENED),
    performance: { now: () => playing().timeline.now, timeOrigin: 0 },
  }
  for (const [name, value] of Object.entries(replaced))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
  Math.random = () => playing().dice.roll("random")
  AbortSignal.timeout = abortAfter
  AbortSignal.any = followed
}
