// Rest: what the laws at rest read: what people were told, the journals, the rows of the tenant's object, and its answers.

import type { Run } from "../../../src/core/run/state.ts"
import { lifeOf } from "../people/life.ts"
import type { Story } from "../people/story.ts"
import type { ObjectStorage } from "../platform/object-storage.ts"
import type { Service } from "../platform/service.ts"
import type { Journal, Journals } from "./journals.ts"
import type { Plans } from "./plans.ts"
import { hasTable } from "./stored-journal.ts"

/** A law at rest: says what is wrong. */
export type RestLaw = (rest: Rest) => Promise<readonly string[]> | readonly string[]

export const OVER: ReadonlySet<string> = new Set(["succeeded", "failed", "canceled"])

export class Rest {
  readonly story: Story
  readonly journals: Journals
  readonly #plans: Plans

  constructor(story: Story, journals: Journals, plans: Plans) {
    this.story = story
    this.journals = journals
    this.#plans = plans
  }

  get service(): Service {
    return this.story.world.service
  }

  get tenant(): string {
    return this.story.tenant
  }

  /** Journals of runs that are there. */
  get own(): readonly Journal[] {
    return this.journals.all(this.tenant).filter(({ isLeaving }) => !isLeaving)
  }

  /** Those of this tenant's life that are gone. */
  get former(): readonly Journal[] {
    return this.#gone.filter(({ isStray }) => !isStray)
  }

  /** Those that went as soon as they heard of a deletion: they may have reported before. */
  get strays(): readonly Journal[] {
    return this.#gone.filter(({ isStray }) => isStray)
  }

  get #gone(): readonly Journal[] {
    const { nth } = this.story.life
    // A start of an earlier life may arrive in this one, which refuses it.
    return this.journals.former.filter(
      ({ tenant, life, standing }) => tenant === this.tenant && life === nth && (lifeOf(standing.started?.task) ?? nth) === nth,
    )
  }

  /** The storage of the tenant's object. */
  get storage(): ObjectStorage {
    return this.service.tenants.of(this.tenant).storage
  }

  /** Rows of the tenant's object; none if the table is not there. */
  rows<T extends object>(table: string, query: string, ...values: (string | number)[]): T[] {
    return hasTable(this.storage, table) ? this.storage.rows<T>(query, ...values) : []
  }

  folded(journal: Journal): Promise<Run> {
    return this.#plans.folded(journal)
  }

  /** Names that several runs have by right: forked, run again, fired each minute. */
  get repeats(): ReadonlySet<string> {
    return (this.story.told as { readonly repeats?: ReadonlySet<string> }).repeats ?? new Set()
  }

  /** Has a person deleted it, or a run above it? */
  isDeleted(run: string): boolean {
    const { told } = this.story
    if (told.deleted.has(run)) return true
    const gone = this.journals.former.find((it) => it.tenant === this.tenant && it.run === run)
    const parent = gone?.standing.started?.parent
    return parent !== undefined && this.isDeleted(parent.run)
  }
}
