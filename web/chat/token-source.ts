// Provides an element's chat tokens: the page's own `token`, or tokens from the page's server, because a page must not contain a key.
// `token-src` is an address of that server: POST {flow?, thread?} returns the answer of the API's POST …/chat-token.

import { fields, text } from "./ui-message.ts"

/** A new token is asked for when the old one has less left. */
const NEAR_MS = 5_000
const PATIENCE_MS = 20_000

export class NoToken extends Error {}

export class TokenSource {
  readonly #address: string | undefined
  readonly #given: Map<string, string>
  readonly #expires: (token: string) => number | undefined

  constructor(address: string | undefined, expires: (token: string) => number | undefined) {
    this.#address = address
    this.#given = new Map()
    this.#expires = expires
  }

  get makesThreads(): boolean {
    return this.#address !== undefined
  }

  give(thread: string, token: string): void {
    this.#given.set(thread, token)
  }

  /** A token of this thread; `stale`: the one that was just refused. */
  async of(thread: string, flow: string, stale?: string): Promise<string> {
    const token = this.#given.get(thread)
    const left = token === undefined ? 0 : (this.#expires(token) ?? Number.POSITIVE_INFINITY) - Date.now()
    if (token !== undefined && token !== stale && (left > NEAR_MS || this.#address === undefined)) return token
    if (this.#address === undefined) throw new NoToken("This chat has expired: reload the page.")
    return (await this.make({ flow, thread })).token
  }

  /** Asks the page's server; without a thread for a new one. */
  async make(wish: { readonly flow?: string; readonly thread?: string }): Promise<{ readonly token: string; readonly thread: string }> {
    const answer = await fetch(new URL(this.#address ?? "", document.baseURI), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(wish),
      credentials: "same-origin",
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const said = fields(answer.ok ? await answer.json().catch(() => undefined) : undefined)
    const [token, thread] = [text(said["token"]), text(said["thread"]) ?? wish.thread]
    if (token === undefined || thread === undefined) throw new NoToken("This page's server did not provide a chat token.")
    this.#given.set(thread, token)
    return { token, thread }
  }
}
