// RunBytes: what a run holds [H6]: its object's own database, and the bodies that it has put into R2. The bodies are counted while they go
// by and written down when the run tells of itself, so that no body costs a row; what a crash forgets of them is at least the files of the
// run's workspace again.

import type { Blobs } from "../../ports/blobs.ts"
import type { RunRow } from "../../ports/catalog.ts"

const BODIES = "bodies"

export class RunBytes {
  readonly #storage: DurableObjectStorage
  /** Of the workspace, as its index says. */
  readonly #files: () => number
  /** A body under a hash is stored once. */
  readonly #seen = new Set<string>()
  #more = 0

  constructor(storage: DurableObjectStorage, files: () => number) {
    this.#storage = storage
    this.#files = files
  }

  metered(blobs: Blobs): Blobs {
    return {
      ...blobs,
      put: async (body) => {
        const hash = await blobs.put(body)
        if (!this.#seen.has(hash)) this.#more += body.byteLength
        this.#seen.add(hash)
        return hash
      },
    }
  }

  /** The run is taken away. */
  forget(): void {
    this.#more = 0
    this.#seen.clear()
  }

  /** What the tenant is told of the run, with its bytes where it rests: it is over, or waits. */
  told(row: RunRow): RunRow {
    if (row.status === "running" || row.status === "queued") return row
    const { kv, sql } = this.#storage
    const before = Number(kv.get(BODIES) ?? 0)
    const bodies = Math.max(before + this.#more, this.#files())
    if (bodies !== before) kv.put(BODIES, bodies)
    this.#more = 0
    return { ...row, view: { ...row.view, bytes: sql.databaseSize + bodies } }
  }
}
