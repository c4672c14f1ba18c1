// Stores a tenant's API keys [H1]. The text of a key is generated here and not stored: the row has its SHA-256, and the few characters by
// which a person recognizes it. Revoking a key deletes its row, so a revoked key looks like one that never existed.

import { SCOPES } from "../../../api/route/route.ts"
import { sha256 } from "../../../engine/sha256.ts"
import { MOST_KEYS, type KeyRow, type KeysPort, type KnownKey, type NewKey, type Scope } from "../../../ports/tenant/tenants.ts"
import { clock } from "../../platform/clock.ts"
import { markedKey } from "../../platform/tokens/key-text.ts"
import type { VaultEnv } from "../../platform/vault.ts"
import type { TenantSql } from "../tenant-sql.ts"

/** With the mark 40 characters, of which 34 of 62 are random: 202 bits. */
const RANDOM = 34
const SHOWN = 6
/** The last use of a key is written at most this often, because each write is billed and the exact second does not matter. */
const USED_EVERY_MS = 60_000
/** So much may the clock of the caller's isolate be behind this one's. */
const SKEW_MS = 5_000
/** The same as in idempotency-record.ts. */
const ANSWER_STORED_MS = 24 * 3_600_000

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const KEYS = `SELECT id, digest, prefix, name, scopes, created, expires, key_use.at AS used
  FROM api_key LEFT JOIN key_use ON key_use.key = api_key.id`

type Row = {
  id: string
  digest: string
  prefix: string
  name: string
  scopes: string
  created: number
  expires: number | null
  used: number | null
}

type Made = Awaited<ReturnType<KeysPort["create"]>>

export class KeyStore {
  readonly #sql: TenantSql
  readonly #env: VaultEnv
  readonly #tenant: string
  readonly #now: () => number

  constructor(sql: TenantSql, { env, tenant, now }: { env: VaultEnv; tenant: string; now: () => number }) {
    this.#sql = sql
    this.#env = env
    this.#tenant = tenant
    this.#now = now
  }

  /** Repeating the same `act` replaces the text of the key, because no caller has seen the first text [H4]. After a day a caller may have seen it,
   *  so the call creates another key, and the first stays valid. A call that was on its way while a later one made the key changes nothing. */
  async create({ name, scopes, expires }: NewKey, act = clock.id(), asked = this.#now()): Promise<Made> {
    const head = `sl_${this.#tenant}_`
    const key = markedKey(this.#env, head + random())
    const id = `key_${this.#mayBeShown(`key_${act}`) ? clock.id() : act}`
    const row = { id, prefix: key.slice(0, head.length + SHOWN), name, created: this.#now(), expires: expires ?? null }
    // The key has more than 200 random bits, so no slow hash is needed.
    const digest = await sha256(key)
    if (this.#isLate(id, asked)) return "late"
    if (this.count() >= MOST_KEYS && !this.holds(row.id)) return "too_many"
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM key_use WHERE key = ?", row.id)
      sql.exec(
        "INSERT OR REPLACE INTO api_key (id, digest, prefix, name, scopes, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
        row.id,
        digest,
        row.prefix,
        name,
        JSON.stringify(scopes),
        row.created,
        row.expires,
      )
    })
    return { ...row, scopes, last_used: null, key }
  }

  /** Newest first. */
  list(): KeyRow[] {
    return this.#sql.read<Row>(`${KEYS} ORDER BY created DESC, id DESC`).map(({ id, prefix, name, scopes, created, expires, used }) => ({
      id,
      prefix,
      name,
      scopes: scopesOf(scopes),
      created,
      expires,
      last_used: used,
    }))
  }

  count(): number {
    return this.#sql.read<{ n: number }>("SELECT count(*) AS n FROM api_key")[0]?.n ?? 0
  }

  revoke(id: string): boolean {
    if (this.#sql.read("SELECT 1 FROM api_key WHERE id = ?", id).length === 0) return false
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM api_key WHERE id = ?", id)
      sql.exec("DELETE FROM key_use WHERE key = ?", id)
    })
    return true
  }

  /** The row is found by its digest, whose timing reveals nothing about a key. The comparison takes constant time nevertheless. */
  verify(digest: string): Omit<KnownKey, "since"> | undefined {
    const [row] = this.#sql.read<Row>(`${KEYS} WHERE digest = ?`, digest)
    return row && equal(row.digest, digest) ? this.#used(row) : undefined
  }

  /** The key by its id, for a session of it [H13]. */
  known(id: string): Omit<KnownKey, "since"> | undefined {
    const [row] = this.#sql.read<Row>(`${KEYS} WHERE id = ?`, id)
    return row && this.#used(row)
  }

  #used(row: Row): Omit<KnownKey, "since"> | undefined {
    if (this.#isOver(row)) return undefined
    const now = this.#now()
    const age = row.used === null ? undefined : now - row.used
    if (age === undefined || age < 0 || age >= USED_EVERY_MS)
      this.#sql.write((sql) => sql.exec("INSERT OR REPLACE INTO key_use (key, at) VALUES (?, ?)", row.id, now))
    return { id: row.id, name: row.name, scopes: scopesOf(row.scopes), expires: row.expires }
  }

  /** Is the key still valid? */
  holds(id: string): boolean {
    const [row] = this.#sql.read<Row>(`${KEYS} WHERE id = ?`, id)
    return row !== undefined && !this.#isOver(row)
  }

  /** Is the key so old that a repeated request no longer gets the stored answer? Then a caller may have seen its text. */
  #mayBeShown(id: string): boolean {
    const created = this.#created(id)
    return created !== undefined && this.#now() >= created + ANSWER_STORED_MS
  }

  /** Was the call sent before the key of this id was made? One that was sent in the future was sent before the clock was set back. */
  #isLate(id: string, asked: number): boolean {
    const created = this.#created(id)
    return created !== undefined && (created > asked + SKEW_MS || asked > this.#now() + SKEW_MS)
  }

  #created(id: string): number | undefined {
    return this.#sql.read<{ created: number }>("SELECT created FROM api_key WHERE id = ?", id)[0]?.created
  }

  #isOver({ expires }: Row): boolean {
    return expires !== null && this.#now() >= expires
  }
}

/** Bytes from 248 on would favor the first letters. */
function random(): string {
  let text = ""
  while (text.length < RANDOM)
    for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM)))
      if (byte < 248 && text.length < RANDOM) text += LETTERS[byte % LETTERS.length]
  return text
}

function equal(a: string, b: string): boolean {
  const [left, right] = [new TextEncoder().encode(a), new TextEncoder().encode(b)]
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right)
}

function scopesOf(json: string): Scope[] {
  const stored: unknown = JSON.parse(json)
  return Array.isArray(stored) ? SCOPES.filter((scope) => stored.includes(scope)) : []
}
