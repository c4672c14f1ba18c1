// Signs a person in [H13]. In a browser, a client without a key then uses the session's cookie.

import type * as shapes from "../api/doc/sign-in.doc.ts"
import type { SignInShown, WhoAmI } from "../api/doc/sign-in.doc.ts"
import type { signIn, SignInWish } from "../api/sign-in.ts"
import type { Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"

export class SignInClient extends Part<typeof signIn, typeof shapes> {
  /** For a client with a key. The browser gets a cookie for the key's rights; the person's name is recorded with what they decide. */
  readonly open: (wish?: SignInWish) => Promise<WhoAmI> = this.route("POST /v1/session")
  readonly get: () => Promise<WhoAmI> = this.route("GET /v1/session")
  readonly close: () => Promise<void> = this.route("DELETE /v1/session")
  /** The open sessions of everybody in the tenant. */
  readonly all: () => Paged<SignInShown> = this.paged("/v1/sign-ins")
  readonly end: (id: string) => Promise<void> = this.route("DELETE /v1/sign-ins/*")
}
