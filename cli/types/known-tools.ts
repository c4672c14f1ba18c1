// Keeps what tools take that no file of the project says: those of its MCP servers, as approved, and those of src/index.ts. A server knows it;
// `tools.lock.json`, which is committed, has it for the compiler of everybody else.

import { readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
import type { Bundle } from "../../src/api/catalog.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import { defined } from "../../src/core/defined.ts"
import { catalogPath } from "../../src/core/flow/path-id.ts"
import { checkConfig } from "../../src/engine/catalog/config/config-value.ts"
import type { ToolFile } from "../../src/engine/catalog/config/tool-file.ts"

export const LOCK_FILE = "tools.lock.json"

const Known = z.record(z.string(), z.object({ description: z.string().exactOptional(), parameters: z.record(z.string(), z.json()) }))
export type KnownTools = z.output<typeof Known>

/** A file that is no lock knows nothing: the next that asks a server writes it anew. */
export async function knownTools(folder: string): Promise<KnownTools> {
  try {
    return Known.parse(JSON.parse(await readFile(path.join(folder, LOCK_FILE), "utf8")))
  } catch {
    return {}
  }
}

/** Whether only a server knows what some of the project's tools take. `own`: the names of src/index.ts's. */
export const asksServer = (bundle: Bundle, own: readonly string[]): boolean => own.length > 0 || serversIn(bundle).size > 0

/** Asks the server, and writes what it says. Whether the file was another. */
export async function keptTools(folder: string, bundle: Bundle, own: readonly string[], client: Sluice): Promise<boolean> {
  const servers = serversIn(bundle)
  const found: Record<string, KnownTools[string]> = {}
  for await (const tool of client.tools.list()) {
    const { name, description, parameters, source } = tool
    if (parameters === undefined) continue
    if (source?.kind === "mcp" ? servers.has(source.name) : own.includes(name)) found[name] = defined({ description, parameters })
  }
  const text = `${JSON.stringify(Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`
  const file = path.join(folder, LOCK_FILE)
  const before = await readFile(file, "utf8").catch(() => "{}\n")
  if (before === text) return false
  await (text === "{}\n" ? rm(file, { force: true }) : writeFile(file, text))
  return true
}

/** The names of the MCP servers that the project's files declare. */
const serversIn = (bundle: Bundle): ReadonlySet<string> =>
  new Set(toolFilesIn(bundle).flatMap(({ name, file }) => (file.type === "mcp" ? [name] : [])))

/** The project's tool files that can be read. */
export function toolFilesIn(bundle: Bundle): readonly { readonly name: string; readonly file: ToolFile }[] {
  return Object.entries(bundle["tools"] ?? {}).flatMap(([path, text]) => {
    const place = catalogPath(`tools/${path}`)
    if (!place.ok || place.value.kind !== "tool") return []
    const { name } = place.value
    const { value } = checkConfig("tool", name, text)
    return value?.kind === "tool" ? [{ name, file: value.value }] : []
  })
}
