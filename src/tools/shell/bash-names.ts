// BashNames: tracks the names that the output of a command line may show, with the taint of their files [G11]. A folder's name has the
// taint of the files in it, because their author chose it.

import { marksOf, type FileEntry, type Workspace } from "../../ports/workspace.ts"
import { folderOf } from "./bash-tree.ts"

export class BashNames {
  readonly #workspace: Pick<Workspace, "named">
  /** By path of a file or folder, "" the root: one file for each mark that its name has. */
  readonly #files = new Map<string, FileEntry[]>()

  constructor(workspace: Pick<Workspace, "named">, files: readonly FileEntry[]) {
    this.#workspace = workspace
    for (const file of files) this.#place(file)
  }

  /** A command has looked up this name. */
  shown(path: string): void {
    const files = this.#files.get(path)
    if (files === undefined) return
    this.#workspace.named(files)
    // Once is enough.
    this.#files.delete(path)
  }

  #place(file: FileEntry): void {
    const marks = marksOf(file)
    for (let at = file.path; ; at = folderOf(at)) {
      const known = this.#files.get(at) ?? []
      const adds = (["tainted", "private"] as const).some((mark) => marks[mark] && !known.some((one) => marksOf(one)[mark]))
      if (adds) this.#files.set(at, [...known, file])
      if (at === "") return
    }
  }
}
