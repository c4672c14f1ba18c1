// A list that is at hand whole, as a page [H5]: all of it, or `limit` rows after `cursor`. The lists of one run or one tenant's settings are
// short, so they are paged here and not where they are kept.
//
// A cursor is a position in the list's own order, by a row's time and name: what comes and goes between two pages, the row at the cursor
// too, loses and repeats nothing.

import { isObject } from "../core/json.ts"
import type { Call } from "./call.ts"
import { invalid, refuse, type Refusal } from "./problem.ts"
import { whole } from "./query.ts"

export const MOST_OF_PAGE = 200

const BAD_CURSOR: Refusal = invalid([{ pointer: "?cursor", message: "is no cursor of this list; take `next_cursor` of the page before" }])

export function page(c: Call, data: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): Response {
  const [asked, cursor] = [c.req.query("limit"), c.req.query("cursor")]
  const limit = whole("limit", asked, { min: 1, max: MOST_OF_PAGE, otherwise: data.length })
  if (!limit.ok) return refuse(c, limit.error)
  const list = `${c.get("caller").tenant} ${c.req.path}`
  const from = cursor === undefined ? 0 : after(data, cursor, list)
  if (from === undefined) return refuse(c, BAD_CURSOR)
  const rows = data.slice(from, from + limit.value)
  const last = rows.at(-1)
  const next = last !== undefined && from + rows.length < data.length ? cursorOf(list, place(last), isDown(data)) : null
  return c.json({ data: rows, next_cursor: next, ...more })
}

/** What a list is ordered by: the time of a row, and what tells it from others of that time. */
type Place = readonly [time: string, name: string]

function place(row: unknown): Place {
  if (!isObject(row)) return ["", JSON.stringify(row)]
  const text = (key: string): string => {
    const value = row[key]
    return typeof value === "string" ? value : ""
  }
  const name = ["id", "name", "scope", "key", "path"].map(text).find((value) => value !== "") ?? ""
  return [text("created"), `${text("agent")} ${name}`]
}

const isBefore = ([a, b]: Place, [x, y]: Place): boolean => a < x || (a === x && b < y)

/** Newest first. */
const isDown = (data: readonly unknown[]): boolean => isBefore(place(data.at(-1)), place(data[0]))

/** Where the rows after the cursor begin; undefined: it is no cursor of this list. */
function after(data: readonly unknown[], cursor: string, list: string): number | undefined {
  const parts = jsonOf(cursor)
  if (!Array.isArray(parts) || parts.length !== 4) return undefined
  const [whose, time, name, down]: unknown[] = parts
  if (whose !== list || typeof time !== "string" || typeof name !== "string" || typeof down !== "boolean") return undefined
  const there = data.findIndex((row) => place(row)[0] === time && place(row)[1] === name)
  if (there >= 0) return there + 1
  // That row is gone: the first one beyond where it was.
  const at: Place = [time, name]
  const beyond = data.findIndex((row) => (down ? isBefore(place(row), at) : isBefore(at, place(row))))
  return beyond < 0 ? data.length : beyond
}

const cursorOf = (list: string, [time, name]: Place, down: boolean): string =>
  btoa(encodeURIComponent(JSON.stringify([list, time, name, down])))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

function jsonOf(cursor: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))))
  } catch {
    return undefined
  }
}
