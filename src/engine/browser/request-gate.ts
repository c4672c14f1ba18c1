// Every request of a browser, stopped and judged before it leaves [T21]: the address that was named, and each one that a page, a redirect,
// a frame, a popup or a worker comes to. The gate stands at the browser itself, not at one page, and is closed before the first page opens.
//
// What the protocol does not stop is kept from coming about: documents arrive with a policy of ours beside their own, under which no
// WebSocket, no WebTransport and no worker of any kind opens. A name is judged by its letters only, as everywhere (docs/decisions/0014).

import { isObject, type JsonObject } from "../../core/json.ts"
import { numberIn, stringIn, type Cdp } from "./cdp.ts"

/** Why this address may not be asked, or undefined. */
export type Judge = (url: string) => string | undefined

/** Chrome holds a document's policy against `blob:`, `data:` and `about:` documents that it makes, too. */
const POLICY = "connect-src http: https: data: blob:; worker-src 'none'"
/** A document beyond this is refused: it is read whole, to be given back with our policy. */
const MOST_BYTES = 8 * 1024 * 1024
const CHUNK = 1024 * 1024
/** Types of documents in which nothing can run. Of two types in one header, after a comma, Chrome takes the last. */
const INERT = /^(text\/plain|application\/(json|pdf|zip|octet-stream)|(image\/(?!svg)|audio\/|video\/|font\/)[\w.+-]+)\s*(;[^,]*)?$/i
/** They belong to the body as it was sent, ask for connections of their own, or were acted upon already. */
const DROPPED =
  /^(content-encoding|content-length|transfer-encoding|set-cookie|link|nel|report-to|reporting-endpoints|speculation-rules|service-worker-allowed|alt-svc)$/i
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MOST_NOTES = 10
const MOST_NOTE_CHARS = 500
/** Of what a page asks for, which may be without end and megabytes each, so much is remembered. */
const MOST_KEPT = 500

export class RequestGate {
  readonly #cdp: Pick<Cdp, "call" | "tell">
  readonly #judge: Judge
  /** Of redirected requests: was the hop before over https? */
  readonly #hops = new Map<string, boolean>()
  readonly #documents = new Set<string>()
  #refused: { readonly url: string; readonly why: string; readonly isDocument: boolean }[] = []

  constructor(cdp: Pick<Cdp, "call" | "tell">, judge: Judge) {
    this.#cdp = cdp
    this.#judge = judge
  }

  /** Rejects when the browser cannot be gated: then no page may be opened in it. */
  async close(): Promise<void> {
    await this.#cdp.call("Fetch.enable", {
      patterns: [
        { urlPattern: "*", requestStage: "Request" },
        { urlPattern: "*", requestStage: "Response", resourceType: "Document" },
      ],
    })
  }

  /** What was refused since this was asked last; the first is a document's, if one was. */
  taken(): readonly { readonly url: string; readonly why: string; readonly isDocument: boolean }[] {
    const taken = this.#refused
    this.#refused = []
    return [...taken].sort((a, b) => Number(b.isDocument) - Number(a.isDocument))
  }

  /** Did this load (a document's own network id is its loader's) come through here? What Chrome prefetched of itself did not. */
  passed(loader: string): boolean {
    return this.#documents.has(loader)
  }

  /** `Fetch.requestPaused`. Whatever goes wrong in here fails the request. */
  paused(params: JsonObject, session?: string): void {
    const requestId = stringIn(params, "requestId")
    const url = stringIn(params["request"], "url")
    if (requestId === undefined || url === undefined) return
    const isDocument = params["resourceType"] === "Document"
    const status = numberIn(params, "responseStatusCode")
    const fail = (why?: string): void => {
      if (why !== undefined) this.#note(url, why, isDocument)
      this.#cdp.tell("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }, session)
    }
    try {
      if (status === undefined && stringIn(params, "responseErrorReason") === undefined) {
        const isRedirected = stringIn(params, "redirectedRequestId") !== undefined
        const why = this.#wrong(url, isDocument, stringIn(params, "networkId"), isRedirected)
        if (why === undefined && isDocument) this.#admit(stringIn(params, "networkId") ?? "")
        if (why === undefined) this.#cdp.tell("Fetch.continueRequest", { requestId }, session)
        else fail(why)
      } else if (status === undefined || REDIRECTS.has(status)) this.#cdp.tell("Fetch.continueRequest", { requestId }, session)
      else
        this.#document(requestId, status, headersIn(params), session).catch((e: unknown) =>
          fail(e instanceof Error ? e.message : "it cannot be read"),
        )
    } catch (e) {
      fail(e instanceof Error ? e.message : "it could not be judged")
    }
  }

  #wrong(url: string, isDocument: boolean, network: string | undefined, isRedirected: boolean): string | undefined {
    // They lead nowhere; as a page of their own they would be words that nobody's address vouches for.
    if (/^(data|blob):/i.test(url)) return isDocument && /^data:/i.test(url) ? "data: is not allowed as a page" : undefined
    const why = this.#judge(url)
    if (why !== undefined) return why
    if (network === undefined) return undefined
    const before = this.#hops.get(network)
    // The one that was asked longest ago goes.
    this.#hops.delete(network)
    this.#hops.set(network, /^https:/i.test(url))
    const [oldest] = this.#hops.keys()
    if (this.#hops.size > MOST_KEPT && oldest !== undefined) this.#hops.delete(oldest)
    if (!/^http:/i.test(url) || before === false) return undefined
    if (before) return "it leads from https to http"
    return isRedirected ? "it is not known any more whether it was led here from https" : undefined
  }

  async #document(requestId: string, status: number, headers: readonly Header[], session: string | undefined): Promise<void> {
    const types = headers.filter(({ name }) => name.toLowerCase() === "content-type").map(({ value }) => value.trim())
    if (types.length > 0 && types.every((type) => INERT.test(type))) return this.#cdp.tell("Fetch.continueRequest", { requestId }, session)
    if (types.some((type) => /multipart\//i.test(type))) throw new Error("a document of several parts is not allowed")
    const body = await this.#body(requestId, session)
    const kept = headers.filter(({ name }) => !DROPPED.test(name)).map(({ name, value }) => ({ name, value }))
    await this.#cdp.call(
      "Fetch.fulfillRequest",
      { requestId, responseCode: status, responseHeaders: [...kept, { name: "Content-Security-Policy", value: POLICY }], body },
      session,
    )
  }

  /** In base64, as it is asked for and given back. */
  async #body(requestId: string, session: string | undefined): Promise<string> {
    const stream = stringIn(await this.#cdp.call("Fetch.takeResponseBodyAsStream", { requestId }, session), "stream")
    if (stream === undefined) throw new Error("it has no body that can be read")
    const parts: string[] = []
    let size = 0
    try {
      for (;;) {
        const part = await this.#cdp.call("IO.read", { handle: stream, size: CHUNK }, session)
        const data = stringIn(part, "data") ?? ""
        const bytes = part["base64Encoded"] === true ? atob(data) : latin1(data)
        size += bytes.length
        if (size > MOST_BYTES) throw new Error(`a document of more than ${MOST_BYTES} bytes is not opened`)
        if (bytes !== "") parts.push(bytes)
        if (part["eof"] === true) return btoa(parts.join(""))
      }
    } finally {
      this.#cdp.tell("IO.close", { handle: stream }, session)
    }
  }

  /** The oldest goes: a document that is still to be shown is among the latest. */
  #admit(document: string): void {
    this.#documents.delete(document)
    this.#documents.add(document)
    const [oldest] = this.#documents
    if (this.#documents.size > MOST_KEPT && oldest !== undefined) this.#documents.delete(oldest)
  }

  #note(url: string, why: string, isDocument: boolean): void {
    const isFirst = isDocument && !this.#refused.some((refused) => refused.isDocument)
    if (this.#refused.length >= MOST_NOTES && !isFirst) return
    this.#refused.push({ url: url.slice(0, MOST_NOTE_CHARS), why: why.slice(0, MOST_NOTE_CHARS), isDocument })
  }
}

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

/** UTF-8, a character for each byte. */
const latin1 = (text: string): string => {
  const bytes = new TextEncoder().encode(text)
  let out = ""
  for (let i = 0; i < bytes.length; i += 8_192) out += String.fromCharCode(...bytes.subarray(i, i + 8_192))
  return out
}
