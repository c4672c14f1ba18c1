// Describes the caller of a request and its rights, as determined by the middleware.

import type { Amount } from "../../core/money/amount.ts"
import type { Origin } from "../../core/flow/origin.ts"
import type { Scope } from "./tenants.ts"

/** The right that a route requires. `instance`: the admin key, which has no other right and no tenant [N5]. */
export type Right = Scope | "instance"

export interface Caller {
  /** "" for the instance's admin key. */
  readonly tenant: string
  /** A name for the journal ("answered by"), never the key itself. */
  readonly name: string
  readonly scopes: readonly Right[]
  /** Absent: the key has no row, so it cannot be revoked. */
  readonly keyId?: string
  /** When the key expires, in milliseconds. Absent: never, or the caller has no key in hand. */
  readonly keyUntil?: number
  /** When the tenant was created, in milliseconds. A new tenant under a reused id shares nothing with the old one. */
  readonly since?: number
  /** [H1] The caller has a public token: each route that it opens answers with what a page may show to anyone. */
  readonly view?: "public"
  /** [V20] Of a public token or a chat token: it was made to say how good a run is. */
  readonly feedback?: true
  /** Of a public token: what its holder says that is not taken for text from outside [G11]. */
  readonly trusted?: readonly Origin[]
  /** [P9] The caller has a chat token: it may use this thread of this flow. */
  readonly chat?: Pick<ChatWish, "flow" | "thread" | "budget" | "trusted">
  /** [H13] The caller has a session; `name` is its person. */
  readonly signIn?: SignIn
  /** [H14] Cloudflare Access has verified the caller's email, which is `name`. */
  readonly access?: Pick<SignIn, "key" | "until">
}

/** The person behind a token of Cloudflare Access [H14], or the reason for a refusal. */
export type AccessAnswer =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly code: "unauthorized" | "forbidden"; readonly detail: string }

/** The additional data of a caller with a session [H13]. */
export interface SignIn {
  /** SHA-256 of the cookie's value. */
  readonly digest: string
  /** The key's name. */
  readonly key: string
  /** Milliseconds. */
  readonly until: number
}

/** The rights of a chat token [P9]. */
export interface ChatWish {
  /** As its path names it. */
  readonly flow: string
  readonly thread: string
  /** It reads the thread's live run. */
  readonly reads: boolean
  /** It answers questions. */
  readonly answer: boolean
  /** [V20] It says how good the thread's runs are. */
  readonly feedback?: true
  /** The most that a run may spend. */
  readonly budget?: Amount
  /** [G11] What of this page is not taken for text from outside. */
  readonly trusted?: readonly Origin[]
}
