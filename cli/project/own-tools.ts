// Finds the tools that src/index.ts brings, so that sluice.yaml need not name them again [T2]: `defineTool({ name: "…" })` in the files of the
// project that it imports. A name that is only known while the program runs is not found, and `tools` of sluice.yaml says it.

import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { child, children, readHandler, walk, type SyntaxNode } from "../../src/engine/code/handler-source.ts"
import { PACKAGE } from "../package-name.ts"
import { workerEntry } from "../scaffold.ts"

/** The names in `tools` of sluice.yaml, and those of src/index.ts. */
export async function toolsOf(folder: string, named: readonly string[] = []): Promise<readonly string[]> {
  return [...new Set([...named, ...(await definedIn(folder))])]
}

async function definedIn(folder: string): Promise<readonly string[]> {
  const entry = path.join(folder, "src/index.ts")
  if (!existsSync(entry) || (await readFile(entry, "utf8")).trim() === workerEntry(PACKAGE).trim()) return []
  const { build } = await import("esbuild")
  try {
    const { outputFiles } = await build({
      absWorkingDir: folder,
      entryPoints: [entry],
      bundle: true,
      packages: "external",
      format: "esm",
      target: "es2024",
      write: false,
      logLevel: "silent",
    })
    return definedNames(outputFiles[0]?.text ?? "")
  } catch {
    // What does not build is said where the Worker is built.
    return []
  }
}

/** The names of the tools that this module defines. */
export function definedNames(text: string): readonly string[] {
  const source = readHandler(text, "js")
  if (!source.ok) return []
  const makers = new Set<unknown>()
  for (const statement of children(source.value.program, "body")) {
    if (statement.type !== "ImportDeclaration" || child(statement, "source")?.["value"] !== `${PACKAGE}/tools`) continue
    for (const one of children(statement, "specifiers"))
      if (child(one, "imported")?.["name"] === "defineTool") makers.add(child(one, "local")?.["name"])
  }
  const names: string[] = []
  walk(source.value.program, (node) => {
    if (node.type !== "CallExpression" || !makers.has(child(node, "callee")?.["name"])) return true
    const name = nameIn(children(node, "arguments")[0])
    if (name !== undefined) names.push(name)
    return true
  })
  return names
}

/** `{ name: "stamp" }` → `stamp`. */
function nameIn(definition: SyntaxNode | undefined): string | undefined {
  const members = definition?.type === "ObjectExpression" ? children(definition, "properties") : []
  const name = members.find((one) => (child(one, "key")?.["name"] ?? child(one, "key")?.["value"]) === "name")
  const value = name === undefined ? undefined : child(name, "value")?.["value"]
  return typeof value === "string" ? value : undefined
}
