// Keeps one experiment, to test HTTP routes without objects.

import type {
  ExperimentBegun,
  ExperimentFixing,
  ExperimentForecast,
  ExperimentRowGiven,
  ExperimentRowSeen,
  ExperimentSeen,
  ExperimentsPort,
  ExperimentWish,
} from "../../../src/ports/tenant/quality/experiments.ts"

export class FakeExperiments implements ExperimentsPort {
  readonly asked: { readonly wish: ExperimentWish; readonly rows?: readonly ExperimentRowGiven[] }[] = []
  readonly seen = new Map<string, ExperimentSeen>()
  begun: ExperimentBegun | undefined

  async fix(wish: ExperimentWish): Promise<ExperimentFixing> {
    this.asked.push({ wish })
    const variants = wish.variants.map(({ name = "now" }) => ({ name }))
    return { ok: true, fixed: { ...wish, variants, isEqual: false } }
  }
  async check(_fixed: unknown, rows: readonly ExperimentRowGiven[]): Promise<ExperimentForecast> {
    return { rows: rows.length, looked: rows.length, same: 0, trials: rows.length, typical: { tokens: 0, usd: null } }
  }
  async begin(_fixed: unknown, rows: readonly ExperimentRowGiven[]): Promise<ExperimentBegun> {
    return this.begun ?? { ok: true, id: "exp_1", status: "running", rows: rows.length }
  }
  async list(): Promise<readonly ExperimentSeen[]> {
    return [...this.seen.values()]
  }
  async find(id: string): Promise<ExperimentSeen | undefined> {
    return this.seen.get(id)
  }
  async rows(id: string): Promise<readonly ExperimentRowSeen[] | undefined> {
    return this.seen.has(id) ? [] : undefined
  }
  async stop(id: string): Promise<ExperimentSeen | undefined> {
    return this.seen.get(id)
  }
  async remove(id: string): Promise<"removed" | "not_found"> {
    return this.seen.delete(id) ? "removed" : "not_found"
  }
}
