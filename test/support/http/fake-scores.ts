// Scorers and scores of a tenant without an object.

import type { ScoresPort, ScoresWanted } from "../../../src/ports/tenant/quality/scores.ts"

export class FakeScores implements ScoresPort {
  asked: ScoresWanted[] = []
  heardOf: unknown[] = []
  async scorers() {
    return []
  }
  async ask(wanted: ScoresWanted) {
    this.asked.push(wanted)
    return { ok: true as const, data: wanted.scorers.map((scorer) => ({ scorer, version: "000000000000", state: "waiting" as const })) }
  }
  async heard(...said: unknown[]) {
    this.heardOf.push(said)
  }
  async levels() {
    return null
  }
  async today() {
    return { day: "2026-11-23", scored: 0, skipped: { budget: 0, queue: 0 }, waiting: 0, usage: { tokens: 0, usd: 0 } }
  }
  async grading() {
    return []
  }
  async addGrading() {
    return { added: 0 }
  }
  async probe() {
    return { ok: false as const, code: "not_found" as const }
  }
  async trust() {
    return undefined
  }
  async sums() {
    return []
  }
  async skipGrading() {
    return false
  }
}
