// Reads a `start` block from the fields of a form, and fills them from one [R23]. The server checks what is in them.

import type { Json, JsonObject } from "../../src/core/json.ts"

export interface BlockFields {
  /** Of every member: what they count by is the same. */
  readonly key: string
  readonly limit: string
  readonly overlap: string
  readonly rate: string
  readonly per: string
  readonly merge: string
  readonly priority: string
  readonly delay: string
  readonly expires: string
  /** The block as JSON, where fields cannot say it. */
  readonly text?: string
}

export const NO_BLOCK: BlockFields = {
  key: "",
  limit: "",
  overlap: "",
  rate: "",
  per: "",
  merge: "",
  priority: "",
  delay: "",
  expires: "",
}

export const isEmptyBlock = ({ text, ...fields }: BlockFields): boolean =>
  (text ?? "").trim() === "" && Object.values(fields).every((value: string) => value.trim() === "")

/** undefined: nothing is said. null: the text is no JSON object. */
export function blockFrom(fields: BlockFields): JsonObject | undefined | null {
  if (fields.text !== undefined) return fields.text.trim() === "" ? undefined : objectOf(fields.text)
  const said = (name: keyof BlockFields): string | undefined => {
    const value = (fields[name] ?? "").trim()
    return value === "" ? undefined : value
  }
  const [limit, rate, per, merge, overlap] = [said("limit"), said("rate"), said("per"), said("merge"), said("overlap")]
  const key = given({ key: said("key") })
  const isLimited = limit !== undefined || overlap !== undefined
  const isRated = rate !== undefined || per !== undefined
  // A key alone is one at a time.
  const isKeyed = said("key") !== undefined && !isLimited && !isRated && merge === undefined
  const block = given({
    concurrency: isLimited || isKeyed ? { ...key, ...given({ limit: numberOf(limit), overlap }) } : undefined,
    throttle: isRated ? { ...key, ...given({ limit: numberOf(rate), period: per }) } : undefined,
    debounce: merge === undefined ? undefined : { ...key, period: merge },
    priority: said("priority"),
    delay: said("delay"),
    expires: said("expires"),
  })
  return Object.keys(block).length === 0 ? undefined : block
}

export function fieldsFrom(block: JsonObject | undefined): BlockFields {
  if (block === undefined) return NO_BLOCK
  const { concurrency, throttle, debounce, priority, delay, expires } = block
  const fields: BlockFields = {
    key: [concurrency, throttle, debounce].map((member) => textOf(member, "key")).find((key) => key !== "") ?? "",
    limit: textOf(concurrency, "limit"),
    overlap: textOf(concurrency, "overlap"),
    rate: textOf(throttle, "limit"),
    per: textOf(throttle, "period"),
    merge: textOf(debounce, "period"),
    priority: plain(priority),
    delay: plain(delay),
    expires: plain(expires),
  }
  // What fields would change stays text.
  return same(blockFrom(fields), block) ? fields : asText(block)
}

export const asText = (block: JsonObject | null | undefined): BlockFields => ({
  ...NO_BLOCK,
  text: block === undefined || block === null ? "" : JSON.stringify(block, null, 2),
})

function objectOf(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** What is no number is sent as it is, and the server says so. */
const numberOf = (text: string | undefined): Json | undefined => (text !== undefined && /^\d+$/.test(text) ? Number(text) : text)

const given = (values: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined))

const plain = (value: Json | undefined): string => (typeof value === "string" ? value : typeof value === "number" ? String(value) : "")
const textOf = (member: Json | undefined, name: string): string =>
  typeof member === "object" && member !== null && !Array.isArray(member) ? plain(member[name]) : ""

/** Times that are numbers are milliseconds, which a field would make text: the same all the same. */
const same = (one: Json | undefined, other: Json | undefined): boolean => sorted(one) === sorted(other)
const sorted = (value: Json | undefined): string =>
  JSON.stringify(value, (_, inner: Json) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => a.localeCompare(b)))
      : inner,
  )
