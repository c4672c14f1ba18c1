// Reads files that configure the tenant [F79]. A file is YAML with the fields of the API's body. Every fault has its line, and values that
// look like secrets are refused: files name vault scopes instead.

import { bounded, hasErrors, type Diagnostic } from "../../../core/diagnostic.ts"
import { SETTING_FILES, type ConfigKind } from "../../../core/flow/catalog-kinds.ts"
import { openReport } from "../../../core/flow/parse/report.ts"
import { jsonOf, readYaml, type Path, type Source } from "../../../core/flow/parse/source.ts"
import type { Json } from "../../../core/json.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import type { BodyFault } from "../../../core/schema/body-faults.ts"
import { secretIn } from "../../../core/secrets/secret-like.ts"
import type { Checked } from "../check/language.ts"
import type { ConfigFault } from "./config-fault.ts"
import { CONFIG, configName, type ConfigValue } from "./config-kinds.ts"

/** `id`: the name of a hook, schedule, callback or tools file, or of the setting. */
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

function valueOf(
  kind: ConfigKind,
  id: string,
  json: Json,
): Result<{ readonly config: ConfigValue; readonly notes?: readonly BodyFault[] }, readonly BodyFault[]> {
  const name = configName(kind, id)
  if (name === undefined)
    return err([
      { pointer: "", message: `is not the file of a setting: these are ${SETTING_FILES.map((setting) => `${setting}.yaml`).join(", ")}` },
    ])
  const read = CONFIG[name].read(json, id)
  // A row reads its own kind of value.
  return read.ok ? ok({ ...read.value, config: { kind: name, value: read.value.value } as ConfigValue }) : read
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
            message: "looks like a secret, which files must not contain",
            suggestion: "write it to the vault with `sluice secrets put SCOPE` (PUT /v1/secrets/SCOPE), and the name SCOPE here",
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
