// Checks If-Match on everything that writes or removes [F73]: one strong tag, such as the ETag of a GET, or `*`. If another version is stored, the
// answer is 412 with the current tag; so it is for a tag that no version ever had. A condition that cannot be checked is refused, never ignored.

import { err, ok, type Result } from "../../core/result.ts"
import type { Call } from "./call.ts"
import { invalid, refuse, unsupported, type Refusal } from "./problem.ts"

/** The condition on a body: its hash, or `*`. */
export function ifMatch(c: Call): Result<string | undefined, Refusal> {
  const header = headerOf(c)
  if (!header.ok || header.value === undefined) return header
  const hash = /^(?:"?([0-9a-f]{1,128})"?|(\*))$/.exec(header.value)
  if (hash) return ok(hash[1] ?? hash[2])
  return STRONG_TAG.test(header.value) ? ok(header.value) : wrong
}

/** The condition on the whole catalog, whose tag is its revision: `"r7"`. */
export function ifRevision(c: Call): Result<number | undefined, Refusal> {
  const header = headerOf(c)
  if (!header.ok || header.value === undefined) return ok(undefined)
  const revision = /^"?r(\d{1,15})"?$/.exec(header.value)?.[1]
  if (revision !== undefined) return ok(Number(revision))
  return STRONG_TAG.test(header.value) ? ok(NO_REVISION) : wrong
}

/** A tag in its quotes is no hash and no revision, so it matches neither. */
const STRONG_TAG = /^"[\x21\x23-\x7e\x80-\xff]*"$/
const NO_REVISION = -1

export const revisionTag = (revision: number): string => `"r${revision}"`

function headerOf(c: Call): Result<string | undefined, Refusal> {
  if (c.req.header("if-none-match") !== undefined) return err(unsupported(`If-None-Match on ${c.req.method}`))
  return ok(c.req.header("if-match")?.trim())
}

const wrong = err(invalid([{ pointer: "", message: "the header If-Match must be one ETag from a GET, or *" }]))

/** `current`: the hash or revision that is stored now; null if nothing is stored. */
export function stale(c: Call, current: string | number | null): Response {
  const etag = typeof current === "number" ? revisionTag(current) : `"${current}"`
  const what = typeof current === "number" ? `The catalog is at revision ${current}.` : `The stored version has the hash ${current}.`
  return refuse(c, {
    code: "stale",
    detail: current === null ? "Nothing is stored at this address." : what,
    more: { current },
    headers: current === null ? {} : { etag },
  })
}
