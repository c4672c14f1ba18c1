// Keeps the results of steps in memory, as a tenant's object does.

import type { KeptPass } from "../../../src/core/run/cached/kept-pass.ts"
import type { CachedPasses, PassToKeep } from "../../../src/ports/tenant/cached-passes.ts"

export class MemoryPasses implements Pick<CachedPasses, "find"> {
  /** All that was ever kept, oldest first. */
  readonly all: PassToKeep[] = []
  /** What was looked for. */
  readonly asked: string[] = []
  /** Replaces an answer. */
  answer: ((digest: string) => Promise<KeptPass | undefined>) | undefined

  async find({
    digest,
    run,
    since,
  }: {
    readonly digest: string
    readonly run: string
    readonly since: number
  }): Promise<KeptPass | undefined> {
    this.asked.push(digest)
    if (this.answer) return this.answer(digest)
    return this.all.findLast((one) => one.digest === digest && one.kept.run !== run && one.kept.asked >= since)?.kept
  }

  keep(pass: PassToKeep): void {
    this.all.push(pass)
  }
}
