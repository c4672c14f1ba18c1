// Counts the storage that a run uses [H6]: its object's database and the bodies that it stores in R2. Bodies are counted in memory and the
// count is stored when the run reports to the tenant, so that a body costs no row write. After a crash the count is at least the size of
// the files in the run's workspace.

import type { Blobs } from "../../ports/blobs.ts"
import { YOUNG_MS } from "../blobs/blobs-r2.ts"
import type { ListedRun } from "../../ports/tenant/run-list.ts"

const BODIES = "bodies"

export class RunBytes {
  readonly #storage: DurableObjectStorage
  /** The size of the workspace, from its index. */
  readonly #files: () => number
  readonly #owns: (hash: string) => void
  /** A body is stored once under its hash. Hash → when (ms). */
  #seen = new Map<string, number>()
  #more = 0

  /** `owns` hears of each body that is stored. */
  constructor(storage: DurableObjectStorage, files: () => number, owns: (hash: string) => void = () => undefined) {
    this.#storage = storage
    this.#files = files
    this.#owns = owns
  }

  /** Whether this object has stored the body, for the run that it still has. A body that no event names is deleted some time later. */
  readonly has = (hash: string): boolean => Date.now() - (this.#seen.get(hash) ?? 0) < YOUNG_MS

  /** `strays` hears of a body that arrived when its run was gone: nobody else knows of it. */
  metered(blobs: Blobs, strays: (hash: string) => void = () => undefined): Blobs {
    return {
      ...blobs,
      put: async (body) => {
        const seen = this.#seen
        // A body that is on its way may belong to a run that is gone. One whose put fails may have arrived, and is the run's too.
        const own = (hash: string): void => {
          if (seen === this.#seen) this.#owns(hash)
        }
        const hash = await blobs.put(body, own)
        if (seen !== this.#seen) strays(hash)
        else if (!seen.has(hash)) this.#more += body.byteLength
        if (Date.now() - (seen.get(hash) ?? 0) >= YOUNG_MS) seen.set(hash, Date.now())
        own(hash)
        return hash
      },
    }
  }

  /** Resets the count when the run is erased. */
  forget(): void {
    this.#more = 0
    // A body that is on its way belongs to the run that is gone.
    this.#seen = new Map()
  }

  /** The row for the tenant's list. It includes the bytes if the run has ended or waits. */
  withBytes(row: ListedRun): ListedRun {
    if (row.status === "running" || row.status === "queued") return row
    const { kv, sql } = this.#storage
    const before = Number(kv.get(BODIES) ?? 0)
    const bodies = Math.max(before + this.#more, this.#files())
    if (bodies !== before) kv.put(BODIES, bodies)
    this.#more = 0
    return { ...row, view: { ...row.view, bytes: sql.databaseSize + bodies } }
  }
}
