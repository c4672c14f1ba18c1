// Serves a tenant's memory [T23] in a separate object named after the tenant, so that a long search does not delay the catalog, or the
// other way around. An entry is stored before a model computes its vector.

import { DurableObject } from "cloudflare:workers"
import { err, type Result } from "../../core/result.ts"
import { inTurn } from "../../engine/in-turn.ts"
import { Breath } from "../../ports/breath.ts"
import type { MemoryBatch, MemoryRpc, MemoryWritten } from "../../ports/objects.ts"
import type { Memory, MemoryEntry } from "../../ports/tool.ts"
import { embed, EMBEDDING_MODEL, fuse, nearest, TEXTS, type Embedder } from "./memory-meaning.ts"
import { otherFormatIn } from "../platform/format.ts"
import { jurisdictionOf } from "../platform/jurisdiction.ts"
import { portOf } from "../platform/port-of.ts"
import { idOf, MemorySql, type Hit } from "./memory-sql.ts"
import { assertPlace, type TenantNamespace } from "../platform/stubs.ts"

export interface MemoryEnv extends TenantNamespace {
  readonly AI?: Embedder
}

/** A search compares the vectors of this many of the newest entries: 20 MB, 5 million multiplications. */
const COMPARED = 5000 // limit: vectors that a search compares → older entries are found by words alone
/** Each ranking passes at least this many entries to the fusion. */
const DEPTH = 50

const READ_LIMIT = 500 // limit: entries of one reading → the newest are answered
const SEARCH_LIMIT = 50 // limit: entries that a search answers → the best are answered

const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength

export class MemoryObject extends DurableObject<MemoryEnv> implements MemoryRpc {
  #sql: MemorySql
  readonly #ai: Embedder | undefined
  readonly #tenant: string
  readonly #turn = inTurn()

  constructor(ctx: DurableObjectState, env: MemoryEnv) {
    super(ctx, env)
    if (ctx.id.name === undefined) throw new Error("a tenant's memory can only be reached by the tenant's name")
    assertPlace(ctx.id, env)
    const other = otherFormatIn(ctx.storage, `the memory of ${ctx.id.name}`)
    if (other) throw other
    this.#tenant = ctx.id.name
    // Workers AI runs wherever there is capacity, so entries that must stay in a jurisdiction are found only by their words [N1].
    this.#ai = jurisdictionOf(ctx.id.name) === undefined ? env.AI : undefined
    this.#sql = new MemorySql(ctx.storage)
  }

  /** One after another: while a long one rests, what it has written so far is hidden. */
  add(batch: MemoryBatch): Promise<Result<MemoryWritten, string>> {
    return this.#turn(() => this.#add(batch))
  }

  async #add(batch: MemoryBatch): Promise<Result<MemoryWritten, string>> {
    const { contents } = batch
    const more = contents.reduce((sum, content) => sum + bytesOf(content), 0)
    const full = await portOf(this.env, this.#tenant, "storage").takeMemory(this.ctx.storage.sql.databaseSize + more)
    if (full !== undefined) return err(full)
    const written = await new Breath().through(this.#sql.write(batch, Date.now()))
    if (written.ok) await this.#understand(contents.map((content, i) => ({ n: written.value.numbers[i] ?? 0, content })))
    return written
  }

  async read(namespace: string, limit = 100): Promise<MemoryEntry[]> {
    return this.#sql.read(namespace, Math.min(limit, READ_LIMIT))
  }

  async search({ query, namespace, limit, keywordOnly }: Parameters<Memory["search"]>[0]): Promise<(MemoryEntry & { score: number })[]> {
    const max = Math.min(limit, SEARCH_LIMIT)
    const [meant] = (keywordOnly ? undefined : await embed(this.#ai, [query])) ?? []
    if (meant) await this.#understand(this.#sql.withoutVector(EMBEDDING_MODEL, TEXTS))
    // Nothing is awaited from here on, so both rankings and the entries describe the same moment.
    const byWords = this.#sql.match(query, namespace, Math.max(max, DEPTH))
    const hits: readonly Hit[] = meant
      ? fuse([byWords, nearest(meant, this.#sql.vectors(EMBEDDING_MODEL, namespace, COMPARED), Math.max(max, DEPTH))])
      : byWords
    const shown = hits.slice(0, max)
    const scores = new Map(shown.map(({ n, score }) => [idOf(n), score]))
    return this.#sql.entries(shown.map(({ n }) => n)).map((entry) => ({ ...entry, score: scores.get(entry.id) ?? 0 }))
  }

  /** The tenant is deleted [N3]. */
  async erase(): Promise<void> {
    await this.ctx.storage.deleteAll()
    this.#sql = new MemorySql(this.ctx.storage)
  }

  /** Stores vectors for the entries. An entry that gets no vector now gets one in a later search. */
  async #understand(entries: readonly { readonly n: number; readonly content: string }[]): Promise<void> {
    for (let from = 0; from < entries.length; from += TEXTS) {
      const some = entries.slice(from, from + TEXTS)
      const vectors = await embed(
        this.#ai,
        some.map(({ content }) => content),
      )
      if (vectors === undefined) return
      this.#sql.keepVectors(
        EMBEDDING_MODEL,
        some.flatMap(({ n }, i) => {
          const vector = vectors[i]
          return vector ? [{ n, vector }] : []
        }),
      )
    }
  }
}
