// Gives pages of the list of runs [H5]. One filter uses its index, and the others are checked row by row. A page looks at a bounded number of
// rows: if it finds few, it is short or empty, and its cursor continues from the last row that it looked at.
//
// By creation, a cursor is a position among all runs. By cost or duration, the runs of a stretch are put in order, and a cursor names the newest
// run of the stretch too: runs that come meanwhile are before it, and move nothing. After a stretch comes the next, older one.

import type { JsonObject } from "../../../core/json.ts"
import { cursorPosition, cursorText } from "../../../engine/cursor.ts"
import type { RunListPort } from "../../../ports/tenant/run-list.ts"
import { cursorOf, positionOf, type Position } from "../../platform/list-cursor.ts"
import { RunCounts } from "../insight/run-counts.ts"
import type { TenantSql } from "../tenant-sql.ts"
import { RunLook, type BySize, type RunFound } from "./run-look.ts"

type Query = Parameters<RunListPort["list"]>[0]
type Page = Awaited<ReturnType<RunListPort["list"]>>

const MAX_PAGE = 200 // limit: runs of a page → 422 at `?limit`
/** The maximum number of rows read for one page: 5,000 rows of 700 bytes take less than 10 ms. */
const SCAN = 5_000 // limit: rows read for a page of runs → the cursor continues there

/** What runs are put in order by, over a row's columns. A run that goes on has lasted until the first page was asked for. */
const SIZES = {
  cost: { sql: "coalesce(json_extract(view, '$.usage.usd'), 0)", isTimed: false },
  duration: { sql: "coalesce(ended, ?) - created", isTimed: true },
} as const

/** A page of a stretch. `newest`: its first run. */
interface Place {
  readonly now: number
  readonly newest: Position
  readonly past?: (Position & { readonly size: number }) | undefined
}

export class RunPages {
  readonly #sql: Pick<TenantSql, "read" | "has">
  readonly #tenant: string
  readonly #counts: RunCounts
  readonly #now: () => number

  constructor(sql: Pick<TenantSql, "read" | "has">, tenant: string, now: () => number = Date.now) {
    this.#sql = sql
    this.#tenant = tenant
    this.#counts = new RunCounts(sql)
    this.#now = now
  }

  list(query: Query): Page {
    const { sort = "newest" } = query
    return sort === "cost" || sort === "duration" ? this.#bySize(query, sort) : this.#byCreation(query, sort === "oldest")
  }

  #byCreation(query: Query, up: boolean): Page {
    const owner = up ? `${this.#tenant} oldest` : this.#tenant
    const after = query.cursor === undefined ? undefined : positionOf(query.cursor, owner)
    if (after === null) return { badCursor: true }
    const limit = limitOf(query)
    const look = new RunLook(this.#sql, query, { after, up }, { most: SCAN, limit: limit + 1 })
    const rows = look.rows()
    const page = rows.slice(0, limit)
    const isFull = rows.length > limit
    const last = isFull ? page.at(-1) : look.last()
    return { data: this.#shown(page), next_cursor: last ? cursorOf(owner, last) : null, complete: isFull || last === undefined }
  }

  #bySize(query: Query, sort: keyof typeof SIZES): Page {
    const owner = `${this.#tenant} ${sort}`
    const place = query.cursor === undefined ? undefined : placeOf(query.cursor, owner)
    if (place === null) return { badCursor: true }
    const limit = limitOf(query)
    const look = new RunLook(this.#sql, query, { newest: place?.newest }, { most: SCAN, limit: limit + 1 })
    const now = place?.now ?? this.#now()
    const { sql, isTimed } = SIZES[sort]
    const by: BySize = { sql, values: isTimed ? [now] : [], past: place?.past }
    const rows = look.rows(by)
    const page = rows.slice(0, limit)
    const data = this.#shown(page)
    const past = page.at(-1)
    const newest = place?.newest ?? look.first()
    if (rows.length > limit && past && newest) return { data, next_cursor: placeText(owner, { now, newest, past }), complete: true }
    const next = look.next()
    return { data, next_cursor: next ? placeText(owner, { now, newest: next }) : null, complete: next === undefined }
  }

  #shown(page: readonly RunFound[]): JsonObject[] {
    const families = this.#counts.families(page.map(({ id }) => id))
    return page.map((row) => ({ ...shown(JSON.parse(row.view)), ...families.get(row.id) }))
  }
}

const limitOf = ({ limit }: Query): number => Math.max(1, Math.min(MAX_PAGE, Math.trunc(limit)))

function placeText(owner: string, { now, newest, past }: Place): string {
  return cursorText(owner, now, newest.created, newest.id, ...(past ? [past.size, past.created, past.id] : []))
}

/** null: this is not a cursor of this list. */
function placeOf(cursor: string, owner: string): Place | null {
  const [now, created, id, size, before, last, ...more] = cursorPosition(cursor, owner) ?? []
  if (typeof now !== "number" || typeof created !== "number" || typeof id !== "string" || more.length > 0) return null
  const newest = { created, id }
  if (size === undefined) return { now, newest }
  if (typeof size !== "number" || typeof before !== "number" || typeof last !== "string") return null
  return { now, newest, past: { size, created: before, id: last } }
}

/** The fields of one list item [H5]. */
function shown(view: JsonObject): JsonObject {
  const item: JsonObject = {}
  for (const name of [
    "id",
    "flow",
    "status",
    "created",
    "ended",
    "trigger",
    "tags",
    "usage",
    "pending",
    "error",
    "task",
    "revision",
    "now",
    "rehearsed",
    "waiting",
    "start",
    "superseded",
    "thread",
    "session",
    "parent",
    "fork",
    "effects",
  ]) {
    const value = view[name]
    if (value !== undefined) item[name] = value
  }
  return { ...item, ended: view["ended"] ?? null }
}
