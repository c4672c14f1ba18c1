// Checks that a configuration file fits its tenant and the other files [F79]: its flow exists and gets its inputs, and no other file
// defines its tools.

import type { Diagnostic } from "../../../core/diagnostic.ts"
import { atOnce } from "../../at-once.ts"
import type { CatalogEntry } from "../catalog-entry.ts"
import type { Loaded } from "../check/checked-bodies.ts"
import { fitFaults, type ConfigValue } from "./config-kinds.ts"
import { placedIn } from "./config-value.ts"
import type { FileSurroundings } from "./surroundings.ts"
import { namesIn } from "./tool-file.ts"

interface Ground {
  readonly around: Omit<FileSurroundings, "makers" | "path">
  config(entry: CatalogEntry): Promise<Loaded<ConfigValue>>
  text(entry: CatalogEntry): Promise<string | undefined>
}

export class ConfigFit {
  readonly #ground: Ground
  #makers: Promise<ReadonlyMap<string, string>> | undefined

  constructor(ground: Ground) {
    this.#ground = ground
  }

  async faults(entry: CatalogEntry): Promise<readonly Diagnostic[]> {
    const { value: config } = await this.#ground.config(entry)
    if (config === undefined) return []
    const makers = (): Promise<ReadonlyMap<string, string>> => (this.#makers ??= this.#allMakers())
    const faults = await fitFaults(config, { ...this.#ground.around, makers, path: entry.path })
    return faults.length === 0 ? [] : placedIn((await this.#ground.text(entry)) ?? "", faults)
  }

  async #allMakers(): Promise<ReadonlyMap<string, string>> {
    const files = this.#ground.around.entries.filter((entry) => entry.kind === "tool")
    const found = await atOnce(files, async (entry) => ({ path: entry.path, value: (await this.#ground.config(entry)).value }))
    const makers = new Map<string, string>()
    for (const { path, value } of found)
      for (const name of value?.kind === "tool" ? namesIn(value.value) : []) if (!makers.has(name)) makers.set(name, path)
    return makers
  }
}
