// Keeps a workspace and a sandbox in sync [T20]: workspace changes go in before a command, and the command's changes come back
// after it. The workspace given here is one agent's view [G7]: files the agent may not read never enter the sandbox, and files
// it may not write are left in the sandbox and reported.
//
// A third list, the workspace as last copied in, shows which side changed a file. The list is in the sandbox, so a lost sandbox
// loses it too and everything is copied in again. If both sides changed a file, the workspace's version wins.

import { messageOf } from "../../core/text/fault-text.ts"
import { normalizePath } from "../../core/text/path.ts"
import { KEPT_INSIDE, type Exec, type SandboxListing } from "../../ports/exec.ts"
import { MAX_FILE_BYTES, type FileEntry, type Workspace } from "../../ports/workspace.ts"
import { Breath } from "../../ports/breath.ts"

/** Limits on what goes into a sandbox; each file costs a request to the store. */
const MOST_IN = 2_000 // limit: files that go into a sandbox → they stay out, and the answer says so
const MOST_BYTES_IN = 128 * 1024 * 1024 // limit: bytes that go into a sandbox → they stay out, and the answer says so
/** Limits on what one call may bring back; the Worker's own shell has the same. */
const MOST_BACK = 1_000 // limit: files that come back from a sandbox → they stay in it, and the answer says so
const MOST_BYTES_BACK = 32 * 1024 * 1024 // limit: bytes that come back from a sandbox → they stay in it, and the answer says so
const MOST_TOLD = 10 // limit: paths told of what stayed → further ones are counted

export interface Brought {
  /** Path → hash in the sandbox just before a command starts. */
  readonly inside: ReadonlyMap<string, string>
}

/** Runs one at a time; throws if the workspace exceeds the sandbox's limits. */
export async function bringIn(exec: Exec, workspace: Workspace): Promise<Brought> {
  const [seen, all] = await Promise.all([exec.list(), workspace.list("")])
  const files = all.filter(({ path }) => !isKeptInside(path))
  const size = files.reduce((sum, file) => sum + file.size, 0)
  if (files.length > MOST_IN || size > MOST_BYTES_IN)
    throw new Error(
      `the workspace has ${files.length} files of ${size} bytes; a sandbox takes ${MOST_IN} files and ${MOST_BYTES_IN} bytes: remove some`,
    )
  const wanted = files.filter((file) => isNewer(file, seen, workspace))
  const here = new Set(files.map(({ path }) => path))
  // Removed here, or hidden from this agent, and unchanged in the sandbox since.
  const gone = Array.from(seen.files.keys()).filter((path) => !here.has(path) && seen.base.get(path) === seen.files.get(path)?.hash)
  // The sandbox has a file where the workspace has a folder, or something where a file must go.
  const folders = new Set(wanted.flatMap(({ path }) => foldersOf(path)))
  const inTheWay = Array.from(seen.files.keys()).filter((path) => folders.has(path))
  const remove = [...gone, ...inTheWay, ...wanted.map(({ path }) => path)]
  const base = new Map(files.map(({ path, hash }) => [path, hash]))
  if (wanted.some(({ tainted }) => tainted === true)) exec.taint()
  if (remove.length > 0 || !sameMap(base, seen.base)) {
    const write = wanted.map(({ path, size: bytes, modified }) => ({ path, size: bytes, modified, body: () => bodyOf(workspace, path) }))
    await exec.put({ write, remove }, base)
  }
  const inside = new Map(Array.from(seen.files, ([path, { hash }]) => [path, hash]))
  for (const path of remove) inside.delete(path)
  for (const { path, hash } of wanted) inside.set(path, hash)
  return { inside }
}

/** Runs one at a time. Returns what was not brought back and why, for the model. `before`: report only later changes. */
export async function bringBack(
  exec: Exec,
  workspace: Workspace,
  before: Brought | undefined,
): Promise<{ readonly files: number; readonly untold: readonly string[] }> {
  const seen = await exec.list()
  const now = new Map((await workspace.list("")).map(({ path, hash }) => [path, hash]))
  const left = new Map<string, string>()
  const leave = (path: string, why: string): void => {
    if (before === undefined || before.inside.get(path) !== seen.files.get(path)?.hash) left.set(path, why)
  }
  for (const path of seen.tooLarge) left.set(path, `a file may have ${MAX_FILE_BYTES} bytes`)
  const taken: { path: string; size: number }[] = []
  const removed: string[] = []
  let bytes = 0
  for (const path of new Set([...seen.files.keys(), ...seen.base.keys()])) {
    const file = seen.files.get(path)
    const base = seen.base.get(path)
    if (isKeptInside(path) || file?.hash === now.get(path) || file?.hash === base) continue
    if (file === undefined && (seen.tooMany || seen.tooLarge.includes(path))) continue
    const normal = normalizePath(path)
    const refusal = normal.ok && normal.value === path ? workspace.refusal(path) : "not a valid name for a workspace file"
    if (refusal !== undefined) leave(path, refusal)
    else if (now.get(path) !== base) leave(path, "it was changed in the workspace meanwhile, and that version is kept")
    else if (file === undefined) removed.push(path)
    else if (taken.length >= MOST_BACK || bytes + file.size > MOST_BYTES_BACK)
      leave(path, `one call brings back ${MOST_BACK} files and ${MOST_BYTES_BACK} bytes; the next one goes on`)
    else {
      taken.push({ path, size: file.size })
      bytes += file.size
    }
  }
  for (const path of removed) await workspace.remove(path)
  const handedOver: string[] = []
  const breath = new Breath()
  for await (const { path, body } of exec.take(taken)) {
    try {
      await breath.each([body], (bytes) => workspace.write(path, bytes))
    } catch (e) {
      left.set(path, messageOf(e))
      continue
    }
    // Written where this agent may write but not read: the agent must not see the file in the sandbox either.
    if ((await workspace.stat(path)) === undefined) handedOver.push(path)
  }
  if (handedOver.length > 0) await exec.put({ write: [], remove: handedOver })
  const untold = Array.from(left, ([path, why]) => `${path}: ${why}`)
  return {
    files: removed.length + taken.length,
    untold: [
      ...(seen.tooMany
        ? ["the sandbox has more files than are copied: put what is not for the workspace outside of it, e.g. in /tmp"]
        : []),
      ...untold.slice(0, MOST_TOLD),
      ...(untold.length > MOST_TOLD ? [`and ${untold.length - MOST_TOLD} more`] : []),
    ],
  }
}

/** True if the workspace has a body that the sandbox needs. Files that only the sandbox changed stay, unless they cannot come back. */
function isNewer({ path, hash }: FileEntry, { files, base, tooLarge }: SandboxListing, workspace: Workspace): boolean {
  const inside = files.get(path)?.hash
  if (inside === hash) return false
  if (base.get(path) !== hash) return true
  return workspace.refusal(path) !== undefined && !tooLarge.includes(path)
}

async function bodyOf(workspace: Workspace, path: string): Promise<Uint8Array> {
  const body = await workspace.read(path)
  if (body === undefined) throw new Error(`${path} disappeared while it was copied: try again`)
  return body
}

const isKeptInside = (path: string): boolean =>
  foldersOf(path).some((folder) => KEPT_INSIDE.includes(folder.slice(folder.lastIndexOf("/") + 1)))

function foldersOf(path: string): string[] {
  const folders: string[] = []
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) folders.push(path.slice(0, slash))
  return folders
}

const sameMap = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && Array.from(a).every(([key, value]) => b.get(key) === value)
