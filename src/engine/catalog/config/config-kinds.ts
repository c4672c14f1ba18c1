// Lists the kinds of files that configure a tenant [F79]: a row has the schema of the file, how its values are read, and whether they fit
// the tenant and the other files. cloudflare/tenant/catalog/configure.ts writes the settings.

import type { z } from "zod"
import { defined } from "../../../core/defined.ts"
import { SETTING_FILES, type ConfigKind, type ItemKind, type SettingFile } from "../../../core/flow/catalog-kinds.ts"
import { isObject, type Json } from "../../../core/json.ts"
import { BudgetSetting } from "../../../core/money/budget-setting.ts"
import { GateBody } from "../../../core/tool/policy/gate-setting.ts"
import { parsePolicy } from "../../../core/tool/policy/parse-policy.ts"
import { deniedFaults } from "../../../core/tool/policy/denied-tools.ts"
import { gateNameFaults, policyNameFaults } from "../../../core/tool/policy/policy-names.ts"
import { CallbackBody, wholeCallback } from "../../../core/project/callback-body.ts"
import { CorsBody } from "../../../core/project/origins-body.ts"
import { PacingBody } from "../../../core/project/pacing-body.ts"
import { providerFaults, ProviderFile } from "../../../core/project/provider-body.ts"
import { readRetention, RetentionBody } from "../../../core/project/retention-body.ts"
import { readTelemetry, TelemetryBody } from "../../../core/project/telemetry-body.ts"
import { Prices, readPrices } from "../../../core/money/price-table.ts"
import { DatasetFile, readDatasetFile } from "../../../core/dataset/dataset-file.ts"
import { HookBody } from "../../../core/webhook/hook-body.ts"
import { PolicyBody } from "../../../core/project/policy-body.ts"
import { RolesBody } from "../../../core/project/roles-body.ts"
import { ScheduleBody } from "../../../core/project/schedule-body.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import { bodyFaults, type BodyFault } from "../../../core/schema/body-faults.ts"
import { ScoringBody, scoringFaults } from "../../../core/score/scoring-setting.ts"
import { readHook } from "../../../core/webhook/read-hook.ts"
import { originFaults } from "../../net/origin.ts"
import { readSchedule } from "../../time/read-schedule.ts"
import { finalFaults } from "../pin/start-faults.ts"
import { providerNameFault } from "../pin/model-choice.ts"
import type { ConfigFault } from "./config-fault.ts"
import {
  callbackFaults,
  modelFaults,
  datasetsOf,
  gateScoresIn,
  pacingFaults,
  providerFileFaults,
  retentionFaults,
  scopeFaults,
  telemetryFaults,
  toolFaults,
  type FileSurroundings,
} from "./surroundings.ts"
import { readToolFile, TOOL_BODY } from "./tool-file.ts"
import { toolUsers } from "./tool-users.ts"
import { datasetFaults, flowFaults, hookAsks, hookFaults, scheduleFaults } from "./trigger-faults.ts"

type Faults = readonly BodyFault[]
const MOST_FAULTS = 100 // limit: faults told of a file that configures the tenant → further ones are not told

interface ConfigRow<Value> {
  readonly title: string
  /** Where its files are. */
  readonly file: string
  readonly body: z.ZodType
  /** `notes`: what an author should know, though the file is good. */
  read(json: Json, name: string): Result<{ readonly value: Value; readonly notes?: Faults }, Faults>
  fit(value: Value, around: FileSurroundings): Promise<readonly ConfigFault[]> | readonly ConfigFault[]
}

const row = <Value>(one: ConfigRow<Value>): ConfigRow<Value> => one

function by<S extends z.ZodType>(schema: S, json: Json): Result<z.output<S>, Faults> {
  const read = schema.safeParse(json)
  return read.success ? ok(read.data) : err(bodyFaults(schema, json, read.error.issues, MOST_FAULTS))
}

function then<A, B>(first: Result<A, Faults>, next: (value: A) => Result<B, Faults>): Result<{ readonly value: B }, Faults> {
  const second = first.ok ? next(first.value) : first
  return second.ok ? ok({ value: second.value }) : second
}

const ROWS = {
  dataset: row({
    title: "Sluice dataset",
    file: "datasets/NAME.yaml",
    body: DatasetFile,
    read: (json) => then(readDatasetFile(json), ok),
    fit: datasetFaults,
  }),
  hook: row({
    title: "Sluice hook",
    file: "hooks/NAME.yaml",
    body: HookBody,
    read: (json) => then(by(HookBody, json), readHook),
    fit: async (hook, around) => [
      ...(await flowFaults(around, hook.flow, (needs) => [...hookFaults(hook, needs), ...finalFaults(hook.start, needs)])),
      ...(await hookAsks(around, hook.flow)),
      ...scopeFaults(hook.secret, "/secret", around),
    ],
  }),
  schedule: row({
    title: "Sluice schedule",
    file: "schedules/NAME.yaml",
    body: ScheduleBody,
    read: (json) => then(by(ScheduleBody, json), readSchedule),
    fit: (schedule, around) =>
      flowFaults(around, schedule.flow, (needs) => [...scheduleFaults(schedule, needs), ...finalFaults(schedule.start, needs)]),
  }),
  callback: row({
    title: "Sluice callback",
    file: "callbacks/NAME.yaml",
    body: CallbackBody,
    read: (json) => then(by(CallbackBody, json), (body) => ok(wholeCallback(body))),
    fit: callbackFaults,
  }),
  tool: row({
    title: "Sluice tools",
    file: "tools/NAME.yaml: an HTTP tool (`request`), the operations of an OpenAPI document (`openapi`), or an MCP server (`url`)",
    body: TOOL_BODY,
    read: (json, name) => readToolFile(name, json),
    fit: toolFaults,
  }),
  policy: row({
    title: "Sluice policy",
    file: "policy.yaml",
    body: PolicyBody,
    read: (json) => then(parsePolicy(json), ok),
    fit: async (policy, around) => [
      ...named(policyNameFaults(policy, around.names())),
      ...deniedFaults(policy, await toolUsers(around)).map((fault): ConfigFault => ({ ...fault, code: "PV-DENIES" })),
    ],
  }),
  roles: row({
    title: "Sluice roles",
    file: "roles.yaml",
    body: RolesBody,
    read: (json) => then(by(RolesBody, json), ok),
    fit: modelFaults,
  }),
  budget: row({
    title: "Sluice budget",
    file: "budget.yaml",
    body: BudgetSetting,
    read: (json) => then(by(BudgetSetting, json), ok),
    fit: () => [],
  }),
  gate: row({
    title: "Sluice gate",
    file: "gate.yaml",
    body: GateBody,
    read: (json) => then(by(GateBody, json), ok),
    fit: async (gate, { names, scorers, datasets, isProbed }) => [
      ...named(gateNameFaults(gate, names())),
      ...(await gateScoresIn(gate, { scorer: await scorers(), ...datasetsOf(datasets), ...defined({ isProbed }) })),
    ],
  }),
  provider: row({
    title: "Sluice model provider",
    file: "providers/NAME.yaml: a model provider, without its key",
    body: ProviderFile,
    read: (json, name) =>
      isObject(json) && "apiKey" in json ? err([KEY_IN_FILE]) : then(by(ProviderFile, json), (file) => readProvider(file, name)),
    fit: providerFileFaults,
  }),
  prices: row({
    title: "Sluice prices",
    file: "prices.yaml: `provider/model` → US dollars per million tokens",
    body: Prices,
    read: (json) => then(readPrices(json), ok),
    fit: () => [],
  }),
  cors: row({
    title: "Sluice CORS origins",
    file: "cors.yaml",
    body: CorsBody,
    read: (json) =>
      then(by(CorsBody, json), ({ origins }) => {
        const faults = originFaults(origins)
        return faults.length > 0 ? err(faults) : ok([...new Set(origins)])
      }),
    fit: () => [],
  }),
  retention: row({
    title: "Sluice retention",
    file: "retention.yaml",
    body: RetentionBody,
    read: (json) => then(by(RetentionBody, json), readRetention),
    fit: retentionFaults,
  }),
  telemetry: row({
    title: "Sluice telemetry",
    file: "telemetry.yaml",
    body: TelemetryBody,
    read: (json) => then(by(TelemetryBody, json), readTelemetry),
    fit: telemetryFaults,
  }),
  scoring: row({
    title: "Sluice scoring",
    file: "scoring.yaml",
    body: ScoringBody,
    read: (json) => then(by(ScoringBody, json), ok),
    fit: async (scoring, { scorers }) => scoringFaults(scoring, await scorers()).map((fault) => ({ ...fault, code: "PV-VALUE" })),
  }),
  pacing: row({
    title: "Sluice pacing",
    file: "pacing.yaml: `provider/model` or `provider/*` → what its provider allows a minute",
    body: PacingBody,
    read: (json) => then(by(PacingBody, json), ok),
    fit: pacingFaults,
  }),
} satisfies Readonly<Record<ItemKind | SettingFile, unknown>>

const KEY_IN_FILE: BodyFault = {
  pointer: "/apiKey",
  message: "is not for a file: a file names the vault's scope with the key",
  suggestion: "key: { secret: SCOPE }, and the key itself with `sluice secrets put SCOPE`",
}

function readProvider(file: ProviderFile, name: string): Result<ProviderFile, Faults> {
  const named = providerNameFault(name)
  const faults = [...(named === undefined ? [] : [{ pointer: "", message: named }]), ...providerFaults(file, "/key")]
  return faults.length > 0 ? err(faults) : ok(file)
}

const named = (faults: Faults): readonly ConfigFault[] => faults.map((fault) => ({ ...fault, code: "PV-NAME" }))

/** The name of a kind of file, or of a single setting, which counts as a kind here. */
export type ConfigName = keyof typeof ROWS
export type ConfigValues = { [Name in ConfigName]: (typeof ROWS)[Name] extends ConfigRow<infer Value> ? Value : never }
export type ConfigOf<Name extends ConfigName> = { [One in Name]: { readonly kind: One; readonly value: ConfigValues[One] } }[Name]
export type ConfigValue = ConfigOf<ConfigName>

export const CONFIG: { readonly [Name in ConfigName]: ConfigRow<ConfigValues[Name]> } = ROWS
export const CONFIG_NAMES = Object.keys(ROWS) as ConfigName[]

/** The name of a setting; undefined: there is no such setting. */
export const configName = (kind: ConfigKind, id: string): ConfigName | undefined =>
  kind === "setting" ? SETTING_FILES.find((name) => name === id) : kind

export const fitFaults = <Name extends ConfigName>({ kind, value }: ConfigOf<Name>, around: FileSurroundings) =>
  CONFIG[kind].fit(value, around)
