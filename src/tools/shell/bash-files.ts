// Implements the shell's file system over the workspace [T20]. Both have the same root, so a file has one name in every tool. Hidden files
// do not exist; a refused access is an error of the command that tried it [G7]. Changes are kept here until the command line ends and are
// then staged together: a loop that appends a thousand times costs one body. Folders exist during the call as in any shell; an empty folder
// leaves nothing behind. The library requires about twenty methods. bash-changes.ts has the changes of a call, bash-refusals.ts its refused
// writes.

import type { BufferEncoding, CpOptions, FileContent, FsStat, IFileSystem, MkdirOptions, RmOptions } from "just-bash/browser"
import { normalizePath } from "../../core/text/path.ts"
import type { FileEntry, Workspace } from "../../ports/workspace.ts"
import { BashChanges } from "./bash-changes.ts"
import { fault } from "./bash-fault.ts"
import { BashNames } from "./bash-names.ts"
import { BashRefusals } from "./bash-refusals.ts"
import { bytesOf, textOf } from "../files/bash-encoding.ts"
import { FileTree, folderOf, under, type TreeNode } from "./bash-tree.ts"
import type { ShellMeter } from "./shell-meter.ts"

type Metered = Pick<ShellMeter, "breathe" | "pay" | "waitFor">

export class BashFiles implements IFileSystem {
  readonly #workspace: Workspace
  readonly #tree = new FileTree()
  readonly #changes = new BashChanges()
  readonly #refusals: BashRefusals
  readonly #devices = new Map<string, Uint8Array>()
  readonly #now: () => number
  readonly #names: BashNames
  readonly #meter: Metered

  constructor(workspace: Workspace, files: readonly FileEntry[], now: () => number, meter: Metered) {
    this.#workspace = workspace
    this.#refusals = new BashRefusals(workspace)
    this.#meter = meter
    this.#now = now
    this.#names = new BashNames(workspace, files)
    for (const { path, size, modified } of files) {
      this.#changes.stored(path)
      this.#tree.place(path, { kind: "file", size, modified, mode: 0o755 })
    }
  }

  get lost(): boolean {
    return this.#refusals.lost
  }

  untold(stderr: string): string {
    return this.#refusals.untold(stderr)
  }

  flush(signal: AbortSignal): Promise<void> {
    return this.#changes.flush(this.#workspace, signal)
  }

  async readFile(path: string, options?: { encoding?: BufferEncoding | null } | BufferEncoding): Promise<string> {
    return textOf(await this.readFileBuffer(path), typeof options === "string" ? options : options?.encoding)
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    await this.#meter.breathe()
    if (isDevice(path)) return this.#devices.get(path) ?? new Uint8Array()
    const at = own(path)
    const node = this.#tree.get(at)
    if (node?.kind === "folder") throw fault("EISDIR", "illegal operation on a directory", "read", path)
    const body = node && (this.#changes.body(at) ?? (await this.#meter.waitFor(this.#workspace.read(at))))
    if (body === undefined) throw fault("ENOENT", "no such file or directory", "open", path)
    return body
  }

  async writeFile(path: string, content: FileContent, options?: { encoding?: BufferEncoding } | BufferEncoding): Promise<void> {
    await this.#meter.breathe()
    const encoding = typeof options === "string" ? options : options?.encoding
    this.#refusals.orClosed(own(path), isOpening(content, encoding), () => this.#put(path, bytesOf(content, encoding)))
  }

  async appendFile(path: string, content: FileContent, options?: { encoding?: BufferEncoding } | BufferEncoding): Promise<void> {
    const encoding = typeof options === "string" ? options : options?.encoding
    const more = bytesOf(content, encoding)
    const before = this.#tree.get(own(path))?.kind === "file" ? await this.readFileBuffer(path) : new Uint8Array()
    const body = new Uint8Array(before.length + more.length)
    body.set(before)
    body.set(more, before.length)
    this.#refusals.orClosed(own(path), isOpening(content, encoding), () => this.#put(path, body))
  }

  async exists(path: string): Promise<boolean> {
    await this.#meter.breathe()
    // Commands are not files; if a folder of that name existed, the shell would look for them there.
    if (path === "/usr/bin") return false
    return isDevice(path) || this.#tree.has(own(path))
  }

  async stat(path: string): Promise<FsStat> {
    await this.#meter.breathe()
    if (isDevice(path)) return statOf(undefined, this.#now())
    const at = own(path)
    const node = this.#tree.get(at)
    if (node === undefined) throw fault("ENOENT", "no such file or directory", "stat", path)
    // Without links a file is identified by its path; `split` refuses to write to a file that it cannot tell from its input.
    return { ...statOf(node, this.#now()), identity: at }
  }

  lstat(path: string): Promise<FsStat> {
    return this.stat(path)
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    await this.#meter.breathe()
    const at = own(path)
    const node = this.#tree.get(at)
    if (node?.kind === "folder" && options?.recursive === true) return
    if (node !== undefined) throw fault("EEXIST", "file already exists", "mkdir", path)
    if (options?.recursive !== true && this.#tree.get(folderOf(at))?.kind !== "folder")
      throw fault("ENOENT", "no such file or directory", "mkdir", path)
    this.#refuseName(at, path)
    this.#tree.place(at, { kind: "folder", names: new Set() })
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map((entry) => entry.name)
  }

  async readdirWithFileTypes(path: string): Promise<{ name: string; isFile: boolean; isDirectory: boolean; isSymbolicLink: boolean }[]> {
    await this.#meter.breathe()
    const at = own(path)
    const node = this.#tree.get(at)
    if (node === undefined) throw fault("ENOENT", "no such file or directory", "scandir", path)
    if (node.kind === "file") throw fault("ENOTDIR", "not a directory", "scandir", path)
    for (const name of node.names) this.#names.shown(under(at, name))
    return [...node.names].sort().map((name) => {
      const isFile = this.#tree.get(under(at, name))?.kind === "file"
      return { name, isFile, isDirectory: !isFile, isSymbolicLink: false }
    })
  }

  async rm(path: string, options?: RmOptions): Promise<void> {
    await this.#meter.breathe()
    if (isDevice(path)) {
      this.#devices.delete(path)
      return
    }
    const at = own(path)
    const node = this.#tree.get(at)
    if (node === undefined) {
      if (options?.force === true) return
      throw fault("ENOENT", "no such file or directory", "rm", path)
    }
    if (node.kind === "folder" && node.names.size > 0 && options?.recursive !== true)
      throw fault("ENOTEMPTY", "directory not empty", "rm", path)
    // All or nothing: half a folder is worse than an error.
    this.#check(at)
    for (const file of this.#tree.filesAt(at)) this.#changes.remove(file)
    this.#tree.remove(at)
  }

  async cp(source: string, target: string, options?: CpOptions): Promise<void> {
    const from = own(source)
    const node = this.#tree.get(from)
    if (node === undefined) throw fault("ENOENT", "no such file or directory", "cp", source)
    if (node.kind === "file") {
      this.#put(target, await this.readFileBuffer(source))
      return
    }
    if (options?.recursive !== true) throw fault("EISDIR", "is a directory", "cp", source)
    const to = own(target)
    if (to === from || to.startsWith(`${from}/`)) throw fault("EINVAL", "cannot copy a directory into itself", "cp", source)
    await this.mkdir(target, { recursive: true })
    // An error may be about any of them.
    for (const name of node.names) this.#names.shown(under(from, name))
    for (const name of node.names) await this.cp(`/${under(from, name)}`, `/${under(to, name)}`, options)
  }

  async mv(source: string, target: string): Promise<void> {
    const from = own(source)
    const to = own(target)
    if (!this.#tree.has(from)) throw fault("ENOENT", "no such file or directory", "mv", source)
    if (from === to) return
    this.#check(from)
    this.#check(from, to)
    await this.cp(source, target, { recursive: true })
    await this.rm(source, { recursive: true })
  }

  resolvePath(base: string, path: string): string {
    return `/${own(path.startsWith("/") ? path : `${base}/${path}`)}`
  }

  getAllPaths(): string[] {
    this.#names.shown("")
    return this.#tree.paths().map((path) => `/${path}`)
  }

  /** Kept for the call only: a workspace stores no modes, and every file in it is executable. */
  async chmod(path: string, mode: number): Promise<void> {
    const node = this.#tree.get(own(path))
    if (node === undefined) throw fault("ENOENT", "no such file or directory", "chmod", path)
    if (node.kind === "file") node.mode = mode
  }

  /** Kept for the call only, like modes. */
  async utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    const node = this.#tree.get(own(path))
    if (node === undefined) throw fault("ENOENT", "no such file or directory", "utime", path)
    if (node.kind === "file") node.modified = modified.getTime()
  }

  async symlink(_target: string, path: string): Promise<void> {
    throw fault("ENOTSUP", "a workspace keeps no links, copy the file", "symlink", path)
  }

  async link(_source: string, path: string): Promise<void> {
    throw fault("ENOTSUP", "a workspace keeps no links, copy the file", "link", path)
  }

  async readlink(path: string): Promise<string> {
    throw fault("EINVAL", "not a link", "readlink", path)
  }

  async realpath(path: string): Promise<string> {
    const at = own(path)
    if (!this.#tree.has(at)) throw fault("ENOENT", "no such file or directory", "realpath", path)
    return `/${at}`
  }

  /** Whether every file at or under it may be changed, or be put under `to`. A refusal names a file that the command did not. */
  #check(at: string, to = at): void {
    for (const file of this.#tree.filesAt(at)) {
      if (file !== at && this.#workspace.refusal(`${to}${file.slice(at.length)}`) !== undefined) this.#names.shown(file)
      this.#refusals.check(`${to}${file.slice(at.length)}`)
    }
  }

  #put(path: string, body: Uint8Array): void {
    if (isDevice(path)) {
      // Other devices discard what is written to them; a process substitution is read back.
      if (path.startsWith("/dev/fd/")) this.#devices.set(path, body)
      return
    }
    const at = own(path)
    const node = this.#tree.get(at)
    if (node?.kind === "folder") throw fault("EISDIR", "illegal operation on a directory", "open", path)
    this.#refuseName(at, path)
    this.#refusals.check(at)
    this.#meter.pay(this.#changes.put(at, path, body))
    const mode = node?.mode ?? 0o755
    this.#tree.place(at, { kind: "file", size: body.length, modified: this.#now(), mode })
  }

  #refuseName(at: string, path: string): void {
    const normal = normalizePath(at)
    if (!normal.ok || normal.value !== at) throw fault("EINVAL", normal.ok ? "not a name for a file" : normal.error, "open", path)
    for (let above = folderOf(at); above !== ""; above = folderOf(above))
      if (this.#tree.get(above)?.kind === "file") throw fault("ENOTDIR", "not a directory", "open", path)
  }
}

/** The workspace path of a shell path. */
function own(path: string): string {
  const parts: string[] = []
  for (const part of path.normalize("NFC").split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return parts.join("/")
}

/** How the shell opens a redirection's target: it writes an empty byte string. */
const isOpening = (content: FileContent, encoding: BufferEncoding | undefined): boolean => content === "" && encoding === "binary"

const DEVICE = /^\/dev\/(?:null|zero|tty|std(?:in|out|err)|fd\/\d+)$/
const isDevice = (path: string): boolean => DEVICE.test(path)

function statOf(node: TreeNode | undefined, now: number): FsStat {
  const file = node?.kind === "file" ? node : undefined
  return {
    isFile: node?.kind !== "folder",
    isDirectory: node?.kind === "folder",
    isSymbolicLink: false,
    mode: node?.kind === "folder" ? 0o755 : (file?.mode ?? 0o666),
    size: file?.size ?? 0,
    mtime: new Date(file?.modified ?? now),
  }
}
