// Pins the definitions of a run at its start [R3], from the current state, a past revision, a draft or a proposal. A run's texts go into
// the tenant's blobs, so that no later write, and no other version of the bundle, changes the run.

import type { BacktestChange } from "../../../ports/tenant/authoring/backtests.ts"
import type { PinOptions, PinResult } from "../../../ports/tenant/catalog.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import type { Pinned, PlayTexts, TrialReady, TrialWish } from "../../../ports/tenant/authoring/trials.ts"
import type { ForkGroundAsk } from "../../../ports/fork.ts"
import { ok, type Result } from "../../../core/result.ts"
import { sha256 } from "../../sha256.ts"
import { encode } from "../catalog-bodies.ts"
import type { CatalogDrafts } from "../catalog-drafts.ts"
import type { CatalogGround, State } from "../catalog-ground.ts"
import type { CatalogHistory } from "../catalog-history.ts"
import { readyTests } from "../check/flow-tests.ts"
import { proposed, written, type Faults } from "../staging/catalog-proposal.ts"
import type { ModelSettings } from "./model-choice.ts"
import { pin, type PinContext, type PinTarget } from "./pin.ts"
import { pinFork, type ForkPins } from "./pin-fork.ts"
import { replayed } from "./replayed-pins.ts"

export class CatalogPins {
  readonly #ground: CatalogGround
  readonly #drafts: CatalogDrafts
  readonly #history: CatalogHistory
  /** Hashes of the texts that this object has seen in the tenant's blobs. */
  readonly #stored = new Set<string>()

  constructor(ground: CatalogGround, states: { readonly drafts: CatalogDrafts; readonly history: CatalogHistory }) {
    this.#ground = ground
    this.#drafts = states.drafts
    this.#history = states.history
  }

  /** [K21] The tests of a flow as they are, or as they would be with other definitions. */
  async tests({ flow, case: only, definitions, draft }: TrialWish, settings: ModelSettings): Promise<TrialReady> {
    const drafted = draft === undefined ? undefined : await this.#drafts.state(draft)
    if (draft !== undefined && drafted === undefined) return { ok: false, code: "not_pinned", why: noDraft(draft) }
    if (drafted) return this.testsIn(drafted, flow, settings, only)
    const found = definitions === undefined ? undefined : await proposed(this.#ground, definitions)
    if (found && !found.ok) return { ok: false, code: "faults", diagnostics: found.error }
    const { revision, view } = found?.value.state ?? (await this.#ground.current())
    return readyTests({ ...this.#pinning(settings), registered: view.registered, view, revision }, flow, only)
  }

  /** [K24] In a catalog that would be. */
  testsIn({ revision, view }: Pick<State, "revision" | "view">, flow: string, settings: ModelSettings, only?: string): Promise<TrialReady> {
    return readyTests({ ...this.#pinning(settings), registered: view.registered, view, revision }, flow, only)
  }

  /** [K23] As `pin`, in the catalog as it would be. The error lists what is wrong with the definitions. */
  async pinProposed(
    target: PinTarget,
    { definitions, write }: Pick<BacktestChange, "definitions" | "write">,
    settings: ModelSettings,
    options: PinOptions,
  ): Promise<Result<PinResult, Faults>> {
    if (definitions === undefined && write === undefined) return ok(await this.pin(target, settings, options))
    const found = write ? await written(this.#ground, write) : await proposed(this.#ground, definitions ?? {})
    if (!found.ok) return found
    const { revision, view } = found.value.state
    return ok(await pin({ ...this.#pinning(settings), registered: view.registered, ...options, view, revision }, target))
  }

  /** [K22] */
  replayed(pins: Pins, plays: PlayTexts): Promise<Pinned> {
    return replayed(pins, plays, { blobs: this.#ground.parts.blobs, keep: (text) => this.#keep(text) })
  }

  /** What every pin needs besides a view. Tools have no history: the run gets the tools registered now. */
  #pinning(settings: ModelSettings): Omit<PinContext, "view" | "revision" | "rehearse" | "autonomous"> {
    return { registered: this.#ground.registered, settings, keep: (text, hash) => this.#keep(text, hash) }
  }

  /** [F72] A past revision is pinned the same way: its bodies are still stored. */
  async pin(target: PinTarget, settings: ModelSettings, options: PinOptions): Promise<PinResult> {
    const draft = "flow" in target ? target.draft : undefined
    if (draft !== undefined) {
      const drafted = await this.#drafts.state(draft)
      if (drafted === undefined) return noDraft(draft)
      const { revision, view } = drafted
      const pinned = await pin({ ...this.#pinning(settings), registered: view.registered, ...options, view, revision }, target)
      return pinned.ok ? { ...pinned, pins: { ...pinned.pins, draft } } : pinned
    }
    const then = "flow" in target ? target.revision : undefined
    const state = then === undefined ? await this.#ground.current() : await this.#history.at(then)
    if (!("view" in state)) return { ok: false, code: "not_found" }
    const { revision, view } = state
    return pin({ ...this.#pinning(settings), ...options, view, revision }, target)
  }

  /** [K13] What a fork pins: the source's definitions under a patch. */
  async pinFork(asked: ForkGroundAsk, settings: ModelSettings): Promise<ForkPins> {
    const at = async (revision: number): Promise<State | undefined> => {
      const state = await this.#history.at(revision)
      return "view" in state ? state : undefined
    }
    return pinFork({ ground: this.#ground, at, settings, keep: (text, hash) => this.#keep(text, hash) }, asked)
  }

  /** Stores a text that a run pins in the tenant's blobs, once per object: a run never depends on the bundle that started it. */
  async #keep(text: string, knownHash?: string): Promise<string> {
    const { blobs, isReborn } = this.#ground.parts
    const hash = knownHash ?? (await sha256(text))
    if (!this.#stored.has(hash)) {
      if (isReborn?.() === true || (await blobs.get(hash)) === undefined) await blobs.put(encode(text))
      this.#stored.add(hash)
    }
    return hash
  }

  /** [V15] Stores a text that a run will pin. */
  keep(text: string): Promise<string> {
    return this.#keep(text)
  }

  /** The tenant's blobs are deleted. */
  forget(): void {
    this.#stored.clear()
  }
}

const noDraft = (draft: string): Extract<PinResult, { code: "not_found" }> => ({
  ok: false,
  code: "not_found",
  message: `There is no draft "${draft}": it was never written, was removed, or was last written more than 12 hours ago.`,
})
