// Wraps guardedFetch and reads the body, limited in bytes and time. Tools get it as powers.net. `open` leaves the body unread, for streams.

import { defined } from "../../core/defined.ts"
import { joined } from "../../core/text/joined-bytes.ts"
import type { Net, NetAnswer, NetRequest } from "../../ports/net.ts"
import { Outside } from "../../ports/outside.ts"
import { follow, type NetworkRules } from "./guarded-fetch.ts"
import { deadline, type Deadline } from "../../ports/timers.ts"

const MAX_BYTES = 5 * 1024 * 1024 // limit: bytes of a fetched body → the tool fails
const TIMEOUT = 10_000 // limit: milliseconds of a fetch → the tool fails
const LARGE = 256 * 1024 // limit: bytes of an answer that is read without a place → it waits for one of six places

export const netOf = (way: NetworkRules): Net => ({
  async fetch(request, signal) {
    const limit = request.timeout ?? TIMEOUT
    const late = deadline(limit, `timed out after ${limit} ms`)
    try {
      return await read(request, { signal: AbortSignal.any([signal, late.signal]), late, way })
    } catch (e) {
      // The reason for the abort is a better error than the platform's own.
      late.signal.throwIfAborted()
      throw e
    } finally {
      late.end()
    }
  },
  async open(request, signal) {
    const { response, url } = await follow({ ...request, signal }, way)
    return { status: response.status, url, headers: Object.fromEntries(response.headers), body: response.body }
  },
})

interface Reading {
  readonly signal: AbortSignal
  readonly late: Deadline
  readonly way: NetworkRules
}

async function read(request: NetRequest, { signal, late, way }: Reading): Promise<NetAnswer> {
  const { response, url } = await follow({ ...request, signal }, way)
  const mayBeLarge = way.large ? () => late.apart(way.large?.(signal) ?? Promise.resolve()) : undefined
  const body = await capped(response, { most: request.maxBytes ?? MAX_BYTES, url, ...defined({ mayBeLarge }) })
  return { status: response.status, url, headers: Object.fromEntries(response.headers), body: new Outside(body) }
}

interface Cap {
  readonly most: number
  readonly url: string
  /** Asked once, before more than LARGE bytes are in memory. */
  readonly mayBeLarge?: () => Promise<void>
}

async function capped(response: Response, { most, url, mayBeLarge }: Cap): Promise<Uint8Array> {
  const tooLarge = async (): Promise<never> => {
    await response.body?.cancel().catch(() => {})
    throw new Error(`the answer of ${url} is larger than ${most} bytes`)
  }
  if (Number(response.headers.get("content-length") ?? 0) > most) return tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  let isLarge = false
  const reader = response.body?.getReader()
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    size += chunk.value.byteLength
    if (size > most) {
      reader?.releaseLock()
      return tooLarge()
    }
    chunks.push(chunk.value)
    if (isLarge || size <= LARGE) continue
    isLarge = true
    await mayBeLarge?.()
  }
  return joined(chunks)
}
