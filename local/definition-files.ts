// Maps files of a folder to catalog definitions: which files are definitions, of which kind, at which path.

import type { Dirent } from "node:fs"
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises"
import path from "node:path"
import type { FileKind } from "../src/api/doc/catalog.doc.ts"
import { CATALOG_KINDS, FILE_KINDS, FOLDERS, isBeside, SETTING_FILES } from "../src/core/flow/catalog-kinds.ts"
import type { Bundle } from "../src/api/catalog.ts"
import { messageOf } from "../src/core/text/fault-text.ts"
import { withDocument } from "./openapi-document.ts"
import { fileFault } from "./file-fault.ts"
import { Trouble } from "./trouble.ts"

const NAMES = Object.keys(FOLDERS) as (keyof typeof FOLDERS)[]

/** A kind without a folder is left out, as are the settings of a folder that is no project and has none: the catalog keeps those unchanged [F79]. */
export async function bundleOf(folder: string): Promise<Bundle> {
  const bundle: Record<string, Record<string, string>> = {}
  for (const kind of NAMES) {
    const root = path.join(folder, kind)
    // A folder that is a link would bring in files of anybody, unseen.
    if (await isLink(root)) throw new Trouble(`${root} is a link to a folder: put a copy in its place`, INVALID)
    const names = await entriesOf(root)
    if (names === undefined) continue
    const nameOf = (entry: Dirent): string => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/")
    for (const link of names.filter((entry) => entry.isSymbolicLink()))
      await judgeLink(folder, `${kind}/${nameOf(link)}`, FOLDERS[kind].files)
    const files = names
      .filter((entry) => entry.isFile() || (entry.isSymbolicLink() && !isHidden(nameOf(entry))))
      .map(nameOf)
      .filter((name) => FOLDERS[kind].files.test(name))
      .sort()
    const textOf = async (name: string): Promise<string> => {
      const own = await text(path.join(root, name))
      return kind === "tools" ? withDocument(folder, `${kind}/${name}`, own) : own
    }
    bundle[kind] = Object.fromEntries(await Promise.all(files.map(async (name) => [name, await textOf(name)] as const)))
  }
  const settings = SETTING_FILES.map((name) => `${name}.yaml`)
  const top = ((await entriesOf(folder, false)) ?? []).map(({ name }) => name)
  const there = top.filter((name) => settings.includes(name)).sort()
  for (const name of there) if (await isLink(path.join(folder, name))) await judgeLink(folder, name, /./)
  if (there.length > 0)
    bundle["settings"] = Object.fromEntries(
      await Promise.all(there.map(async (name) => [name, await text(path.join(folder, name))] as const)),
    )
  // They have no folder whose absence could say that they are not the project's.
  else if (top.includes("sluice.yaml") && Object.keys(bundle).length > 0) bundle["settings"] = {}
  if (Object.keys(bundle).length === 0) throw new Trouble(`${folder} has none of the folders ${NAMES.join(", ")}`)
  return bundle
}

/** Tells whether the folder looks like the root of a project, not a part of one. */
export async function isProject(folder: string): Promise<boolean> {
  const names = ((await entriesOf(folder, false)) ?? []).map(({ name }) => name)
  return names.some((name) => name === "sluice.yaml" || Object.hasOwn(FOLDERS, name))
}

/** undefined: there is no such folder. Any other fault is told: a folder that is left out unseen looks like one that the person removed. */
async function entriesOf(root: string, recursive = true): Promise<Dirent[] | undefined> {
  try {
    return await readdir(root, { recursive, withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw new Trouble(fileFault(error) ?? `${root} cannot be read: ${String(error)}`, USAGE)
  }
}

const isLink = async (file: string): Promise<boolean> => (await lstat(file).catch(() => undefined))?.isSymbolicLink() ?? false

/** Editors keep locks as links to nowhere, such as `.#one.yaml`. */
const isHidden = (name: string): boolean => /(?:^|\/)\./.test(name)

/** A link to a file of the project is read like the file. Any other is refused, because a definition that is left out unseen is deleted
 *  by an apply that prunes, and a file from outside may be anybody's. */
async function judgeLink(folder: string, name: string, isRead: RegExp): Promise<void> {
  if (isHidden(name)) return
  const file = path.join(folder, name)
  const refuse = (what: string): never => {
    throw new Trouble(`${file} is a link ${what}: put a copy in its place`, INVALID)
  }
  const target = await realpath(file).catch(() => undefined)
  if (target === undefined) return isRead.test(name) ? refuse("to nothing") : undefined
  if ((await stat(target)).isDirectory()) return refuse("to a folder")
  const inside = path.relative(await realpath(folder), target)
  if (isRead.test(name) && (inside.startsWith("..") || path.isAbsolute(inside))) refuse("to a file outside the project")
}

/** The exit codes of a file that cannot be read, and of one that is not valid. */
const USAGE = 2
const INVALID = 3

const PLACE = new RegExp(`(?:^|/)((${NAMES.join("|")})/.+)$`)

/**
 * The kind and catalog path of a file: the part of its path that begins with a definition folder, such as `agents/`. The folder decides the
 * kind, so the error for a wrong extension can name the right ones.
 */
export function definitionOf(file: string): { readonly kind: FileKind; readonly path: string } {
  const [, known = file, folder] = PLACE.exec(file.split(path.sep).join("/")) ?? []
  const setting = SETTING_FILES.find((name) => path.basename(file) === `${name}.yaml`)
  if (folder === undefined && setting !== undefined) return { kind: "setting", path: `${setting}.yaml` }
  const ofFolder = FILE_KINDS.find((one) => CATALOG_KINDS[one].folder === folder)
  const kind = folder === "flows" ? (besideOf(known) ?? ofFolder) : (ofFolder ?? kindOfName(known))
  if (kind === undefined) throw new Trouble(`${file}: not a flow (.yaml), agent (.md), skill or handler (.ts, .js)`)
  return { kind, path: known }
}

/** Of a file in no folder. */
function kindOfName(name: string): FileKind | undefined {
  if (name.endsWith(".md")) return "agent"
  if (/\.[tj]s$/.test(name)) return "code"
  if (!/\.ya?ml$/.test(name)) return undefined
  return besideOf(name) ?? "flow"
}

const besideOf = (name: string): FileKind | undefined =>
  FILE_KINDS.filter(isBeside).find((kind) => new RegExp(`\\.${kind}\\.ya?ml$`).test(name))

export async function text(file: string): Promise<string> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(file)
  } catch (error) {
    throw new Trouble(fileFault(error, file) ?? `${file} cannot be read: ${messageOf(error)}`)
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Any other reading would store another text than the file has.
    throw new Trouble(`${file} is not text in UTF-8: save it as UTF-8, or keep it outside the project's folders`, INVALID)
  }
}
