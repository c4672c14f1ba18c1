// Reads the tracked sources: the text of each file, and the files that it imports.

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
  /** A file of the tree, or what is not one: the name of a package. */
  readonly to: string
  /** Nothing of it is there when the code runs. */
  readonly isType: boolean
}

const ROOMS = ["src", "console/app", "web", "cli", "local", "scripts", "bench", "package"]
const GENERATED = /\.gen\.ts$|(?:^|\/)(?:node_modules|built|templates)\//

export const git = (root: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 })

export const isIn = (file: string, ...folders: string[]): boolean => folders.some((folder) => file.startsWith(`${folder}/`))

const codeOf = (text: string): string => text.replace(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/** All handwritten TypeScript except tests. Deleted files that git still lists are left out. */
export function readTree(root: string): Source[] {
  const listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...ROOMS).split("\0")
  return listed
    .filter((file) => /\.tsx?$/.test(file) && !GENERATED.test(file) && existsSync(path.join(root, file)))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }))
    .map(({ file, text }) => ({ file, text, code: codeOf(text) }))
}

const STATEMENT = /^\s*(?:import|export)\b([^;"'`]*?)\bfrom\s*"([^"$]+)"/gm
const EFFECT = /^\s*import\s*"([^"$]+)"/gm
const CALL = /\bimport\(\s*"([^"$]+)"\s*\)/g

/** `type { … }`, or braces with types alone. */
const isType = (clause: string): boolean => /^\s*type\b/.test(clause) || /^\s*\{(?:\s*type\s[^,}]+,?)+\s*\}\s*$/.test(clause)

/** Every specifier of a text: of values, types and `import()` alike. */
export const specifiersOf = (code: string): Omit<Import, "from">[] => [
  ...[...code.matchAll(STATEMENT)].map(([, clause = "", to = ""]) => ({ to, isType: isType(clause) })),
  ...[EFFECT, CALL].flatMap((form) => [...code.matchAll(form)].map(([, to = ""]) => ({ to, isType: false }))),
]

/** The imports of a file, with the files of the tree by their paths. */
const importsIn = ({ file, code }: Source): Import[] =>
  specifiersOf(code).map(({ to, isType }) => ({
    from: file,
    to: to.startsWith(".") ? path.posix.join(path.posix.dirname(file), to) : to,
    isType,
  }))

export const allImports = (tree: readonly Source[]): Import[] => tree.flatMap(importsIn)

/** The imports between files of the tree. */
export function importsOf(tree: readonly Source[]): Import[] {
  const known = new Set(tree.map(({ file }) => file))
  return allImports(tree).filter(({ from, to }) => known.has(to) && to !== from)
}
