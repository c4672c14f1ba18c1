// Serves starts of runs: pins the definitions of a run, adds the rules and prices of the same turn, and takes the run's place [H6].

import type { StartWait } from "../../../core/start/start-wait.ts"
import { defined } from "../../../core/defined.ts"
import { triedModel, type ModelWish } from "../../../engine/catalog/pin/tried-model.ts"
import type { TurnContext } from "../../../ports/turn.ts"
import { pricesOf } from "../../../core/money/prices.ts"
import type { Catalog } from "../../../engine/catalog/catalog.ts"
import type { PinTarget } from "../../../engine/catalog/pin/pin.ts"
import { modelsOf } from "../../../engine/catalog/pin/start-money.ts"
import { isLined, UNSAID } from "../../../core/start/start-block.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import type { Change } from "../../../engine/catalog/catalog-entry.ts"
import type { HeldWrite } from "../../../engine/catalog/catalog-gate.ts"
import type { Proposal, ProposalWish } from "../../../ports/tenant/authoring/backtests.ts"
import type { Held, HeldFlow } from "../../../ports/tenant/authoring/gate.ts"
import type { HeldModels } from "../../../ports/tenant/authoring/held-models.ts"
import { rehearses, withoutDeleted } from "../../../engine/catalog/pin/pin-fork.ts"
import type { CatalogChange, PinnedMoney, PinOptions, PinResult, PromisedRow } from "../../../ports/tenant/catalog.ts"
import type { ForkOrigin, ForkGroundAsk } from "../../../ports/fork.ts"
import type { Arrived, LineAsk, StartsPage, StartsQuery } from "../../../ports/tenant/line.ts"
import type { Answers, StartsRoom } from "../../../ports/objects.ts"
import type { Pinned, PlayTexts, TrialReady, TrialWish } from "../../../ports/tenant/authoring/trials.ts"
import type { Opened } from "../../../ports/secrets.ts"
import { openedOf } from "../secrets/opened.ts"
import type { TenantStores } from "../tenant-stores.ts"
import type { DeskLeases } from "../../desks/desk-leases.ts"
import { promisedRow } from "../../desks/promised-row.ts"
import type { Ground, StartGround } from "./start-ground.ts"
import type { StartGate } from "./start-gate.ts"
import type { StartLine } from "./start-line.ts"

export interface StartDeps extends Pick<TenantStores, "sql" | "account" | "promises" | "providers" | "secrets" | "connections"> {
  readonly ground: StartGround
  readonly now: () => number
  /** Begins a run that was promised, by whoever promised it. true: it takes too long, and goes on. */
  readonly begin: (run: string) => Promise<boolean>
  /** Takes the tenant's secrets out of what a caller has said [T32]. */
  readonly clean: <T>(said: T) => Promise<T>
  readonly catalog: Catalog
  readonly gate: StartGate
  readonly line: StartLine
  readonly desks: DeskLeases
  /** The files of an open session of the architect. */
  readonly staged: (session: string) => Readonly<Record<string, string>> | undefined
}

const changeOf = (change: Change): CatalogChange =>
  change.type === "put" ? { ...change, hash: change.hash, size: change.size } : { ...change, hash: "", size: 0 }

export const heldModels = ({ providers, roles }: HeldModels): HeldModels => ({ providers, roles })

/** The runs of tests are judged by the tenant's rules of now. */
const ruled = (ready: TrialReady, said: Ground["said"]): TrialReady =>
  ready.ok ? { ...ready, cases: ready.cases.map((one) => ({ ...one, pinned: { ...one.pinned, ...said } })) } : ready

export class StartRoom implements Answers<StartsRoom> {
  readonly #deps: StartDeps
  #called = 0

  constructor(deps: StartDeps) {
    this.#deps = deps
  }

  /** When somebody last asked for a start who waits for the answer. */
  get called(): number {
    return this.#called
  }

  async pin(target: PinTarget, options: PinOptions): Promise<PinResult> {
    const kind = options.start?.kind
    if (kind === "api" || kind === "mcp") this.#called = this.#deps.now()
    const since = options.start?.since
    // [N3] It was on its way for longer than the deletion of its tenant took, and the founding of this one.
    if (since !== undefined && !this.#deps.account.isOf(since)) throw new Error("the tenant of this start was deleted")
    // Read in the same turn as the catalog: a policy written before a start applies to it.
    const { settings, said, prices, daily, run, mark: markOf } = this.#deps.ground.now()
    const pinned = await this.#deps.catalog.pins.pin(target, settings, options)
    if (!pinned.ok) return pinned
    const own = pricesOf(prices, modelsOf(pinned.pins))
    // [R21] A start in line takes its place when it begins.
    const isInLine = options.lined === true || isLined(pinned.flow.start)
    const mark = isInLine ? markOf() : undefined
    const whole = { ...pinned, ...said, money: { dollars: false, ...pinned.money, prices: own, daily, ...defined({ run, mark }) } }
    // The last step, because a run that cannot start takes no place [H6].
    return options.start === undefined || isInLine ? whole : this.#placed(whole, options.start, options.row)
  }

  /** `pin`, with the tenant's opened vault for a start whose isolate has not cached it. A vault that cannot be opened is left out: the run asks for
   *  it again, and that answer says why. */
  async pinOpen(target: PinTarget, options: PinOptions): Promise<{ readonly pinned: PinResult; readonly opened?: Opened }> {
    const pinned = await this.pin(target, options)
    const opened = pinned.ok ? await openedOf(this.#deps).catch(() => undefined) : undefined
    return { pinned, ...defined({ opened }) }
  }

  /** [K21] Each run costs no money of the day, because no model is asked. */
  async ready({ start, ...wish }: TrialWish): Promise<TrialReady> {
    const { catalog } = this.#deps
    const { settings, said } = this.#deps.ground.now()
    const ready = ruled(await catalog.pins.tests(wish, settings), said)
    if (!ready.ok) return ready
    const { cases } = ready
    const first = cases[0]?.pinned
    if (start === undefined || first === undefined) return ready
    const placed = await this.#placed(first, start)
    if (!placed.ok) return { ok: false, code: "not_pinned", why: placed }
    return { ...ready, ...defined({ limits: placed.limits }) }
  }

  /** [K23] */
  async propose({ flow, change, rehearse, autonomous }: ProposalWish): Promise<Proposal> {
    const { catalog } = this.#deps
    const { settings: known, said } = this.#deps.ground.now()
    const settings = { ...known, ...change.settings }
    const { session, revision, draft, models = {}, write } = change
    const definitions = session === undefined ? change.definitions : this.#deps.staged(session)
    if (session !== undefined && definitions === undefined) return { ok: false, code: "no_session" }
    const target = { flow, ...defined({ revision, draft }) }
    const options = { rehearse, autonomous }
    const tried = defined({ definitions, write })
    const found = await catalog.pins.pinProposed(target, tried, settings, options)
    if (!found.ok) return { ok: false, code: "faults", diagnostics: found.error }
    const pinned = found.value
    if (!pinned.ok) return { ok: false, code: "not_pinned", why: pinned }
    const asked = { ...pinned.pins.models }
    for (const [agent, model] of Object.entries(models)) {
      const keys = Object.keys(asked).filter((key) => key === agent || key.startsWith(`${agent}@`))
      if (keys.length === 0) return { ok: false, code: "no_agent", agent }
      for (const key of keys) asked[key] = model
    }
    return { ok: true, pinned: { ...pinned, pins: { ...pinned.pins, models: asked }, ...said } }
  }

  async replayed(pins: Pins, plays: PlayTexts): Promise<Pinned> {
    const { catalog } = this.#deps
    const { said } = this.#deps.ground.now()
    return { ...(await catalog.pins.replayed(pins, plays)), ...said }
  }

  /** [K24] What the tests of the flows need that a write reaches. */
  async held({ proof, after, flows, changes, models }: HeldWrite): Promise<Held> {
    const { catalog } = this.#deps
    const { settings, said } = this.#deps.ground.now()
    const held: HeldFlow[] = []
    for (const { flow, tests, hadTests, backtest, scores } of flows) {
      const entry = after.view.entry("flow", flow)
      const isNew = scores && !this.#hasHad(flow) ? (true as const) : undefined
      const more = defined({ backtest, scores, isNew })
      if ((!tests || (!entry && !hadTests)) && !backtest && !scores) continue
      const lost = tests && hadTests && (!entry || !after.view.testEntry(entry))
      if (lost) held.push({ flow, lost, ...defined({ scores, isNew }) })
      else {
        const own = tests && entry ? { tests: ruled(await catalog.pins.testsIn(after, flow, settings), said) } : {}
        held.push({ flow, ...own, ...more })
      }
    }
    if (held.every(({ backtest, scores }) => !backtest && !scores)) return { proof, flows: held }
    return { proof, flows: held, changes: changes.map(changeOf), ...defined({ models: models && heldModels(models) }) }
  }

  /** [V41] Whether any revision had the flow. */
  #hasHad(flow: string): boolean {
    return this.#deps.sql.read("SELECT 1 FROM change WHERE kind = 'flow' AND id = ? LIMIT 1", flow).length > 0
  }

  async #placed(
    pinned: Extract<PinResult, { ok: true }>,
    { run, kind }: NonNullable<PinOptions["start"]>,
    row?: PromisedRow,
  ): Promise<PinResult> {
    const { gate, line, desks } = this.#deps
    const queues = kind === "webhook" || kind === "schedule"
    const said = row && (await this.#clean(row))
    let place = queues && line.waitsForRoom ? undefined : await gate.admit(run, kind)
    // What desks hold is not used: nobody is refused for it.
    if (place?.ok === false && place.full !== true && (await desks.recall())) place = await gate.admit(run, kind)
    if (place?.ok) {
      if (!queues) desks.saw(1)
      const count = queues ? undefined : desks.count()
      const listed = said !== undefined && this.#list(pinned, run, said)
      return { ...pinned, limits: place.limits, ...(listed ? { listed } : {}), ...defined({ desks: count }) }
    }
    if (place?.full && !queues) return { ok: false, code: "storage_full", message: place.why }
    if (place && !queues) return { ok: false, code: "quota", message: place.why, retry: place.retry, limits: place.limits }
    line.arrive({ run, flow: pinned.flow.id, kind, block: UNSAID })
    return { ...pinned, queue: true }
  }

  /** undefined: the vault does not open, so what the caller said cannot be shown yet. */
  async #clean({ tags, thread, ...row }: PromisedRow): Promise<PromisedRow | undefined> {
    if (thread === undefined && (tags ?? []).length === 0) return row
    return this.#deps.clean({ tags, thread }).then(
      (said) => ({ ...row, ...said }),
      () => undefined,
    )
  }

  /** The place and the row are written in one turn. false: there is no such tenant any more [N3]. */
  #list(pinned: Extract<PinResult, { ok: true }>, run: string, row: PromisedRow): boolean {
    const { account, promises, now } = this.#deps
    if (account.isGone(pinned)) return false
    promises.add(promisedRow(pinned, run, row, now()))
    return true
  }

  /** [K10, K13] A fork without a patch keeps its source's definitions, except for tools that were deleted since. */
  async groundFork(asked: ForkGroundAsk): Promise<ForkOrigin> {
    const { catalog } = this.#deps
    const { settings, said, prices, daily, run } = this.#deps.ground.now()
    const { patch = {}, rehearse = false, autonomous = false, fixed } = asked
    const isPatched = patch.revision !== undefined || patch.definitions !== undefined || patch.models !== undefined
    // Checked against the flow as it was pinned, and so is what only a patched flow needs.
    const found =
      fixed === undefined && (isPatched || rehearse || autonomous || patch.inputs !== undefined)
        ? await catalog.pins.pinFork(asked, settings)
        : undefined
    if (found && !found.ok) return found
    const isNew = isPatched || rehearse || autonomous
    const made = fixed ?? (isNew && found ? found.pins : undefined)
    const pins = withoutDeleted(made ?? asked.pins, catalog.ground.registered) ?? made
    const own = pricesOf(prices, modelsOf(pins ?? asked.pins))
    const money = { dollars: false, ...found?.pinned?.money, prices: own, daily, ...defined({ run }) }
    const revision = patch.revision === "latest" ? found?.pins.revision : patch.revision
    return {
      ok: true,
      ...defined({ pins, rehearsed: made && rehearses(made), definitions: found?.definitions, revision }),
      inputs: found?.inputs ?? {},
      rules: said.rules,
      money,
    }
  }

  /** Of a start by definitions that are fixed already. */
  moneyOf(pins: Pins): PinnedMoney {
    const { prices, daily, run } = this.#deps.ground.now()
    return { dollars: false, prices: pricesOf(prices, modelsOf(pins)), daily, ...defined({ run }) }
  }

  async groundTurn(recorded: string, wish: ModelWish): Promise<TurnContext> {
    const { settings, prices, daily } = this.#deps.ground.now()
    const model = triedModel(recorded, wish, settings)
    const price = model.ok ? prices(model.value) : undefined
    return { model, daily, ...defined({ price }) }
  }

  async place(run: string, ask?: LineAsk): ReturnType<StartsRoom["place"]> {
    const { gate, line, desks } = this.#deps
    if (ask) {
      const begun = line.beginNow(ask)
      // What desks hold is not used: nobody is refused for it.
      const found = !begun.ok && begun.code === "quota" && (await desks.recall()) ? line.beginNow(ask) : begun
      return found.ok ? { ...found, limits: gate.room() } : found
    }
    let place = await gate.admit(run, "api")
    if (!place.ok && place.full !== true && (await desks.recall())) place = await gate.admit(run, "api")
    if (place.ok) return { ok: true, limits: place.limits }
    if (place.full) return { ok: false, code: "storage_full", message: place.why }
    return { ok: false, code: "quota", message: place.why, retry: place.retry, limits: place.limits }
  }

  /** [R5] */
  async arrive(ask: LineAsk): Promise<Arrived> {
    const { line, desks } = this.#deps
    const arrived = line.arrive(ask)
    // What desks hold is not used: nobody is refused for it.
    return !arrived.ok && arrived.code === "quota" && (await desks.recall()) ? line.arrive(ask) : arrived
  }

  starts(query: StartsQuery): StartsPage {
    return this.#deps.line.list(query)
  }

  waiting(run: string): StartWait | undefined {
    return this.#deps.line.waiting(run)
  }

  /** Frees the place of a run that will not start. */
  giveBack(run: string): void {
    this.#deps.gate.giveBack(run)
    this.#deps.line.over(run)
  }

  async begin(run: string): Promise<boolean> {
    return this.#deps.account.leaving() === undefined && (await this.#deps.begin(run))
  }
}
