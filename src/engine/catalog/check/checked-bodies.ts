// Checks bodies once per isolate, and caches the results.

import { allowancesIn, silence, type Allowance } from "../../../core/silence.ts"
import { messageOf } from "../../../core/text/fault-text.ts"
import { Breath, PARSED } from "../../../ports/breath.ts"
import { Lru } from "../../lru.ts"
import type { Bodies } from "../catalog-bodies.ts"
import { corrupt } from "../catalog-diagnostics.ts"
import type { Body, CatalogEntry } from "../catalog-entry.ts"
import type { Checked } from "./language.ts"

export interface Loaded<T> extends Checked<T> {
  readonly entry: CatalogEntry
}

// Check results by the body's hash and everything else the check depends on: the result is the same in every object
// of this isolate. Bounded by text length, since parsed values hold their text: 8 M characters of the isolate's 128 MB.
const answered = new Lru<{ readonly checked: Checked<unknown>; readonly length: number }>(8 * 1024 * 1024, ({ length }) => length + 500)

export class CheckedBodies {
  readonly #bodies: Bodies
  readonly #breath = new Breath()

  constructor(bodies: Bodies) {
    this.#bodies = bodies
  }

  text(body: Body): Promise<string | undefined> {
    return this.#bodies.text(body)
  }

  /** From the isolate's cache by hash, else from the body. A missing body is not cached: it may come back. */
  async load<T>(entry: CatalogEntry, context: string, check: (text: string) => Checked<T>): Promise<Loaded<T>> {
    const key = `${entry.kind} ${entry.path} ${entry.hash} ${context}`
    const known = (): Checked<T> | undefined => answered.get(key)?.checked as Checked<T> | undefined
    const before = known()
    if (before) return { ...before, entry }
    const text = await this.#bodies.text(entry)
    if (text === undefined) return { entry, diagnostics: [corrupt(entry, "is missing or damaged")] }
    // While this waited for its turn, someone else may have checked the same.
    const checked = await this.#breath.compute(text.length * PARSED, () => known() ?? attempt(entry, text, check))
    answered.set(key, { checked, length: text.length })
    return { ...checked, entry }
  }
}

/** Parsers do not throw [F2]; if one does so on a stored body after an upgrade, only that file is lost [F74]. */
function attempt<T>(entry: CatalogEntry, text: string, check: (text: string) => Checked<T>): Checked<T> {
  try {
    return heard(check(text), allowancesIn(text))
  } catch (e) {
    return { diagnostics: [corrupt(entry, `could not be read: ${messageOf(e)}`)] }
  }
}

const heard = <T>(checked: Checked<T>, allowances: readonly Allowance[]): Checked<T> =>
  allowances.length === 0 ? checked : { ...checked, diagnostics: silence(checked.diagnostics, allowances), allowances }
