// Returns a page of a list that is read as a whole [H5]: all rows, or `limit` rows after `cursor`. The lists of one run or one tenant's
// settings are short, so they are paged here and not in the store.
//
// A cursor is a position in the list's order, by a row's time and name, so rows that appear or disappear between two pages lose and repeat
// nothing. If a list has another order (packages are in order of registration) and the cursor's row is gone, the cursor counts rows.

import { isObject } from "../../core/json.ts"
import type { Call } from "./call.ts"
import { invalid, refuse, type Refusal } from "./problem.ts"
import { whole } from "./query.ts"
import { MAX_PAGE } from "../../api/route/route.ts"
import { cursorPosition, cursorText } from "../../engine/cursor.ts"

export const BAD_CURSOR: Refusal = invalid([
  { pointer: "?cursor", message: "is not a cursor of this list; send the `next_cursor` of the page before" },
])

export function page(c: Call, data: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): Response {
  const [asked, cursor] = [c.req.query("limit"), c.req.query("cursor")]
  const limit = whole("limit", asked, { min: 1, max: MAX_PAGE, otherwise: data.length })
  if (!limit.ok) return refuse(c, limit.error)
  const list = `${c.get("caller").tenant} ${c.req.path}`
  const from = cursor === undefined ? 0 : after(data, cursor, list)
  if (from === undefined) return refuse(c, BAD_CURSOR)
  const rows = data.slice(from, from + limit.value)
  const last = rows.at(-1)
  const next =
    last !== undefined && from + rows.length < data.length ? cursorText(list, ...place(last), wayOf(data) ?? from + rows.length - 1) : null
  return c.json({ data: rows, next_cursor: next, ...more })
}

/** A row's position in a list: its time, then its name among rows of the same time. */
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

/** Whether the list descends (newest first) or ascends; undefined if it has another order. */
function wayOf(data: readonly unknown[]): boolean | undefined {
  const places = data.map(place)
  const isDown = isBefore(places.at(-1) ?? NOWHERE, places[0] ?? NOWHERE)
  const up = isDown ? places.toReversed() : places
  const isSo = up.every((at, i) => i === 0 || isBefore(up[i - 1] ?? NOWHERE, at))
  return isSo ? isDown : undefined
}
const NOWHERE: Place = ["", ""]

/** Where the rows after the cursor start; undefined if the cursor belongs to another list. */
function after(data: readonly unknown[], cursor: string, list: string): number | undefined {
  // `way`: whether the list descends, or the row's place in another order.
  const [time, name, way, ...more] = cursorPosition(cursor, list) ?? []
  if (typeof time !== "string" || typeof name !== "string" || more.length > 0) return undefined
  if (typeof way !== "boolean" && !isPlaceInRow(way)) return undefined
  const there = data.findIndex((row) => place(row)[0] === time && place(row)[1] === name)
  if (there >= 0) return there + 1
  // That row is gone: continue with the row in its place, or with the first one after it.
  if (typeof way === "number") return Math.min(way, data.length)
  const at: Place = [time, name]
  const beyond = data.findIndex((row) => (way ? isBefore(place(row), at) : isBefore(at, place(row))))
  return beyond < 0 ? data.length : beyond
}

const isPlaceInRow = (n: unknown): n is number => typeof n === "number" && Number.isSafeInteger(n) && n >= 0
