// sluice.yaml read like every other file of the project: each fault with its line, its column and a suggestion [F2]. Pure.

import { defined } from "../../src/core/defined.ts"
import type { Diagnostic } from "../../src/core/diagnostic.ts"
import { jsonOf, readYaml } from "../../src/core/flow/parse/source.ts"
import type { Json } from "../../src/core/json.ts"
import { ProjectFile } from "../../src/core/project/project-file.ts"
import { bodyFaults } from "../../src/core/schema/body-faults.ts"
import { allowancesIn, silence, strayAllowances } from "../../src/core/silence.ts"
import { placedIn } from "../../src/engine/catalog/config/config-value.ts"

const MOST_FAULTS = 100

export function projectFileOf(text: string): { readonly value: ProjectFile; readonly diagnostics: readonly Diagnostic[] } {
  // Comments alone say nothing, which is allowed.
  if (!/^[^\S\n]*[^#\s]/m.test(text.replace(/^\uFEFF/, ""))) return { value: {}, diagnostics: [] }
  const { root, ...source } = readYaml(text, "PV")
  const allowances = allowancesIn(text)
  const silenced = silence(source.diagnostics, allowances)
  const diagnostics = [...silenced, ...strayAllowances(silenced, allowances)]
  const json: Json = root === undefined ? {} : jsonOf(root)
  const read = ProjectFile.safeParse(json)
  if (read.success) return { value: read.data, diagnostics }
  const faults = bodyFaults(ProjectFile, json, read.error.issues, MOST_FAULTS)
  // With the tools that it has, so that agents which name them are no second fault.
  const tools =
    typeof json === "object" && json !== null && !Array.isArray(json) ? ProjectFile.shape.tools.safeParse(json["tools"]) : undefined
  const value = defined({ tools: tools?.data })
  return { value, diagnostics: [...diagnostics, ...placedIn(text, faults)] }
}
