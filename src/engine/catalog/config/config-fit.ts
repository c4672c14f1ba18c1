// Checks that a configuration file fits its tenant and the other files [F79]: its flow exists and gets its inputs, and no other file
// defines its tools.

import type { Diagnostic } from "../../../core/diagnostic.ts"
import { canonical } from "../../../core/json.ts"
import { atOnce } from "../../at-once.ts"
import type { CatalogEntry } from "../catalog-entry.ts"
import type { Loaded } from "../check/checked-bodies.ts"
import type { ConfigFault } from "./config-fault.ts"
import { fitFaults, type ConfigValue } from "./config-kinds.ts"
import { placedIn } from "./config-value.ts"
import type { FileSurroundings } from "./surroundings.ts"
import { namesIn } from "./tool-file.ts"

/** [F79] What was set elsewhere before there was a file, so that nobody loses it unseen. */
function replaced(
  { value }: ConfigValue,
  { kind, id }: CatalogEntry,
  { requested }: Pick<FileSurroundings, "requested">,
): readonly ConfigFault[] {
  if (kind !== "provider" && kind !== "setting") return []
  const present = requested?.(kind, id)
  if (present === undefined || canonical(present) === canonical(value)) return []
  const what = kind === "provider" ? `providers/${id}` : id
  return [
    {
      code: "PV-REPLACES",
      isWarning: true,
      pointer: "",
      message: `replaces what a request has set (GET /v1/settings/${what} shows it)`,
      suggestion: "keep in the file what is to stay",
    },
  ]
}

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
    const around = { ...this.#ground.around, makers, path: entry.path }
    const faults = [...(await fitFaults(config, around)), ...replaced(config, entry, around)]
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
