// Stops and judges every request of a browser before it leaves [T21]: the requested address, and each address that a page, a redirect,
// a frame, a popup or a worker requests. The gate covers the whole browser, not one page, and is closed before the first page opens.
//
// The protocol does not stop everything, so documents get our policy in addition to theirs, under which no
// WebSocket, WebTransport or worker of any kind opens. A host is judged by its name only, as everywhere (docs/decisions/0014).

import { isObject, type JsonObject } from "../../core/json.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { numberIn, stringIn, type Cdp } from "./cdp.ts"

/** Returns why this address may not be requested, or undefined. */
export type Judge = (url: string) => string | undefined

/** Chrome also applies a document's policy to the `blob:`, `data:` and `about:` documents it creates. */
const POLICY = "connect-src http: https: data: blob:; worker-src 'none'"
/** Larger documents are refused: a document is read whole and returned with our policy. */
const MAX_BYTES = 8 * 1024 * 1024 // limit: bytes of a document of a page → the document fails
const CHUNK = 1024 * 1024
/** Document types in which no script can run. If a header has several types, separated by commas, Chrome uses the last. */
const INERT = /^(text\/plain|application\/(json|pdf|zip|octet-stream)|(image\/(?!svg)|audio\/|video\/|font\/)[\w.+-]+)\s*(;[^,]*)?$/i
/** Headers that describe the body as sent, open other connections, or have already taken effect. */
const DROPPED =
  /^(content-encoding|content-length|transfer-encoding|set-cookie|link|nel|report-to|reporting-endpoints|speculation-rules|service-worker-allowed|alt-svc)$/i
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MAX_NOTES = 10 // limit: notes about a page's requests → further ones are left out
/** Of a longer address only the origin is told: nothing of it is cut in two [T32]. */
const MAX_NOTE_CHARS = 500 // limit: characters of a note → the rest is cut
/** Entries remembered per page; a page may send any number of requests, with addresses of megabytes. */
const MAX_KEPT = 500 // limit: requests remembered of a page → the oldest is forgotten

export class RequestGate {
  readonly #cdp: Pick<Cdp, "call" | "send">
  readonly #judge: Judge
  /** By network id: was the previous hop over https? */
  readonly #hops = new Map<string, boolean>()
  readonly #documents = new Set<string>()
  #refused: { readonly url: string; readonly why: string; readonly isDocument: boolean }[] = []

  constructor(cdp: Pick<Cdp, "call" | "send">, judge: Judge) {
    this.#cdp = cdp
    this.#judge = judge
  }

  /** Rejects if the browser cannot be gated; no page may then be opened in it. */
  async close(): Promise<void> {
    await this.#cdp.call("Fetch.enable", {
      patterns: [
        { urlPattern: "*", requestStage: "Request" },
        { urlPattern: "*", requestStage: "Response", resourceType: "Document" },
      ],
    })
  }

  /** The refusals since the last call of this method, documents first. */
  taken(): readonly { readonly url: string; readonly why: string; readonly isDocument: boolean }[] {
    const taken = this.#refused
    this.#refused = []
    return [...taken].sort((a, b) => Number(b.isDocument) - Number(a.isDocument))
  }

  /** Did this load pass the gate (a document's network id is its loader id)? Chrome's own prefetches did not. */
  passed(loader: string): boolean {
    return this.#documents.has(loader)
  }

  /** `Fetch.requestPaused`. Any error in here fails the request. */
  paused(params: JsonObject, session?: string): void {
    const requestId = stringIn(params, "requestId")
    const url = stringIn(params["request"], "url")
    if (requestId === undefined || url === undefined) return
    const isDocument = params["resourceType"] === "Document"
    const status = numberIn(params, "responseStatusCode")
    const fail = (why?: string): void => {
      if (why !== undefined) this.#note(url, why, isDocument)
      this.#cdp.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }, session)
    }
    try {
      if (status === undefined && stringIn(params, "responseErrorReason") === undefined) {
        const isRedirected = stringIn(params, "redirectedRequestId") !== undefined
        const why = this.#wrong(url, isDocument, stringIn(params, "networkId"), isRedirected)
        if (why === undefined && isDocument) this.#admit(stringIn(params, "networkId") ?? "")
        if (why === undefined) this.#cdp.send("Fetch.continueRequest", { requestId }, session)
        else fail(why)
      } else if (status === undefined || REDIRECTS.has(status)) this.#cdp.send("Fetch.continueRequest", { requestId }, session)
      else this.#document(requestId, status, headersIn(params), session).catch((e: unknown) => fail(messageOf(e, "it cannot be read")))
    } catch (e) {
      fail(messageOf(e, "it could not be checked"))
    }
  }

  #wrong(url: string, isDocument: boolean, network: string | undefined, isRedirected: boolean): string | undefined {
    // They send nothing; but a data: page would be text without an address to account for it.
    if (/^(data|blob):/i.test(url)) return isDocument && /^data:/i.test(url) ? "data: is not allowed as a page" : undefined
    const why = this.#judge(url)
    if (why !== undefined) return why
    if (network === undefined) return undefined
    const before = this.#hops.get(network)
    // Drops the least recently requested entry.
    this.#hops.delete(network)
    this.#hops.set(network, /^https:/i.test(url))
    const [oldest] = this.#hops.keys()
    if (this.#hops.size > MAX_KEPT && oldest !== undefined) this.#hops.delete(oldest)
    if (!/^http:/i.test(url) || before === false) return undefined
    if (before) return "it redirects from https to http"
    return isRedirected ? "it is no longer known whether it was redirected from https" : undefined
  }

  async #document(requestId: string, status: number, headers: readonly Header[], session: string | undefined): Promise<void> {
    const types = headers.filter(({ name }) => name.toLowerCase() === "content-type").map(({ value }) => value.trim())
    if (types.length > 0 && types.every((type) => INERT.test(type))) return this.#cdp.send("Fetch.continueRequest", { requestId }, session)
    if (types.some((type) => /multipart\//i.test(type))) throw new Error("multipart documents are not allowed")
    const body = await this.#body(requestId, session)
    const kept = headers.filter(({ name }) => !DROPPED.test(name)).map(({ name, value }) => ({ name, value }))
    await this.#cdp.call(
      "Fetch.fulfillRequest",
      { requestId, responseCode: status, responseHeaders: [...kept, { name: "Content-Security-Policy", value: POLICY }], body },
      session,
    )
  }

  /** The body in base64, as the protocol delivers and accepts it. */
  async #body(requestId: string, session: string | undefined): Promise<string> {
    const stream = stringIn(await this.#cdp.call("Fetch.takeResponseBodyAsStream", { requestId }, session), "stream")
    if (stream === undefined) throw new Error("it has no readable body")
    const parts: string[] = []
    let size = 0
    try {
      for (;;) {
        const part = await this.#cdp.call("IO.read", { handle: stream, size: CHUNK }, session)
        const data = stringIn(part, "data") ?? ""
        const bytes = part["base64Encoded"] === true ? atob(data) : latin1(data)
        size += bytes.length
        if (size > MAX_BYTES) throw new Error(`a document of more than ${MAX_BYTES} bytes is not opened`)
        if (bytes !== "") parts.push(bytes)
        if (part["eof"] === true) return btoa(parts.join(""))
      }
    } finally {
      this.#cdp.send("IO.close", { handle: stream }, session)
    }
  }

  /** Drops the oldest entry: a document still to be shown is among the latest. */
  #admit(document: string): void {
    this.#documents.delete(document)
    this.#documents.add(document)
    const [oldest] = this.#documents
    if (this.#documents.size > MAX_KEPT && oldest !== undefined) this.#documents.delete(oldest)
  }

  #note(url: string, why: string, isDocument: boolean): void {
    const isFirst = isDocument && !this.#refused.some((refused) => refused.isDocument)
    if (this.#refused.length >= MAX_NOTES && !isFirst) return
    this.#refused.push({ url: url.length <= MAX_NOTE_CHARS ? url : `${originOf(url)}/…`, why, isDocument })
  }
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "an address")

interface Header {
  readonly name: string
  readonly value: string
}

function headersIn(params: JsonObject): readonly Header[] {
  const headers = params["responseHeaders"]
  return (Array.isArray(headers) ? headers : []).flatMap((header) => {
    const name = stringIn(header, "name")
    const value = stringIn(header, "value")
    return isObject(header) && name !== undefined && value !== undefined ? [{ name, value }] : []
  })
}

/** The UTF-8 bytes of the text, one character per byte. */
const latin1 = (text: string): string => {
  const bytes = new TextEncoder().encode(text)
  let out = ""
  for (let i = 0; i < bytes.length; i += 8_192) out += String.fromCharCode(...bytes.subarray(i, i + 8_192))
  return out
}
