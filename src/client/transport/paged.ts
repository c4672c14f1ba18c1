// Reads a list of the API [H5]: one page at a time, or every row by `for await`.

import type { Page } from "../../api/doc/shape.doc.ts"
import type { Transport } from "./transport.ts"

export type Query = Readonly<Record<string, string | number | undefined>>

/** Joins the values of a filter by commas. */
export const listed = (given: string | readonly string[] | undefined): string | undefined =>
  typeof given === "object" ? given.join(",") : given

export class Paged<T> implements AsyncIterable<T> {
  readonly #transport: Transport
  readonly #path: string
  readonly #query: Query

  constructor(transport: Transport, path: string, query: Query = {}) {
    this.#transport = transport
    this.#path = path
    this.#query = query
  }

  /** `cursor` is the `next_cursor` of the page before. */
  page(cursor?: string): Promise<Page<T>> {
    return this.#transport.json<Page<T>>("GET", this.#path, { query: { ...this.#query, cursor } })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    let cursor: string | undefined
    do {
      const { data, next_cursor } = await this.page(cursor)
      yield* data
      cursor = next_cursor ?? undefined
    } while (cursor !== undefined)
  }

  async all(): Promise<T[]> {
    const rows: T[] = []
    for await (const row of this) rows.push(row)
    return rows
  }
}
