// Serves the tenant's desks. A report is recorded in one turn: the started runs, the reports of runs, and the next lease from the remaining
// places.

import { messageOf } from "../../core/text/fault-text.ts"
import type { DeskAnswer, DeskReport, DesksRoom as Desks } from "../../ports/desks.ts"
import type { Answers } from "../../ports/objects.ts"
import type { Noted, RunListPort, ListedRun } from "../../ports/tenant/run-list.ts"
import { logError } from "../platform/log.ts"
import type { DeskLeases } from "./desk-leases.ts"

export class DesksRoom implements Answers<Desks> {
  readonly #leases: DeskLeases
  readonly #runs: Pick<Answers<RunListPort>, "note">

  readonly #together: <T>(work: () => T) => T

  /** `together`: what reports add to sums is written once for all of them. */
  constructor(leases: DeskLeases, runs: Pick<Answers<RunListPort>, "note">, together: <T>(work: () => T) => T) {
    this.#leases = leases
    this.#runs = runs
    this.#together = together
  }

  async report(report: DeskReport): Promise<DeskAnswer> {
    this.#leases.heard(report)
    const noted = this.#together(() => report.notes.map(async (row) => this.#noted(row)))
    const answer = this.#leases.granted(report)
    return { ...answer, noted: await Promise.all(noted) }
  }

  /** One report that cannot be stored does not keep the others from it; its run sends it again. */
  #noted(row: ListedRun): Noted | null | Promise<Noted | null> {
    try {
      const noted = this.#runs.note(row)
      return noted instanceof Promise ? noted.catch((e: unknown) => failed(row, e)) : noted
    } catch (e) {
      return failed(row, e)
    }
  }
}

function failed({ id }: ListedRun, e: unknown): null {
  logError("tenant.report", { run: id, error: e instanceof Error ? e.name : "Error", message: messageOf(e) })
  return null
}
