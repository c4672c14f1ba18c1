// Reads what `sluice types` writes out of a project's files. A file with an error says nothing, and its mistake is `validate`'s to tell.

import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import type { Bundle } from "../../src/api/catalog.ts"
import { codeIdOf, codePlace } from "../../src/core/flow/code-file.ts"
import { catalogPath } from "../../src/core/flow/path-id.ts"
import { parseAgent } from "../../src/core/language/parse-agent.ts"
import { parseFlow } from "../../src/core/language/parse-flow.ts"
import { specOf } from "../../src/engine/catalog/registered-tools.ts"
import { toolNames } from "../../src/tools/toolbox.ts"
import { PACKAGE } from "../package-name.ts"
import { declarations, type TypedProject } from "./declarations.ts"
import { knownTools, toolFilesIn, type KnownTools } from "./known-tools.ts"

/** Beside sluice.yaml, and committed: a clean checkout compiles. */
export const TYPES_FILE = "sluice.d.ts"

export interface Beyond {
  /** The names of the project's own tools, those of src/index.ts. */
  readonly tools?: readonly string[]
  /** What a server said of them, and of the tools of MCP servers. */
  readonly known?: KnownTools
  /** The project, from where the declarations stand. */
  readonly root?: string
}

export function typesOf(bundle: Bundle, beyond: Beyond = {}): string {
  return declarations(typedProject(bundle, beyond), PACKAGE)
}

function typedProject(bundle: Bundle, { tools = [], known = {}, root = "." }: Beyond): TypedProject {
  const named = (folder: "agents" | "flows"): readonly { readonly kind: string; readonly id: string; readonly text: string }[] =>
    Object.entries(bundle[folder] ?? {}).flatMap(([name, text]) => {
      const place = catalogPath(`${folder}/${name}`)
      if (!place.ok || place.value.kind === "skill") return []
      return [{ kind: place.value.kind, id: "id" in place.value ? place.value.id : place.value.name, text }]
    })
  const world = { tools: new Set([...toolNames(), ...tools]), skills: new Set<string>() }
  const agents = named("agents").flatMap(({ text }) => parseAgent(text, world).agent ?? [])
  const flows = named("flows").flatMap(({ kind, id, text }) => (kind === "flow" ? (parseFlow(text, id).flow ?? []) : []))
  const made = toolFilesIn(bundle).flatMap(({ file }) => (file.type === "mcp" ? [] : file.defs.map(specOf)))
  const told = Object.entries(known).map(([name, tool]) => ({ name, ...tool }))
  const handlers = new Map(
    Object.keys(bundle["code"] ?? {}).flatMap((name): [string, string][] => {
      const place = codePlace(`code/${name}`)
      // With the ending that a compiler takes which emits JavaScript, too.
      return place.ok && place.value.language === "ts"
        ? [[codeIdOf(place.value.flow, place.value.step), `${root}/code/${name.replace(/ts$/, "js")}`]]
        : []
    }),
  )
  const all = [...made, ...told, ...tools.map((name) => ({ name }))]
  return { flows, agents, handlers, tools: all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at) }
}

/** Whether the file was another. */
export async function wroteTypes(folder: string, bundle: Bundle, tools: readonly string[]): Promise<boolean> {
  const text = typesOf(bundle, { tools, known: await knownTools(folder) })
  const file = path.join(folder, TYPES_FILE)
  if ((await readFile(file, "utf8").catch(() => "")) === text) return false
  await writeFile(file, text)
  return true
}
