// Names what started a run, for a list: hooks and schedules by their files' names, which only their own lists have.

import { SluiceError } from "../src/client/transport/sluice-error.ts"
import type { Sluice } from "../src/client/sluice.ts"
import type { Trigger } from "../src/core/run/event-parts.ts"

/** A run in a list: what started it. "" for a start over the API. */
export class TriggerNames {
  readonly #client: Sluice
  #names: Promise<ReadonlyMap<string, string>> | undefined

  constructor(client: Sluice) {
    this.#client = client
  }

  async of({ kind, hook, schedule }: Pick<Trigger, "kind" | "hook" | "schedule">): Promise<string> {
    const id = hook ?? schedule
    if (id === undefined) return kind === "api" ? "" : `by ${kind}`
    this.#names ??= this.#read()
    return `by ${hook === undefined ? "schedule" : "hook"} ${(await this.#names).get(id) ?? id}`
  }

  /** A key that may not list them gets ids. */
  async #read(): Promise<ReadonlyMap<string, string>> {
    try {
      const rows = [...(await this.#client.hooks.list().all()), ...(await this.#client.schedules.list().all())]
      return new Map(rows.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name]])))
    } catch (error) {
      if (error instanceof SluiceError) return new Map()
      throw error
    }
  }
}
