// Builds the tree of names that the shell sees from a flat list of paths. Folders appear with their first file and stay when it is removed.

export type TreeNode =
  | { readonly kind: "file"; readonly size: number; modified: number; mode: number }
  | { readonly kind: "folder"; readonly names: Set<string> }

/** Paths are relative and normalized; the root is "". */
export class FileTree {
  readonly #nodes = new Map<string, TreeNode>([["", { kind: "folder", names: new Set() }]])

  get(path: string): TreeNode | undefined {
    return this.#nodes.get(path)
  }

  has(path: string): boolean {
    return this.#nodes.has(path)
  }

  paths(): string[] {
    return [...this.#nodes.keys()]
  }

  /** Every file at or under it. */
  filesAt(path: string): string[] {
    const node = this.#nodes.get(path)
    if (node === undefined) return []
    return node.kind === "file" ? [path] : [...node.names].flatMap((name) => this.filesAt(under(path, name)))
  }

  place(at: string, node: TreeNode): void {
    this.#nodes.set(at, node)
    for (let path = at; path !== ""; path = folderOf(path)) {
      const above = folderOf(path)
      const name = path.slice(above === "" ? 0 : above.length + 1)
      const folder = this.#nodes.get(above)
      if (folder?.kind === "folder") {
        folder.names.add(name)
        return
      }
      this.#nodes.set(above, { kind: "folder", names: new Set([name]) })
    }
  }

  /** Removes a folder with its content; the root itself stays. */
  remove(at: string): void {
    const node = this.#nodes.get(at)
    if (node?.kind === "folder") for (const name of node.names) this.remove(under(at, name))
    if (at === "") return
    this.#nodes.delete(at)
    const above = folderOf(at)
    const folder = this.#nodes.get(above)
    if (folder?.kind === "folder") folder.names.delete(at.slice(above === "" ? 0 : above.length + 1))
  }
}

export const folderOf = (path: string): string => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "")
export const under = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`)
