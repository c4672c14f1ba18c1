// Says what can be written next in the query of runs: names of filters, and values of the one that is being written.

import { endOf, FILTERS, isFilter, KNOWN, type FilterName } from "./query.ts"

export interface Suggestion {
  /** What takes the place of the piece that is being typed. `flow:` alone goes on to its values. */
  readonly line: string
  readonly words: string
  readonly note?: string
}

/** What there is of each filter, the most used first, such as the flows of the catalog. */
export type Values = Readonly<Partial<Record<FilterName, readonly { readonly value: string; readonly note?: string }[]>>>

/** Limit of what is shown at once. */
const MOST = 8

const NOTES: Readonly<Record<FilterName, string>> = {
  status: "failed, waiting, …",
  flow: "a name, or support:*",
  tag: "a tag of the run",
  trigger: "what started it",
  hook: "which hook started it",
  schedule: "which schedule started it",
  api_key: "which API key started it",
  thread: "its conversation",
  session: "its sticky session",
  fork_of: "the run it was forked from",
  children: "1: child runs too",
  scorer: "runs with a score of it; feedback: what people say",
  at_most: "with scorer: at most this score, such as 0.5",
  at_least: "with scorer: at least this score",
  since: "7d, Nov 18, 11:40",
  until: "yesterday, Nov 20",
  sort: "newest, oldest, cost, duration",
}

const TIMES = [
  { value: "1h", note: "the last hour" },
  { value: "24h", note: "the last 24 hours" },
  { value: "7d", note: "the last 7 days" },
  { value: "30d", note: "the last 30 days" },
  { value: "today" },
  { value: "yesterday" },
]

const SHARES = [{ value: "0" }, { value: "0.5" }, { value: "0.8" }, { value: "1" }]

/** Suggestions for the piece that the line ends in. */
export function suggestions(line: string, values: Values): readonly Suggestion[] {
  const piece = line.slice(endOf(line))
  const [, key = "", given = ""] = /^([a-z][a-z_]*):"?(.*)$/i.exec(piece) ?? []
  if (key === "") return piece === "" && line !== "" ? [] : named(piece, values)
  const name = key.toLowerCase()
  if (isFilter(name)) return valued(name, given, values)
  // A flow's own name has colons.
  return valued("flow", piece, values)
}

/** Filters whose name begins so, and values that are the word itself: `failed` may be meant as a status. */
function named(piece: string, values: Values): readonly Suggestion[] {
  const word = piece.toLowerCase()
  const filters = FILTERS.filter((name) => name.startsWith(word)).map((name) => ({
    line: `${name}:`,
    words: `${name}:`,
    note: NOTES[name],
  }))
  if (word.length < 2) return word === "" ? filters : filters.slice(0, MOST)
  const statuses = valued("status", word, values).filter(({ words }) => words.startsWith(`status: ${word}`))
  return [...statuses, ...valued("flow", word, values), ...valued("tag", word, values), ...filters].slice(0, MOST)
}

function valued(name: FilterName, given: string, values: Values): readonly Suggestion[] {
  const before = given.slice(0, given.lastIndexOf(",") + 1)
  const word = given.slice(before.length).toLowerCase()
  const all =
    name === "since" || name === "until"
      ? TIMES
      : name === "at_most" || name === "at_least"
        ? SHARES
        : [...(values[name] ?? []), ...(values[name] ? [] : (KNOWN[name] ?? []).map((value) => ({ value })))]
  const isNamed = name === "hook" || name === "schedule"
  const fits = all.filter(
    ({ value, note }: { readonly value: string; readonly note?: string }) =>
      value.toLowerCase().includes(word) || (isNamed && note?.toLowerCase().includes(word) === true),
  )
  const sorted = fits.toSorted((a, b) => rank(a.value, word) - rank(b.value, word))
  const several = name === "flow" ? globOf(word, fits) : []
  const written = ({ value, note }: { readonly value: string; readonly note?: string }): Suggestion => {
    const whole = before + value
    const line = `${name}:${/\s/.test(whole) ? `"${whole}"` : whole}`
    // People know these by their names; the id tells two of one name apart.
    if (isNamed && note !== undefined) return { line, words: `${name}: ${note}`, note: value }
    return { line, words: `${name}: ${value}`, ...(note === undefined ? {} : { note }) }
  }
  return [...sorted.slice(0, MOST - several.length), ...several].map(written)
}

const rank = (value: string, word: string): number => (value.toLowerCase() === word ? 0 : value.toLowerCase().startsWith(word) ? 1 : 2)

/** All flows that begin alike, at once. */
function globOf(word: string, fits: readonly { readonly value: string }[]): readonly { readonly value: string; readonly note: string }[] {
  if (word === "" || word.includes("*")) return []
  const alike = fits.filter(({ value }) => value.toLowerCase().startsWith(word)).length
  return alike < 2 ? [] : [{ value: `${word}*`, note: `all ${alike}` }]
}
