// Provides the data of a run that is compared with another run [K17].

import { defined } from "../../../core/defined.ts"
import { Passes, type Pass } from "../../../core/run/views/passes.ts"
import { view } from "../../../core/run/views/view.ts"
import { decode } from "../../../engine/catalog/catalog-bodies.ts"
import { pathsOf } from "../../../engine/receipt/receipt.ts"
import { atOnce } from "../../../engine/at-once.ts"
import { Breath } from "../../../ports/breath.ts"
import type { ComparedRun } from "../../../ports/run.ts"
import type { AwakeRun } from "../awake-run.ts"
import { PAGE_CHARS, READ_AT_ONCE } from "../journal/journal-pages.ts"
import type { RunResources } from "../run-resources.ts"
import type { RunStart } from "../run-start.ts"

/** Breath's measure of a page of events that is read (ports/breath.ts). */
const OPERATION_WORK = 500_000

export class RunCompared {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #starts: RunStart

  constructor(resources: RunResources, self: AwakeRun, starts: RunStart) {
    this.#resources = resources
    this.#self = self
    this.#starts = starts
  }

  async compared(): Promise<ComparedRun | undefined> {
    const run = await this.#starts.run()
    if (!run) return undefined
    const { usage, output } = view(run)
    const steps = run.plan.stepIds
    const definitions = run.pins ? pathsOf(run.pins) : []
    return { last: this.#resources.journal.last(), steps, definitions, usage, ...defined({ output }) }
  }

  async passes(from: number): Promise<{ data: Pass[]; next: number | null } | undefined> {
    const { journal } = this.#resources
    if (!(await this.#starts.run())) return undefined
    const [passes, breath] = [new Passes(), new Breath()]
    const last = journal.last()
    for (let at = 0; at < last;) {
      const page = journal.read(at, READ_AT_ONCE, PAGE_CHARS)
      for (const e of page) passes.take(e)
      at = page.at(-1)?.seq ?? last
      await breath.take(OPERATION_WORK)
    }
    const data: Pass[] = []
    let chars = 0
    for (const pass of passes.all.slice(from)) {
      chars += JSON.stringify(pass).length
      if (data.length > 0 && chars > PAGE_CHARS) break
      data.push(pass)
    }
    const next = from + data.length
    return { data, next: next < passes.all.length ? next : null }
  }

  /** An event's hash is in the event after it. */
  async heads(seqs: readonly number[]): Promise<(string | null)[] | undefined> {
    const { journal } = this.#resources
    const conductor = await this.#self.awake()
    if (!conductor) return (await this.#starts.run()) && seqs.map(() => null)
    const { seq: last, head } = conductor.run
    return seqs.map((seq) => (seq === last ? head : (journal.pick([seq + 1])[0]?.prev ?? null)))
  }

  async texts(hashes: readonly string[]): Promise<(string | null)[] | undefined> {
    const run = await this.#starts.run()
    if (!run) return undefined
    const { blobs } = this.#starts
    const own = new Set(run.pins ? pathsOf(run.pins).map(({ hash }) => hash) : [])
    return atOnce(hashes, async (hash) => {
      const body = own.has(hash) ? await blobs?.get(hash) : undefined
      return (body && decode(body)) ?? null
    })
  }
}
