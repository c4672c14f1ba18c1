// The one alarm of a tenant's object, shared by all that wait for a time there: each is a chore that says when it is due by what is
// stored, so nothing is lost with the memory of the object. Whoever writes what a chore's `due` reads calls `arm` in the same turn:
// then the rows and the alarm are one commit.
//
// A chore that fails does not hold up the others; it is tried again after 2 s, 4 s, … at most 5 min.

import { scrubbed } from "./secret-cache.ts"

export interface Chore {
  readonly name: string
  /** Milliseconds; undefined: nothing waits. */
  due(): number | undefined
  /** Does what is due, in a batch if there is much: what is left is due again at once. */
  run(now: number): void | Promise<void>
}

const SLOWEST_MS = 300_000
/** The platform takes no alarm after 2189; one that comes early only looks and sets the next. */
const FARTHEST_MS = 30 * 86_400_000

export class TenantAlarm {
  readonly #storage: DurableObjectStorage
  readonly #chores: readonly Chore[]
  readonly #failed = new Map<string, { tries: number; until: number }>()
  /** undefined: none is set, or this object has just woken and does not know. */
  #at: number | undefined

  constructor(storage: DurableObjectStorage, chores: readonly Chore[]) {
    this.#storage = storage
    this.#chores = chores
  }

  arm(): void {
    const now = Date.now()
    const times = this.#chores.flatMap((chore) => this.#dueAt(chore) ?? [])
    if (times.length === 0) return
    // An alarm in the past set from within an alarm never fires (platform.md §3).
    const at = Math.min(Math.max(Math.min(...times), now + 1), now + FARTHEST_MS)
    if (this.#at !== undefined && this.#at > now && this.#at <= at) return
    this.#at = at
    void this.#storage.setAlarm(at)
  }

  /** Never throws: a failing alarm would be retried by the platform six times and then forgotten. */
  async ring(): Promise<void> {
    this.#at = undefined
    for (const chore of this.#chores) {
      const due = this.#dueAt(chore)
      if (due === undefined || due > Date.now()) continue
      try {
        await chore.run(Date.now())
        this.#failed.delete(chore.name)
      } catch (e) {
        const tries = (this.#failed.get(chore.name)?.tries ?? 0) + 1
        this.#failed.set(chore.name, { tries, until: Date.now() + Math.min(SLOWEST_MS, 1_000 * 2 ** tries) })
        fault(chore.name, e)
      }
    }
    this.arm()
  }

  /** After `deleteAll`, which takes the alarm away too. */
  forget(): void {
    this.#at = undefined
    this.#failed.clear()
  }

  #dueAt(chore: Chore): number | undefined {
    const due = chore.due()
    return due === undefined ? undefined : Math.max(due, this.#failed.get(chore.name)?.until ?? 0)
  }
}

function fault(where: string, error: unknown): void {
  const e = error instanceof Error ? error : new Error(String(error))
  console.error(scrubbed(JSON.stringify({ level: "error", event: "tenant.fault", where, error: e.name, message: e.message, stack: e.stack })))
}
