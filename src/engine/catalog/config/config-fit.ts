// ConfigFit: whether a file of the configuration fits its tenant and the other files [F79]: the flow that it starts is there and gets what it
// needs, and no other file makes its tools.

import { gateNameFaults, policyNameFaults, type KnownNames } from "../../../core/policy/policy-names.ts"
import type { Flow } from "../../../core/flow/flow.ts"
import type { Diagnostic } from "../../../core/diagnostic.ts"
import { nearest } from "../../../core/text/nearest.ts"
import { atOnce } from "../../at-once.ts"
import type { Entry } from "../catalog-entry.ts"
import type { Loaded } from "../check/checked-bodies.ts"
import type { ConfigFault } from "./config-fault.ts"
import { placedIn, type ConfigValue } from "./config-value.ts"
import { surroundingFaults, type Surroundings } from "./surroundings.ts"
import { namesIn } from "./tool-file.ts"
import { hookFaults, scheduleFaults } from "./trigger-faults.ts"
import { needsOf } from "../pin/startable.ts"

interface Ground {
  readonly entries: readonly Entry[]
  /** Names of built-in tools, present or not. */
  readonly house: readonly string[]
  readonly around: Surroundings
  /** [T30b] What rules may name. */
  names(): KnownNames
  flow(id: string): Promise<Loaded<Flow> | undefined>
  config(entry: Entry): Promise<Loaded<ConfigValue>>
  text(entry: Entry): Promise<string | undefined>
}

export class ConfigFit {
  readonly #ground: Ground
  #makers: Promise<ReadonlyMap<string, string>> | undefined

  constructor(ground: Ground) {
    this.#ground = ground
  }

  async faults(entry: Entry): Promise<readonly Diagnostic[]> {
    const { around, house } = this.#ground
    const { value: config } = await this.#ground.config(entry)
    if (config === undefined) return []
    const faults = [
      ...(config.kind === "hook" || config.kind === "schedule" ? await this.#startFaults(config) : []),
      ...(config.kind === "tool" ? await this.#twice(entry, namesIn(config.value)) : []),
      ...(await surroundingFaults(config, around, house)),
      ...this.#nameFaults(config),
    ]
    return faults.length === 0 ? [] : placedIn((await this.#ground.text(entry)) ?? "", faults)
  }

  #nameFaults(config: ConfigValue): readonly ConfigFault[] {
    const known = this.#ground.names()
    if (config.kind === "policy") return policyNameFaults(config.value, known).map((fault) => ({ ...fault, code: "PV-NAME" as const }))
    if (config.kind === "gate") return gateNameFaults(config.value, known).map((fault) => ({ ...fault, code: "PV-NAME" as const }))
    return []
  }

  /** A hook or schedule that could never start its flow is refused. */
  async #startFaults(config: Extract<ConfigValue, { kind: "hook" | "schedule" }>): Promise<readonly ConfigFault[]> {
    const loaded = await this.#ground.flow(config.value.flow)
    if (!loaded) {
      const near = nearest(
        config.value.flow,
        this.#ground.entries.flatMap((e) => (e.kind === "flow" ? [e.id] : [])),
      )
      const suggestion = near === undefined ? {} : { suggestion: `did you mean "${near}"?` }
      return [{ code: "PV-FLOW", pointer: "/flow", message: "is not the id of a flow", ...suggestion }]
    }
    if (!loaded.value) return []
    const needs = needsOf(loaded.value)
    const faults = config.kind === "hook" ? hookFaults(config.value, needs) : scheduleFaults(config.value, needs)
    return faults.map((fault) => ({ ...fault, code: "PV-FLOW" as const }))
  }

  /** Of the files that make a tool of this name, the first by path is right. */
  async #twice(entry: Entry, names: readonly string[]): Promise<readonly ConfigFault[]> {
    this.#makers ??= this.#allMakers()
    const makers = await this.#makers
    return names.flatMap((name): ConfigFault[] => {
      const first = makers.get(name)
      if (first === undefined || first === entry.path) return []
      return [
        { code: "PV-TOOL", pointer: "", message: `makes the tool "${name}", which ${first} makes too`, suggestion: "keep one of them" },
      ]
    })
  }

  /** Tool → the first file that makes it. */
  async #allMakers(): Promise<ReadonlyMap<string, string>> {
    const files = this.#ground.entries.filter((entry) => entry.kind === "tool")
    const found = await atOnce(files, async (entry) => ({ path: entry.path, value: (await this.#ground.config(entry)).value }))
    const makers = new Map<string, string>()
    for (const { path, value } of found)
      for (const name of value?.kind === "tool" ? namesIn(value.value) : []) if (!makers.has(name)) makers.set(name, path)
    return makers
  }
}
