// The query of the list of runs: tokens `key: value` and words. The address has it under the names of the API, so a view is an address; what is
// typed has it in one line, as in `status:failed flow:support:* since:7d refund`.

import { momentOf } from "./moment.ts"

export const STATUSES = ["queued", "running", "waiting", "paused", "succeeded", "failed", "canceled"] as const
export const TRIGGERS = ["api", "webhook", "schedule", "mcp", "child", "test", "fork"] as const
export const SORTS = ["newest", "oldest", "cost", "duration"] as const

/** In the order in which they are shown. */
export const FILTERS = [
  "status",
  "flow",
  "tag",
  "trigger",
  "hook",
  "schedule",
  "api_key",
  "thread",
  "session",
  "fork_of",
  "children",
  "scorer",
  "at_most",
  "at_least",
  "since",
  "until",
  "sort",
] as const
export type FilterName = (typeof FILTERS)[number]

/** Filters that take several values: a run has one of them. */
const LISTS: ReadonlySet<string> = new Set(["status", "flow", "trigger"])

export interface Token {
  readonly key: string
  readonly value: string
}

export interface Query {
  readonly tokens: readonly Token[]
  /** As they are typed. In quotes, a colon is nothing special. */
  readonly words: string
}

export const isFilter = (key: string): key is FilterName => (FILTERS as readonly string[]).includes(key)

const PIECE = /(?:([a-z][a-z_]*):(?!\/\/))?(?:"([^"]*)"?|(\S+))/gi

/** Takes the tokens out of a line. `isOpen`: its end is still being typed, so what stands there is no token yet. */
export function readLine(line: string, isOpen = false): Query {
  const tokens: Token[] = []
  const words: string[] = []
  const end = isOpen ? endOf(line) : line.length
  for (const [piece, key, quoted, plain] of line.slice(0, end).matchAll(PIECE)) {
    const value = quoted ?? plain ?? ""
    if (key === undefined) words.push(piece)
    else if (value !== "") tokens.push({ key: key.toLowerCase(), value })
    else words.push(piece)
  }
  const last = line.slice(end)
  return { tokens, words: [...words, ...(last === "" ? [] : [last])].join(" ") }
}

/** Where the piece begins that the line ends in. */
export function endOf(line: string): number {
  let end = 0
  for (const found of line.matchAll(/[^\s"]*"[^"]*"?|\S+/g)) if (found.index + found[0].length === line.length) end = found.index
  return line === "" || /\s$/.test(line) ? (isQuoteOpen(line) ? end : line.length) : end
}

const isQuoteOpen = (line: string): boolean => line.split('"').length % 2 === 0

/** As it is typed. */
export const lineOf = ({ key, value }: Token): string => `${key}:${/\s/.test(value) ? `"${value}"` : value}`

/** Adds a token: a filter of several values gets one more, another its new value. */
export function withToken({ tokens, words }: Query, token: Token): Query {
  const before = tokens.find(({ key }) => key === token.key)
  if (before === undefined) return { tokens: [...tokens, token], words }
  const values = LISTS.has(token.key) ? [...new Set([...before.value.split(","), ...token.value.split(",")])].join(",") : token.value
  return { tokens: tokens.map((one) => (one === before ? { key: one.key, value: values } : one)), words }
}

export const without = ({ tokens, words }: Query, key: string): Query => ({ tokens: tokens.filter((one) => one.key !== key), words })

export const valueOf = ({ tokens }: Query, key: FilterName): string | undefined => tokens.find((one) => one.key === key)?.value

/** undefined: without it. */
export const replaced = (query: Query, key: FilterName, value: string | undefined): Query =>
  value === undefined ? without(query, key) : withToken(without(query, key), { key, value })

/** Words of the address may hold tokens too, as `?q=flow:billing`. */
export function readAddress(given: URLSearchParams): Query {
  let query: Query = { tokens: [], words: "" }
  for (const key of FILTERS) {
    const value = given.get(key)
    if (value !== null && value !== "") query = withToken(query, { key, value })
  }
  const typed = readLine(given.get("q") ?? "")
  for (const token of typed.tokens) query = withToken(query, token)
  return { ...query, words: typed.words }
}

/** Name → value; undefined: not in the address. What is no filter stays among the words. */
export function addressOf({ tokens, words }: Query): Readonly<Record<string, string | undefined>> {
  const q = [...tokens.filter(({ key }) => !isFilter(key)).map(lineOf), ...(words === "" ? [] : [words])].join(" ")
  return {
    ...Object.fromEntries(FILTERS.map((key) => [key, tokens.find((one) => one.key === key)?.value])),
    q: q === "" ? undefined : q,
  }
}

/** The address behind its question mark, in one order whatever was typed first: equal views are equal. */
export function searchOf(query: Query): string {
  const search = new URLSearchParams(
    Object.entries(addressOf(query)).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  return search.size === 0 ? "" : `?${search.toString()}`
}

/** What is wrong with a token, in a sentence, and what it could be instead. */
export interface TokenFault {
  readonly words: string
  readonly instead?: Token
}

export function faultIn(token: Token, flows: readonly string[], now: number): TokenFault | undefined {
  const { key, value } = token
  if (!isFilter(key)) {
    const isFlow = flows.some((flow) => flow.startsWith(`${key}:${value.replace(/\*$/, "")}`))
    return {
      words: `“${key}:” is not a filter. You can write ${FILTERS.slice(0, -1).join(":, ")}: and ${FILTERS.at(-1)}:.`,
      ...(isFlow ? { instead: { key: "flow", value: `${key}:${value}` } } : {}),
    }
  }
  const known = KNOWN[key]
  const wrong = known && value.split(",").find((one) => !known.includes(one))
  if (wrong !== undefined) return { words: `“${wrong}” is not one of ${known?.join(", ")}.` }
  if (BOUNDS.has(key) && !isShare(value)) return { words: `“${value}” is not a number from 0 to 1.` }
  if ((key === "since" || key === "until") && momentOf(value, key, now) === undefined)
    return { words: `“${value}” is not a time. Write a day (Wed, Nov 18), a time (11:40) or a span back from now (2h, 7d).` }
  return undefined
}

/** Of scores. */
const BOUNDS: ReadonlySet<string> = new Set(["at_most", "at_least"])
const isShare = (value: string): boolean => value.trim() !== "" && Number(value) >= 0 && Number(value) <= 1

export const KNOWN: Readonly<Partial<Record<FilterName, readonly string[]>>> = {
  status: STATUSES,
  trigger: TRIGGERS,
  children: ["1"],
  sort: SORTS,
}

/** What the API is asked, under its names; what is wrong is left out. */
export function askedBy({ tokens, words }: Query, now: number): Readonly<Record<string, string>> {
  const asked: Record<string, string> = {}
  const hasScorer = tokens.some(({ key }) => key === "scorer")
  for (const token of tokens) {
    if (faultIn(token, [], now) !== undefined) continue
    const { key, value } = token
    // The score of what is not said yet.
    if (BOUNDS.has(key) && !hasScorer) continue
    asked[key] = key === "since" || key === "until" ? (momentOf(value, key, now) ?? value) : value
  }
  const q = words.replaceAll('"', " ").trim()
  return q === "" ? asked : { ...asked, q }
}

/** A name for a view of it. */
export function nameOf({ tokens, words }: Query): string {
  const parts = tokens.filter(({ key }) => key !== "sort").map(({ value }) => value.replaceAll(",", ", "))
  const name = [...parts, ...(words === "" ? [] : [words])].join(", ")
  return name === "" ? "All runs" : name[0]?.toUpperCase() + name.slice(1)
}
