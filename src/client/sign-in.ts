// Sign-in of a person [H13]. In a browser, a Sluice without a key then acts by the session's cookie.

import type { SignInShown, WhoAmI } from "../api/doc/sign-in.doc.ts"
import type { SignInWish } from "../api/sign-in.ts"
import { Paged } from "./paged.ts"
import { part, type Transport } from "./transport.ts"

export class Session {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** For a client with a key. The browser gets a cookie for the key's rights; the person's name is recorded with what they decide. */
  open(wish: SignInWish = {}): Promise<WhoAmI> {
    return this.#transport.json("POST", "/v1/session", { body: wish })
  }
  get(): Promise<WhoAmI> {
    return this.#transport.json("GET", "/v1/session")
  }
  close(): Promise<void> {
    return this.#transport.json("DELETE", "/v1/session")
  }
  /** The open sessions of everybody in the tenant. */
  all(): Paged<SignInShown> {
    return new Paged(this.#transport, "/v1/sign-ins")
  }
  end(id: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/sign-ins/${part(id)}`)
  }
}
