// Reads the tracked sources: what each file of the tree says, and which file it imports.

import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"

export interface Source {
  readonly file: string
  readonly text: string
  /** The text without the comments that stand on lines of their own. */
  readonly code: string
}

export interface Import {
  readonly from: string
  readonly to: string
}

const ROOMS = ["src", "console/app", "web", "cli", "local", "scripts", "bench", "package"]
const GENERATED = /\.gen\.ts$|(?:^|\/)(?:node_modules|built|templates)\//

export const git = (root: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 })

export const isIn = (file: string, ...folders: string[]): boolean => folders.some((folder) => file.startsWith(`${folder}/`))

const codeOf = (text: string): string => text.replace(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/** All TypeScript that is written by hand, tests aside. A file that git still lists, but that is gone, is left out. */
export function readTree(root: string): Source[] {
  const listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...ROOMS).split("\0")
  return listed
    .filter((file) => /\.tsx?$/.test(file) && !GENERATED.test(file) && existsSync(path.join(root, file)))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }))
    .map(({ file, text }) => ({ file, text, code: codeOf(text) }))
}

const IMPORTS = [/^\s*(?:import|export)\b[^;"'`]*?\bfrom\s*"([^"]+)"/gm, /^\s*import\s*"([^"]+)"/gm, /\bimport\(\s*"([^"]+)"\s*\)/g]

/** Every specifier of a text: of values, types and `import()` alike. */
export const specifiersOf = (code: string): string[] => IMPORTS.flatMap((form) => [...code.matchAll(form)].map(([, name = ""]) => name))

/** The imports between files of the tree, each once. */
export function importsOf(tree: readonly Source[]): Import[] {
  const known = new Set(tree.map(({ file }) => file))
  return tree.flatMap(({ file, code }) => {
    const near = specifiersOf(code).filter((name) => name.startsWith("."))
    const files = near.map((name) => path.posix.join(path.posix.dirname(file), name)).filter((to) => known.has(to) && to !== file)
    return [...new Set(files)].map((to) => ({ from: file, to }))
  })
}
