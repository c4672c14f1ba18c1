// [W5] Each fire of a schedule has a run of its own: the row of a schedule that says a later time names another run.

import type { HostedObject } from "../platform/objects.ts"
import type { Service } from "../platform/service.ts"
import { hasTable } from "./stored-journal.ts"

interface Fired {
  readonly id: string
  readonly at: number
  readonly run: string
}

export class Fires {
  readonly #service: Service
  readonly #last = new Map<string, Fired>()

  constructor(service: Service) {
    this.#service = service
  }

  /** What a tenant's object wrote has become durable. */
  look({ name, label, storage }: HostedObject): void {
    if (!hasTable(storage, "schedule")) return
    const query = "SELECT id, last_at AS at, last_run AS run FROM schedule WHERE last_run IS NOT NULL"
    for (const fired of storage.rows<Fired & Record<string, string | number>>(query)) {
      const before = this.#last.get(`${name}/${fired.id}`)
      this.#last.set(`${name}/${fired.id}`, fired)
      if (before && before.at !== fired.at && before.run === fired.run)
        this.#service.found(`[W5] ${label}: two fires of ${fired.id} are the one run ${fired.run}`)
    }
  }
}
