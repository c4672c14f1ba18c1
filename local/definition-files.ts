// Maps files of a folder to catalog definitions: which files are definitions, of which kind, at which path.

import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import type { DefinitionKind } from "../src/api/doc/catalog.doc.ts"
import type { Bundle } from "../src/api/catalog.ts"
import { Trouble } from "./trouble.ts"

const FOLDERS = ["agents", "flows", "skills", "code"] as const
const READ: Readonly<Record<(typeof FOLDERS)[number], RegExp>> = {
  agents: /\.md$/,
  flows: /\.ya?ml$/,
  // A skill may contain any text file; leftovers of editors and systems start with a dot.
  skills: /^(?!.*(?:^|\/)\.)/,
  code: /\.[tj]s$/,
}

/** The catalog leaves kinds without a folder unchanged. */
export async function bundleOf(folder: string): Promise<Bundle> {
  const bundle: Record<string, Record<string, string>> = {}
  for (const kind of FOLDERS) {
    const root = path.join(folder, kind)
    const names = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => undefined)
    if (names === undefined) continue
    const files = names
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
      .filter((name) => READ[kind].test(name))
      .sort()
    bundle[kind] = Object.fromEntries(await Promise.all(files.map(async (name) => [name, await text(path.join(root, name))] as const)))
  }
  if (Object.keys(bundle).length === 0) throw new Trouble(`${folder} has none of the folders ${FOLDERS.join(", ")}`)
  return bundle
}

/** The kind and catalog path of a file: the part of its path from `agents/`, `flows/`, `skills/` or `code/` on. */
export function definitionOf(file: string): { readonly kind: DefinitionKind; readonly path: string } {
  const place = /(?:^|\/)((agents|flows|skills|code)\/.+)$/.exec(file.split(path.sep).join("/"))
  const [, known = file, folder] = place ?? []
  if (folder === "agents" || (folder === undefined && file.endsWith(".md"))) return { kind: "agent", path: known }
  if (folder === "skills") return { kind: "skill", path: known }
  if (/\.rehearsal\.ya?ml$/.test(known)) return { kind: "rehearsal", path: known }
  if (/\.test\.ya?ml$/.test(known)) return { kind: "test", path: known }
  if (/\.ya?ml$/.test(known)) return { kind: "flow", path: known }
  if (/\.[tj]s$/.test(known)) return { kind: "code", path: known }
  throw new Trouble(`${file}: not a flow (.yaml), agent (.md), skill or handler (.ts, .js)`)
}

export async function text(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8")
  } catch (error) {
    throw new Trouble(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
