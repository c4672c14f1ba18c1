// Keeps bundles by the content of what they were made from, below node_modules: whoever has no packages there bundles only files of the
// project, which takes a moment.

import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
import { VERSION } from "../../src/engine/version.ts"
import { exists } from "../project/project.ts"
import type { Bundled } from "./bundle.ts"

const PLACE = "node_modules/.cache/sluice/handlers"
/** What decides which file a name means. */
const RESOLVING = ["package.json", "tsconfig.json", "node_modules/.package-lock.json", "node_modules/.modules.yaml", "yarn.lock"]

const Said = z.object({
  code: z.enum(["CV-POWER", "CV-IMPORT"]),
  line: z.int(),
  column: z.int().exactOptional(),
  severity: z.literal("warning"),
  message: z.string(),
  suggestion: z.string().exactOptional(),
})
const Kept = z.object({
  inputs: z.array(z.string()),
  print: z.string(),
  code: z.string(),
  diagnostics: z.record(z.string(), z.array(Said)),
})

export const hashOf = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex")

/** undefined: it was not bundled yet, or something that it was made from is another. */
export async function keptBundle(folder: string, file: string, text: string): Promise<Bundled | undefined> {
  try {
    const kept = Kept.parse(JSON.parse(await readFile(placeOf(folder, file), "utf8")))
    if ((await printOf(folder, text, kept.inputs)) !== kept.print) return undefined
    return kept
  } catch {
    return undefined
  }
}

export async function keepBundle(folder: string, file: string, text: string, { code, diagnostics, inputs }: Bundled): Promise<void> {
  if (code === undefined) return
  if (!(await exists(path.join(folder, "node_modules")))) return
  const place = placeOf(folder, file)
  try {
    await mkdir(path.dirname(place), { recursive: true })
    await writeFile(place, JSON.stringify({ inputs, print: await printOf(folder, text, inputs), code, diagnostics }))
  } catch {
    // A folder that cannot be written is bundled each time.
  }
}

/** One for each handler, so that they do not grow. */
const placeOf = (folder: string, file: string): string => path.join(folder, PLACE, `${hashOf(file).slice(0, 32)}.json`)

/** The contents of all inputs, and the names beside them: a new file may be what an old name means. Of a package's files only their times:
 *  they change when it is installed. */
async function printOf(folder: string, text: string, inputs: readonly string[]): Promise<string> {
  const { version: esbuild } = await import("esbuild")
  const isOwn = (name: string): boolean => !name.includes("node_modules/")
  const own = inputs.filter(isOwn)
  const folders = [...new Set(own.map((name) => path.dirname(name)))].sort()
  const parts = await Promise.all([
    ...[...own, ...RESOLVING].map(async (name) => `${name} ${hashOf(await readFile(path.join(folder, name)).catch(() => ""))}`),
    ...inputs.filter((name) => !isOwn(name)).map(async (name) => `${name} ${await timeOf(path.join(folder, name))}`),
    ...folders.map(async (name) => (await readdir(path.join(folder, name)).catch(() => [])).join("/")),
  ])
  return hashOf([VERSION, esbuild, hashOf(text), ...parts].join("\n"))
}

const timeOf = async (file: string): Promise<string> => {
  const found = await stat(file).catch(() => undefined)
  return found === undefined ? "" : `${found.size} ${found.mtimeMs}`
}
