// Reads an OpenAPI document from the body, which may be compressed, or from an address, which is fetched behind the address guard [T21].

import { gunzip, isGzip } from "../../engine/import/gzip.ts"
import { netOf } from "../../engine/net/net.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { LARGE_BODY } from "../../api/route/route.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { decode, readLargeJson } from "../middleware/body.ts"
import type { Call } from "../middleware/call.ts"
import { outward } from "../middleware/outward.ts"
import { invalid, type Refusal } from "../middleware/problem.ts"

const TIMEOUT = 10_000 // limit: milliseconds to fetch a document → 422 at `/url`
const ACCEPT = "application/json, application/yaml, application/vnd.oai.openapi+json, */*;q=0.5"

/** Replaces a compressed body with its unpacked bytes. */
export async function unpackedBody(c: Call): Promise<Result<void, Refusal>> {
  const encoding = c.req.header("content-encoding")?.trim().toLowerCase() ?? ""
  if (encoding === "" || encoding === "identity") return ok(undefined)
  const bytes = c.get("body")
  if (encoding !== "gzip")
    return err({ code: "unsupported_media_type", detail: `The body is encoded as ${encoding.slice(0, 40)}; send it plain, or with gzip.` })
  const plain = await unpacked(bytes)
  if (!plain.ok) return err(invalid([{ pointer: "", message: plain.error }]))
  c.set("body", plain.value)
  await readLargeJson(c, true)
  return ok(undefined)
}

/** The text at an address. */
export async function documentAt(c: Call, url: string): Promise<Result<string, Refusal>> {
  const { allowPrivate, ...zones } = outward(c)
  try {
    const answer = await netOf({ allowedPrivateHosts: allowPrivate ?? [], zones }).fetch(
      { url, headers: { accept: ACCEPT }, maxBytes: LARGE_BODY, timeout: TIMEOUT },
      c.req.raw.signal,
    )
    if (answer.status !== 200) return fault(`answered ${answer.status}: give the address of the document itself`)
    const bytes = answer.body.bytes()
    const plain = isGzip(bytes) ? await unpacked(bytes) : ok(bytes)
    if (!plain.ok) return fault(plain.error)
    const text = decode(plain.value)
    return text === undefined ? fault("is not UTF-8 text") : ok(text)
  } catch (e) {
    return fault(messageOf(e, "could not be fetched"))
  }
}

const fault = (message: string): Result<never, Refusal> => err(invalid([{ pointer: "/url", message }]))

async function unpacked(bytes: Uint8Array): Promise<Result<Uint8Array, string>> {
  const plain = await gunzip(bytes, LARGE_BODY)
  if (plain === "damaged") return err("is not gzip, or is damaged")
  return plain === "too large" ? err(`unpacks to more than ${LARGE_BODY / 1_048_576} MiB`) : ok(plain)
}
