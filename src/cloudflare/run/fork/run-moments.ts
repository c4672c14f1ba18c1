// Shows a run as it was after any of its events [K5]: its view, its workspace, and the prompts of models. Folded from the journal for each
// request, with one page in memory at a time; the cost is linear in the events up to that one.

import type { RunEvent } from "../../../core/run/event.ts"
import { Fold, type Era } from "../../../core/run/fork/fold.ts"
import { modelKey, passOf } from "../../../core/run/key.ts"
import { filesChangedBy } from "../../../core/run/steps/changed-files.ts"
import { runView, type RunView } from "../../../core/run/views/view.ts"
import { MemoryIndex } from "../../../engine/run/memory-store.ts"
import { promptOf } from "../../../engine/run/prompt-view.ts"
import type { PromptSeen } from "../../../ports/prompt.ts"
import type { Answers, RunRooms } from "../../../ports/objects.ts"
import { changedPage } from "../../../engine/run/file-diff.ts"
import type { ChangedPage, Moment } from "../../../ports/run.ts"
import type { FileEntry } from "../../../ports/workspace.ts"
import { eventsOf } from "../journal/journal-pages.ts"
import type { RunResources } from "../run-resources.ts"
import type { RunStart } from "../run-start.ts"

/** What a reader of a moment folds beside the run's state. */
interface Folded {
  readonly fold: Fold
  readonly files: MemoryIndex
}

export class RunMoments implements Answers<RunRooms["moments"]> {
  readonly #resources: RunResources
  readonly #starts: RunStart
  readonly #eras: () => Promise<readonly [Era, ...Era[]]>

  /** `eras`: of a run that has begun. */
  constructor(resources: RunResources, starts: RunStart, eras: () => Promise<readonly [Era, ...Era[]]>) {
    this.#resources = resources
    this.#starts = starts
    this.#eras = eras
  }

  async viewAt(seq: number): Promise<Moment<RunView> | undefined> {
    return this.#at(seq, ({ fold }) => runView(fold.run))
  }

  async filesAt(seq: number): Promise<Moment<readonly FileEntry[]> | undefined> {
    return this.#at(seq, ({ files }) => files.list(""))
  }

  async fileAt(path: string, seq: number): Promise<Moment<{ entry: FileEntry; body: Uint8Array } | null> | undefined> {
    const found = await this.#at(seq, ({ files }) => files.stat(path) ?? null)
    if (!found?.ok) return found
    const entry = found.value
    const body = entry ? await this.#starts.blobs?.get(entry.hash) : undefined
    return { ok: true, value: entry && body ? { entry, body } : null }
  }

  async filesBetween(
    from: number,
    to: number | undefined,
    page: { readonly limit: number; readonly past?: string },
  ): Promise<Moment<ChangedPage & { readonly to: number }> | undefined> {
    const run = await this.#starts.run()
    if (!run) return undefined
    const { journal } = this.#resources
    const last = run.endSeq ?? journal.last()
    const end = to ?? last
    if (from < 1 || from > end || end > last) return { ok: false, first: 1, last }
    const files = new MemoryIndex()
    let before: readonly FileEntry[] = []
    for (const e of eventsOf(journal)) {
      files.take(filesChangedBy(e), e.at)
      if (e.seq === from) before = files.list("")
      if (e.seq === end) break
    }
    const read = async (hash: string): Promise<Uint8Array | undefined> => this.#starts.blobs?.get(hash)
    return { ok: true, value: { ...(await changedPage(before, files.list(""), page, read)), to: end } }
  }

  /** Two passes over the journal: which event began the turn, and the state at it. */
  async prompt(step: string, of: { pass?: number; turn?: number; layer?: number }): Promise<PromptSeen | undefined> {
    const run = await this.#starts.run()
    if (!run?.plan.steps.has(step)) return undefined
    const { journal } = this.#resources
    let begun: { readonly seq: number; readonly key: string } | undefined
    let reply: Extract<RunEvent, { readonly type: "model.replied" }> | undefined
    for (const e of eventsOf(journal)) {
      if (e.type === "action.begun" && e.kind === "model" && e.step === step && isTurn(e.key, step, of)) {
        begun = { seq: e.seq, key: e.key }
        reply = undefined
      } else if (e.type === "model.replied" && e.key === begun?.key) reply = e
    }
    if (begun === undefined) return undefined
    const fold = new Fold(await this.#eras())
    for (const e of eventsOf(journal)) {
      fold.take(e)
      if (e.seq === begun.seq) break
    }
    return promptOf({ run: fold.run, journal, step, ...begun, reply, layer: of.layer })
  }

  async #at<T>(seq: number, of: (folded: Folded) => T): Promise<Moment<T> | undefined> {
    const run = await this.#starts.run()
    if (!run) return undefined
    const { journal } = this.#resources
    // [K34] What is said after the end is in the ledger.
    const last = run.endSeq ?? journal.last()
    if (!Number.isInteger(seq) || seq < 1 || seq > last) return { ok: false, first: 1, last }
    const fold = new Fold(await this.#eras())
    const files = new MemoryIndex()
    for (const e of eventsOf(journal)) {
      fold.take(e)
      files.take(filesChangedBy(e), e.at)
      if (e.seq === seq) break
    }
    return { ok: true, value: of({ fold, files }) }
  }
}

const isTurn = (key: string, step: string, { pass, turn }: { readonly pass?: number; readonly turn?: number }): boolean =>
  (pass === undefined || passOf(key) === pass) && (turn === undefined || key === modelKey(step, passOf(key), turn))
