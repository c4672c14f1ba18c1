// Finds the pages of the manual: the guide, operating, the flow language, and the fields of every kind of file. They are in this repository and,
// at almost the same places, in the package.

import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import { exists } from "../project/project.ts"
import { fieldPage } from "./field-page.ts"

export interface DocPage {
  /** What `sluice docs` takes: `steps`, `hook`, `triggers`. */
  readonly id: string
  readonly title: string
  readonly text: string
}

/** The first of each pair is where the package has it. */
const PLACES = {
  language: ["skills/sluice", "skills/flow-language"],
  schemas: ["schemas", "docs/schemas"],
} as const

export async function pagesIn(root: string): Promise<readonly DocPage[]> {
  const at = async ([packaged, own]: readonly [string, string]): Promise<string> =>
    path.join(root, (await exists(path.join(root, packaged))) ? packaged : own)
  const guide = await textsIn(path.join(root, "docs/guide"), ".md")
  const pages = await textsIn(path.join(root, "docs"), "OPERATING.md")
  const language = await textsIn(await at(PLACES.language), ".md")
  const schemas = await textsIn(await at(PLACES.schemas), ".json")
  return [
    ...guide.map(([name, text]) => page(name.replace(/^\d+-/, ""), text)),
    ...pages.map(([name, text]) => page(name.toLowerCase(), text)),
    ...language.map(([name, text]) => page(name === "SKILL" ? "flow-language" : name, withoutFrontmatter(text))),
    ...schemas.map(([name, text]) => page(name, fieldPage(name, JSON.parse(text) as Record<string, unknown>))),
  ]
}

const page = (id: string, text: string): DocPage => ({ id, text, title: /^#+ (?:\d+\. )?(.+)$/m.exec(text)?.[1]?.trim() ?? id })

const withoutFrontmatter = (text: string): string => text.replace(/^---\n[\s\S]*?\n---\n/, "")

/** Name without its ending → text. */
async function textsIn(folder: string, ending: string): Promise<readonly (readonly [string, string])[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(ending)).sort()
  return Promise.all(
    names.map(async (name) => [name.slice(0, name.lastIndexOf(".")), await readFile(path.join(folder, name), "utf8")] as const),
  )
}
