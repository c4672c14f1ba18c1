// Puts the document of an OpenAPI tool into its file, where the project has it as a file of its own: `openapi: shop.openapi.json`. What is
// stored is the whole document, because a revision must not change; each line of the file keeps its number.

import { readFile, realpath } from "node:fs/promises"
import path from "node:path"

const LINE = /^openapi:[ \t]*(["']?)([^\s"'{}|>#]+\.(?:json|ya?ml))\1[ \t]*(#.*)?\r?$/m

/** `file`: the tool's path in the project. A path is from the project, or from the tool's folder. */
export async function withDocument(folder: string, file: string, text: string): Promise<string> {
  const [line, , name = ""] = LINE.exec(text) ?? []
  if (line === undefined) return text
  for (const from of [folder, path.dirname(path.join(folder, file))]) {
    const document = await readIn(folder, path.resolve(from, name))
    if (document !== undefined) return text.replace(line, () => `openapi: ${JSON.stringify(document)}`)
  }
  return text
}

/** The texts as their authors wrote them, for excerpts: with the name of a document, not the document. */
export async function asAuthored(folder: string, texts: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
  const all = await Promise.all(
    [...texts].map(async ([name, text]) => {
      if (!name.startsWith("tools/") || !/^openapi: "/m.test(text)) return [name, text] as const
      const own = await readFile(path.join(folder, name), "utf8").catch(() => text)
      return [name, (await withDocument(folder, name, own)) === text ? own : text] as const
    }),
  )
  return new Map(all)
}

/** The document in lines of its own, for comparisons: as one long line it would be one difference. */
export function unfolded(text: string): string {
  return text.replace(/^openapi: (".*")$/m, (line, quoted: string) => {
    try {
      return `openapi: |\n${inLines(String(JSON.parse(quoted))).replace(/^(?=.)/gm, "  ")}`
    } catch {
      return line
    }
  })
}

function inLines(document: string): string {
  if (document.trim().includes("\n") || !document.startsWith("{")) return document.trimEnd()
  return JSON.stringify(JSON.parse(document), undefined, 2)
}

/** Only a file of the project is read, also through links: one from outside may be anybody's. */
async function readIn(folder: string, file: string): Promise<string | undefined> {
  const [root, target] = await Promise.all([folder, file].map((one) => realpath(one).catch(() => undefined)))
  if (root === undefined || target === undefined) return undefined
  const inside = path.relative(root, target)
  if (inside.startsWith("..") || path.isAbsolute(inside)) return undefined
  return readFile(target, "utf8").catch(() => undefined)
}
