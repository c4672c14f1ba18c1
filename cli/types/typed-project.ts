// Reads what `sluice types` writes out of a project's files. A file with an error says nothing, and its mistake is `validate`'s to tell.

import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import type { Bundle } from "../../src/api/catalog.ts"
import { catalogPath } from "../../src/core/flow/path-id.ts"
import { parseAgent } from "../../src/core/language/parse-agent.ts"
import { parseFlow } from "../../src/core/language/parse-flow.ts"
import { checkConfig } from "../../src/engine/catalog/config/config-value.ts"
import { specOf } from "../../src/engine/catalog/registered-tools.ts"
import { toolNames } from "../../src/tools/toolbox.ts"
import { PACKAGE } from "../package-name.ts"
import { declarations, type TypedProject } from "./declarations.ts"

/** Beside sluice.yaml, and committed: a clean checkout compiles. */
export const TYPES_FILE = "sluice.d.ts"

/** `tools`: the names of the project's own, whose arguments src/index.ts knows. */
export function typesOf(bundle: Bundle, tools: readonly string[] = []): string {
  return declarations(typedProject(bundle, tools), PACKAGE)
}

function typedProject(bundle: Bundle, tools: readonly string[]): TypedProject {
  const named = (folder: "agents" | "flows" | "tools"): readonly { readonly kind: string; readonly id: string; readonly text: string }[] =>
    Object.entries(bundle[folder] ?? {}).flatMap(([name, text]) => {
      const place = catalogPath(`${folder}/${name}`)
      if (!place.ok || place.value.kind === "skill") return []
      return [{ kind: place.value.kind, id: "id" in place.value ? place.value.id : place.value.name, text }]
    })
  const world = { tools: new Set([...toolNames(), ...tools]), skills: new Set<string>() }
  const agents = named("agents").flatMap(({ text }) => parseAgent(text, world).agent ?? [])
  const flows = named("flows").flatMap(({ kind, id, text }) => (kind === "flow" ? (parseFlow(text, id).flow ?? []) : []))
  const made = named("tools").flatMap(({ id, text }) => {
    const { value } = checkConfig("tool", id, text)
    return value?.kind === "tool" && value.value.type !== "mcp" ? value.value.defs.map(specOf) : []
  })
  return { flows, agents, tools: [...made, ...tools.flatMap((name) => (made.some((one) => one.name === name) ? [] : [{ name }]))] }
}

/** Whether the file was another. */
export async function wroteTypes(folder: string, bundle: Bundle, tools: readonly string[]): Promise<boolean> {
  const text = typesOf(bundle, tools)
  const file = path.join(folder, TYPES_FILE)
  if ((await readFile(file, "utf8").catch(() => "")) === text) return false
  await writeFile(file, text)
  return true
}
