// Files that configure the tenant [F79], read into what they set. A file is YAML with the fields of the API's body; every fault has its line,
// and nothing that looks like a secret is accepted: files name scopes of the vault.

import type { z } from "zod"
import { bounded, hasErrors, type Diagnostic } from "../../../core/diagnostic.ts"
import { SETTING_FILES } from "../../../core/flow/catalog-kinds.ts"
import { openReport } from "../../../core/flow/parse/report.ts"
import { jsonOf, readYaml, type Path, type Source } from "../../../core/flow/parse/source.ts"
import type { Json } from "../../../core/json.ts"
import { BudgetSetting } from "../../../core/money/budget-setting.ts"
import { GateBody, type GateSetting } from "../../../core/policy/gate-setting.ts"
import { parsePolicy } from "../../../core/policy/parse-policy.ts"
import type { Policy } from "../../../core/policy/policy.ts"
import { CallbackBody, wholeCallback } from "../../../core/project/callback-body.ts"
import { HookBody } from "../../../core/project/hook-body.ts"
import { RolesBody } from "../../../core/project/roles-body.ts"
import { ScheduleBody } from "../../../core/project/schedule-body.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import { bodyFaults, type BodyFault } from "../../../core/schema/body-faults.ts"
import type { StartCallback } from "../../../core/run/notice.ts"
import { secretIn } from "../../../core/secrets/secret-like.ts"
import type { HookSettings } from "../../../core/webhook/hook.ts"
import { readHook } from "../../../core/webhook/read-hook.ts"
import type { ConfigKind } from "../../../ports/tenant/catalog.ts"
import type { ScheduleSettings } from "../../../ports/tenant/schedules.ts"
import { readSchedule } from "../../time/read-schedule.ts"
import type { Checked } from "../check/language.ts"
import type { ConfigFault } from "./config-fault.ts"
import { readToolFile, type ToolFile } from "./tool-file.ts"

export type ConfigValue =
  | { readonly kind: "hook"; readonly value: HookSettings }
  | { readonly kind: "schedule"; readonly value: ScheduleSettings }
  | { readonly kind: "callback"; readonly value: StartCallback }
  | { readonly kind: "tool"; readonly value: ToolFile }
  | { readonly kind: "policy"; readonly value: Policy }
  | { readonly kind: "roles"; readonly value: z.output<typeof RolesBody> }
  | { readonly kind: "budget"; readonly value: BudgetSetting }
  | { readonly kind: "gate"; readonly value: GateSetting }

type Faults = readonly BodyFault[]
/** Faults told of one file. */
const MOST_FAULTS = 100

/** `id`: the name of a hook, schedule, callback or file of tools, or which setting it is. */
export function checkConfig(kind: ConfigKind, id: string, text: string): Checked<ConfigValue> {
  const source = readYaml(text, "PV", kind !== "tool")
  if (source.diagnostics.some((d) => d.severity === "error")) return { diagnostics: source.diagnostics }
  const json: Json = source.root === undefined ? {} : jsonOf(source.root)
  const read = valueOf(kind, id, json)
  const secret = secretFaults(json)
  const notes = read.ok
    ? (read.value.notes ?? []).map((note) => ({ ...note, code: "PV-OPERATION" as const, isWarning: true as const }))
    : []
  const diagnostics = bounded(
    [
      ...source.diagnostics,
      ...placed(source, json, secret, "PV-SECRET"),
      ...placed(source, json, read.ok ? [] : read.error),
      ...placed(source, json, notes),
    ],
    "PV-MORE",
  )
  return read.ok && !hasErrors(diagnostics) ? { value: read.value.config, diagnostics } : { diagnostics }
}

/** Faults at their places in the text. */
export function placedIn(text: string, faults: readonly (BodyFault & Partial<ConfigFault>)[]): readonly Diagnostic[] {
  if (faults.length === 0) return []
  const source = readYaml(text, "PV")
  return placed(source, source.root === undefined ? {} : jsonOf(source.root), faults)
}

interface Read {
  readonly config: ConfigValue
  readonly notes?: Faults
}

function valueOf(kind: ConfigKind, id: string, json: Json): Result<Read, Faults> {
  if (kind === "tool") {
    const read = readToolFile(id, json)
    return read.ok ? ok({ config: { kind, value: read.value.file }, notes: read.value.notes }) : read
  }
  const config = settingOf(kind, id, json)
  return config.ok ? ok({ config: config.value }) : config
}

function settingOf(kind: Exclude<ConfigKind, "tool">, id: string, json: Json): Result<ConfigValue, Faults> {
  if (kind === "hook") return then(by(HookBody, json), readHook, (value) => ({ kind: "hook", value }))
  if (kind === "schedule") return then(by(ScheduleBody, json), readSchedule, (value) => ({ kind: "schedule", value }))
  if (kind === "callback") return then(by(CallbackBody, json), ok, (value) => ({ kind: "callback", value: wholeCallback(value) }))
  switch (SETTING_FILES.find((name) => name === id)) {
    case "policy":
      return then(parsePolicy(json), ok, (value) => ({ kind: "policy", value }))
    case "roles":
      return then(by(RolesBody, json), ok, (value) => ({ kind: "roles", value }))
    case "budget":
      return then(by(BudgetSetting, json), ok, (value) => ({ kind: "budget", value }))
    case "gate":
      return then(by(GateBody, json), ok, (value) => ({ kind: "gate", value }))
    case undefined:
      return err([
        { pointer: "", message: `is not the file of a setting: these are ${SETTING_FILES.map((name) => `${name}.yaml`).join(", ")}` },
      ])
  }
}

function then<A, B>(
  first: Result<A, Faults>,
  next: (value: A) => Result<B, Faults>,
  last: (value: B) => ConfigValue,
): Result<ConfigValue, Faults> {
  const second = first.ok ? next(first.value) : first
  return second.ok ? ok(last(second.value)) : second
}

function by<S extends z.ZodType>(schema: S, json: Json): Result<z.output<S>, Faults> {
  const read = schema.safeParse(json)
  return read.success ? ok(read.data) : err(bodyFaults(schema, json, read.error.issues, MOST_FAULTS))
}

function placed(
  source: Source,
  json: Json,
  faults: readonly (BodyFault & Partial<ConfigFault>)[],
  every?: "PV-SECRET",
): readonly Diagnostic[] {
  const report = openReport("PV")
  for (const { pointer, message, suggestion, code = every, isWarning = false } of faults) {
    const path = pathOf(pointer, json)
    const isUnknown = message.startsWith("unknown field")
    const said = isUnknown ? message : `${path.length === 0 ? "the file" : `\`${path.join(".")}\``} ${message}`
    const tell = isWarning ? report.warn : report.error
    tell(
      code ?? (isUnknown ? "PV-FIELD" : "PV-VALUE"),
      source.place(path, isUnknown ? "key" : "value"),
      said,
      suggestion ?? (isUnknown ? "remove it" : undefined),
    )
  }
  return report.list()
}

/** A JSON Pointer as a path: a step into a list is a number. */
function pathOf(pointer: string, json: Json): Path {
  let at: Json | undefined = json
  return pointer
    .split("/")
    .slice(1)
    .map((part) => {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~")
      const step = Array.isArray(at) ? Number(name) : name
      at = Array.isArray(at) ? at[Number(name)] : typeof at === "object" && at !== null ? at[name] : undefined
      return step
    })
}

function secretFaults(json: Json, pointer = ""): BodyFault[] {
  if (typeof json === "string")
    return secretIn(json)
      ? [
          {
            pointer,
            message: "looks like a secret, and files hold none",
            suggestion: "write it with PUT /v1/secrets/SCOPE, and the name SCOPE here",
          },
        ]
      : []
  if (typeof json !== "object" || json === null) return []
  return Object.entries(json).flatMap(([name, value]) =>
    // What a document of a service shows as an example is public.
    pointer.startsWith("/openapi") && /^(?:examples?|default)$/.test(name)
      ? []
      : secretFaults(value ?? null, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  )
}
