// Defines sessions of people at the console [H13]: after one request with a key, the browser uses a cookie instead. A session always has
// the current rights of its key, and ends with it.

import type { Caller } from "./caller.ts"
import type { SignInShown } from "../../api/doc/sign-in.doc.ts"
import type { Row } from "../../api/rows.ts"
import type { Scope } from "./tenants.ts"

/** Limit: milliseconds of a session → its person signs in again. */
export const SESSION_MS = 12 * 3_600_000

export interface SignInsPort {
  /** A session of this caller, which has a key. `name`: the person; absent: the key's name. `place`: the prefix of the instance, where alone it
   *  counts [N2]. undefined: the key is no longer valid. */
  open(caller: Caller, name: string | undefined, place: string): Promise<{ readonly value: string; readonly caller: Caller } | undefined>
  /** undefined: no session, or one that is over, or one of another place. */
  callerOf(value: string, place: string): Promise<Caller | undefined>
  /** false: it was over. */
  close(caller: Caller): Promise<boolean>
  /** The open sessions of the caller's tenant, newest first. */
  list(caller: Caller): Promise<readonly SignInListed[]>
  /** Ends one of them. false: the tenant has no such session. */
  end(caller: Caller, id: string): Promise<boolean>
}

/** A session's row in the list. */
export type SignInListed = Omit<Row<typeof SignInShown>, "current">

/** Limit: sessions in the list → the newest are listed. */
export const MOST_LISTED = 1_000

/** The id of a session in lists. It gives no access: the cookie's value cannot be derived from its digest. */
export const signInId = (digest: string): string => `si_${digest.slice(0, 24)}`

/** A stored session. `key`: the key's id; "" for the key of local development, which has no row. */
export interface SignInRow {
  readonly digest: string
  readonly key: string
  /** The name given by the person; null: none. */
  readonly by: string | null
  readonly place: string
  readonly until: number
}

/** A session whose key is valid now. */
export interface Signed {
  readonly row: SignInRow
  readonly key: SignInHolding["key"]
}

/** The current rights of a key or person with sessions, and their open sessions. */
export interface SignInHolding {
  /** null: the key of local development. */
  readonly key: { readonly name: string; readonly scopes: readonly Scope[]; readonly since: number } | null
  /** `until` is not later than the key's. */
  readonly open: readonly SignInRow[]
}

export interface SignInsRoom {
  /** undefined: the key is not valid. */
  open(row: SignInRow): Promise<SignInHolding | undefined>
  /** The holder is a key's id. undefined: the key is not valid. */
  holding(holder: string): Promise<SignInHolding | undefined>
  /** The holder of this session; undefined: it is over, or its key is not valid. */
  find(digest: string): Promise<SignInHolding | undefined>
  holds(digest: string): Promise<boolean>
  close(digest: string): Promise<boolean>
  /** Only sessions whose key is valid. */
  list(): Promise<readonly (Signed & { readonly created: number })[]>
  /** Ends the session with this id and says its digest; undefined: there is none. */
  end(id: string): Promise<string | undefined>
}
