// Says a `start` block in words [R23]: one line for each thing that it decides. The file's own words for them stay in the editor.

import { EXPIRES_MS, type SaidStart } from "../../src/core/start/start-block.ts"
import { keyNames } from "./key-words.ts"
import { rateWords, spanWords } from "./span-words.ts"

export interface BlockLine {
  readonly about: "merge" | "later" | "rate" | "key" | "rank" | "expires"
  /** What matters, and the rest of the sentence. */
  readonly main: string
  readonly rest: string
}

export function blockLines({ concurrency, throttle, debounce, batch, priority, delay, expires }: SaidStart): readonly BlockLine[] {
  return [
    concurrency && atOnce(concurrency, expires ?? EXPIRES_MS),
    throttle && begins(throttle),
    debounce && merges(debounce),
    batch && gathers(batch),
    delay && later(delay),
    RANKS[priority ?? "normal"],
    expires !== undefined && (concurrency === undefined || (concurrency.overlap ?? "queue") !== "queue") ? fails(expires) : undefined,
  ].filter((line) => line !== undefined)
}

function atOnce({ key, limit = 1, overlap = "queue", pool }: NonNullable<SaidStart["concurrency"]>, expires: number): BlockLine {
  const [each, shared] = [forEach(key), poolWords(pool)]
  const main = `${limit === 1 ? "One at a time" : `At most ${limit} at a time`}${each}.`
  const next = limit === 1 ? "The next one" : "Another"
  const rest = {
    queue: `${next} waits its turn, at most ${spanWords(expires)}.`,
    skip: "A start that finds no room is skipped.",
    supersede: "A newer one cancels the oldest.",
  }[overlap]
  return { about: "key", main, rest: `${rest}${shared}` }
}

const begins = ({ key, limit, period, pool }: NonNullable<SaidStart["throttle"]>): BlockLine => ({
  about: "rate",
  main: `At most ${limit} ${rateWords(period)}`,
  rest: `${limit === 1 ? "begins" : "begin"}${keyNames(key) === undefined ? ", all together" : forEach(key)}.${poolWords(pool)}`,
})

const merges = ({ key, period, timeout }: NonNullable<SaidStart["debounce"]>): BlockLine => ({
  about: "merge",
  main: `Starts of one ${keyNames(key) ?? "flow"} merge`,
  rest: `until none has come for ${spanWords(period)}${timeout === undefined ? "" : `, after ${spanWords(timeout)} at the latest`}; the last one counts.`,
})

const gathers = ({ key, size, timeout, into }: NonNullable<SaidStart["batch"]>): BlockLine => ({
  about: "merge",
  main: `Up to ${size} starts${keyNames(key) === undefined ? "" : ` of one ${keyNames(key) ?? ""}`} become one run`,
  rest: `with all they bring in its input ${into}, after ${spanWords(timeout)} at the latest.`,
})

const later = (delay: NonNullable<SaidStart["delay"]>): BlockLine => ({
  about: "later",
  main: "at" in delay ? "Begins at a set time" : `Begins ${spanWords(delay.ms)} later`,
  rest: "at" in delay ? "and no earlier." : "than it could.",
})

const RANKS: Readonly<Record<NonNullable<SaidStart["priority"]>, BlockLine | undefined>> = {
  high: { about: "rank", main: "Goes first", rest: "where runs wait." },
  normal: undefined,
  low: { about: "rank", main: "Goes last", rest: "where runs wait." },
}

const fails = (expires: number): BlockLine => ({
  about: "expires",
  main: "Fails",
  rest: `if it has not begun within ${spanWords(expires)}.`,
})

const forEach = (key: string | undefined): string => {
  const names = keyNames(key)
  return names === undefined ? "" : ` for each ${names}`
}
const poolWords = (pool: string | undefined): string => (pool === undefined ? "" : ` Counted with other flows of the pool ${pool}.`)
