// Finds what the manual says about some words: a page by its name, else the places that have all of them, headings first. Pure.

import type { DocPage } from "./doc-pages.ts"

export interface Place {
  readonly page: string
  /** The heading above the line. */
  readonly heading: string
  readonly line: string
}

export function pageNamed(pages: readonly DocPage[], words: readonly string[]): DocPage | undefined {
  const id = words
    .join("-")
    .toLowerCase()
    .replace(/\.(?:md|ya?ml|json)$/, "")
  return (
    pages.find((one) => one.id === id) ?? pages.find((one) => one.id === id.replace(/s$/, "")) ?? pages.find((one) => one.id === `${id}s`)
  )
}

/** One place for each section that has all the words; those that have them in their heading come first. */
export function placesOf(pages: readonly DocPage[], words: readonly string[]): readonly Place[] {
  const wanted = words.map((word) => word.toLowerCase())
  const has = (text: string): boolean => wanted.every((word) => text.toLowerCase().includes(word))
  const found = pages.flatMap(({ id, title, text }) =>
    sectionsOf(text, title).flatMap(({ heading, lines }) => {
      const inHeading = has(heading)
      if (!inHeading && !has(lines.join("\n"))) return []
      const line = lines.find(has) ?? lines.find((one) => wanted.some((word) => one.toLowerCase().includes(word))) ?? lines[0] ?? ""
      return [{ rank: inHeading ? 0 : 1, place: { page: id, heading, line: line.trim() } }]
    }),
  )
  return found.toSorted((a, b) => a.rank - b.rank).map(({ place }) => place)
}

function sectionsOf(text: string, title: string): readonly { readonly heading: string; readonly lines: readonly string[] }[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: title, lines: [] }]
  let isCode = false
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode
    const heading = isCode ? undefined : /^#{1,4} (.+)$/.exec(line)?.[1]
    if (heading !== undefined) sections.push({ heading, lines: [] })
    else if (line.trim() !== "") sections.at(-1)?.lines.push(line)
  }
  return sections
}
