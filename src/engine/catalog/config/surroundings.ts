// Checks what a configuration file needs of its tenant [F79]: a vault scope, a model that a provider offers, an allowed address, a free name.
//
// A scope or a provider may be added after the file, as when a tenant is set up from a folder, so its absence is a warning.

import type { z } from "zod"
import type { ToolTraits } from "../../../core/flow/check/check-trifecta.ts"
import type { Agent } from "../../../core/flow/agent.ts"
import type { Flow } from "../../../core/flow/flow.ts"
import type { KnownNames } from "../../../core/tool/policy/policy-names.ts"
import type { Scorer } from "../../../core/flow/scorer.ts"
import { lazy } from "../../../core/lazy.ts"
import type { gateScoreFaults, GateScoreWorld } from "../../../core/score/gate-score-faults.ts"
import { scoredRules } from "../../../core/score/gate-score.ts"
import type { PacingBody } from "../../../core/project/pacing-body.ts"
import type { ProviderFile } from "../../../core/project/provider-body.ts"
import { tooLong } from "../../../core/project/retention-body.ts"
import type { RolesBody } from "../../../core/project/roles-body.ts"
import { collectorsOf, type Telemetry } from "../../../core/project/telemetry-body.ts"
import type { StartCallback } from "../../../core/run/notice.ts"
import { pointerStep } from "../../../core/text/pointer.ts"
import { nearest } from "../../../core/text/nearest.ts"
import { isTaken } from "../../../core/tool/tool-name.ts"
import type { CatalogEntry } from "../catalog-entry.ts"
import type { Loaded } from "../check/checked-bodies.ts"
import { resolveModel, type ModelSettings } from "../pin/model-choice.ts"
import type { ConfigFault } from "./config-fault.ts"
import type { DatasetRow } from "../../../ports/tenant/quality/datasets.ts"
import { namesIn, neededBy, type ToolFile } from "./tool-file.ts"

/** What calls an address: each has rules of its own. */
export type Asker = "callback" | "tool" | "provider" | "collector"

/** Absent members are unknown, as for a folder that is judged offline. */
export interface Surroundings {
  /** Scopes of the tenant's vault. */
  readonly scopes?: () => readonly string[]
  readonly models?: () => ModelSettings
  /** Why the address may not be called, as the end of a sentence. */
  readonly refused?: (url: string, by: Asker) => string | undefined
  /** The longest that the instance lets ended runs be kept, in milliseconds. */
  readonly longest?: () => number
  /** What a request has set, where no file sets it: of a provider, or of a setting by its name. undefined: nothing. */
  readonly requested?: (kind: "provider" | "setting", id: string) => unknown
  /** Whether the provider has a key that was sent with a request, not a scope. */
  readonly hasKey?: (provider: string) => boolean
  /** [V40] The tenant's datasets. */
  readonly datasets?: () => readonly Pick<DatasetRow, "name" | "flow" | "rows">[]
  /** [V40] Whether a judge was probed in its version of now. */
  readonly isProbed?: (scorer: string) => Promise<boolean>
  /** Whether the text has a value of the vault in it. */
  readonly leaks?: (text: string) => Promise<boolean>
}

/** The tenant and the other files, for the file at `path`. */
export interface FileSurroundings extends Surroundings {
  readonly path: string
  readonly entries: readonly CatalogEntry[]
  /** Names of built-in tools, present or not. */
  readonly builtInTools: readonly string[]
  /** [T30b] What rules may name. */
  names(): KnownNames
  flow(id: string): Promise<Loaded<Flow> | undefined>
  /** [V1] The scorers that load, by name. */
  scorers(): Promise<(name: string) => Scorer | undefined>
  agent(name: string): Promise<Loaded<Agent> | undefined>
  /** A tool as far as it is known. */
  tool(name: string): ToolTraits | undefined
  /** Tool → the first file that makes it. */
  makers(): Promise<ReadonlyMap<string, string>>
}

export const callbackFaults = async ({ url, secret }: StartCallback, around: Surroundings): Promise<readonly ConfigFault[]> => [
  ...addressFaults([{ pointer: "/url", url }], "callback", around),
  ...((await around.leaks?.(url)) === true ? [LEAK] : []),
  ...(secret === "" ? [] : scopeFaults(secret, "/secret", around)),
]

export async function toolFaults(file: ToolFile, { path, ...around }: FileSurroundings): Promise<readonly ConfigFault[]> {
  const { scope, urls } = neededBy(file)
  const names = namesIn(file)
  const makers = await around.makers()
  return [
    // Of the files that make a tool of this name, the first by path is right.
    ...names.flatMap((name): ConfigFault[] => {
      const first = makers.get(name)
      if (first === undefined || first === path) return []
      return [
        { code: "PV-TOOL", pointer: "", message: `makes the tool "${name}", which ${first} makes too`, suggestion: "keep one of them" },
      ]
    }),
    ...names
      .filter((name) => isTaken(name, around.builtInTools))
      .map((name): ConfigFault => ({
        code: "PV-TOOL",
        pointer: file.type === "openapi" ? "/openapi" : "",
        message: `makes the tool "${name}", and this name belongs to a built-in tool or is reserved`,
        suggestion: file.type === "openapi" ? "`prefix` puts a word before each name" : "another name of the file",
      })),
    ...addressFaults(urls, "tool", around),
    ...(scope === undefined ? [] : scopeFaults(scope, "/auth/scope", around)),
  ]
}

const LEAK: ConfigFault = {
  code: "PV-SECRET",
  pointer: "/url",
  message: "contains a secret of the vault: the receiver recognizes the sender by the signature",
}

export function scopeFaults(scope: string, pointer: string, { scopes }: Surroundings): readonly ConfigFault[] {
  const known = scopes?.()
  if (known === undefined || known.includes(scope)) return []
  const near = nearest(scope, known)
  const write = `write it with \`sluice secrets put ${scope}\` (PUT /v1/secrets/${scope})`
  return [
    {
      code: "PV-SCOPE",
      isWarning: true,
      pointer,
      message: "is not a vault scope yet, and this does not work without it",
      suggestion: near === undefined ? write : `did you mean "${near}"? Otherwise ${write}`,
    },
  ]
}

function addressFaults(
  urls: readonly { readonly pointer: string; readonly url: string }[],
  by: Asker,
  { refused }: Surroundings,
): readonly ConfigFault[] {
  return urls.flatMap(({ pointer, url }): ConfigFault[] => {
    const why = refused?.(url, by)
    // The rules of a provider and of a collector are sentences of their own.
    const message = by === "callback" || by === "tool" ? `has an address that is refused: ${why}` : (why ?? "")
    return why === undefined ? [] : [{ code: "PV-VALUE", pointer, message }]
  })
}

export function telemetryFaults(telemetry: Telemetry, around: Surroundings): readonly ConfigFault[] {
  return collectorsOf(telemetry).flatMap(({ pointer, endpoint, headers = {} }) => [
    ...addressFaults([{ pointer: `${pointer}/endpoint`, url: endpoint }], "collector", around),
    ...Object.entries(headers).flatMap(([name, scope]) => scopeFaults(scope, `${pointer}/headers${pointerStep(name)}`, around)),
  ])
}

export function retentionFaults(ms: number, { longest }: Surroundings): readonly ConfigFault[] {
  const most = longest?.() ?? ms
  return ms > most ? [{ code: "PV-VALUE", ...tooLong(most) }] : []
}

/** A key that a request set can be read by nobody, so a file that would end it waits until the vault has one. */
export function providerFileFaults({ baseUrl, key }: ProviderFile, around: FileSurroundings): readonly ConfigFault[] {
  const name = around.path.slice(around.path.lastIndexOf("/") + 1, -".yaml".length)
  const isLost = around.hasKey?.(name) === true && !(around.scopes?.() ?? []).includes(key?.secret ?? "")
  return [
    ...(baseUrl === undefined ? [] : addressFaults([{ pointer: "/baseUrl", url: baseUrl }], "provider", around)),
    ...(isLost
      ? [
          {
            code: "PV-VALUE",
            pointer: key === undefined ? "" : "/key/secret",
            message: `would end the key that the provider "${name}" has here, because a file names a key's scope and the vault has no such scope`,
            suggestion: `\`sluice secrets put ${key?.secret ?? name}\`${key === undefined ? `, and \`key: { secret: ${name} }\` in the file` : ""}`,
          } as const,
        ]
      : key === undefined
        ? []
        : scopeFaults(key.secret, "/key/secret", around)),
  ]
}

/** The faults of models, as for PUT /v1/settings/roles. */
export function modelFaults(roles: z.output<typeof RolesBody>, { models }: Surroundings): readonly ConfigFault[] {
  const known = models?.()
  if (known === undefined) return []
  return Object.entries(roles).flatMap(([role, given]) =>
    (typeof given === "string" ? [given] : given).flatMap((model, i): ConfigFault[] => {
      const found = resolveModel(model, undefined, { ...known, roles: {} })
      const pointer = `${pointerStep(role)}${typeof given === "string" ? "" : `/${i}`}`
      return found.ok ? [] : [{ code: "PV-MODEL", isWarning: true, pointer, message: `finds no model: ${found.error}` }]
    }),
  )
}

/** [R24] A provider may be added after the file. */
export function pacingFaults({ models = {} }: PacingBody, around: Surroundings): readonly ConfigFault[] {
  const known = around.models?.().providers
  if (known === undefined) return []
  return Object.keys(models).flatMap((line): ConfigFault[] => {
    const provider = line.slice(0, line.indexOf("/"))
    if (known.includes(provider)) return []
    const near = nearest(provider, known)
    return [
      {
        code: "PV-MODEL",
        isWarning: true,
        pointer: `/models${pointerStep(line)}`,
        message: `names the provider "${provider}", which this tenant does not have: nothing is paced by this line`,
        ...(near === undefined ? {} : { suggestion: `did you mean "${near}"?` }),
      },
    ]
  })
}

const scoreFaults = lazy(() => import("../../../core/score/gate-score-faults.ts"))

/** Few gates name scores, so what judges them is loaded for these. */
export const gateScoresIn: typeof gateScoreFaults = async (gate, world) =>
  scoredRules(gate).length === 0 ? [] : (await scoreFaults()).gateScoreFaults(gate, world)

/** For the rules of the gate. */
export function datasetsOf(datasets: Surroundings["datasets"]): Pick<GateScoreWorld, "dataset"> {
  if (!datasets) return {}
  const byName = new Map(datasets().map((one) => [one.name, one]))
  return { dataset: (name) => byName.get(name) }
}
