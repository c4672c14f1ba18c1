// Reads and writes the first line of a bundled handler [F24]: where the command line made it from, and which of its lines came from which.
//
// A bundle is stored at the path of the file it was made from, and is JavaScript whatever that path ends in. The line is a comment: it says
// where things are, and permits nothing but the larger size.

import { z } from "zod"

const MARK = "// sluice-bundle "

const Header = z.object({
  /** Files of the project in the bundle; the first is the handler's own. */
  files: z.array(z.string()),
  /** `name@version` of npm packages in the bundle. */
  packages: z.array(z.string()),
  /** Line of the bundle, index of the file, its line: from there both count on, until the next entry. -1: of no file of the project. */
  lines: z.array(z.tuple([z.int(), z.int(), z.int()])),
})
export type BundleHeader = z.output<typeof Header>

export const isBundle = (text: string): boolean => text.startsWith(MARK)

/** With the header as its first line, which `lines` count. */
export const withHeader = (header: BundleHeader, code: string): string => `${MARK}${JSON.stringify(header)}\n${code}`

/** undefined: the text is no bundle, or another program wrote its first line. */
export function headerOf(text: string): BundleHeader | undefined {
  if (!isBundle(text)) return undefined
  const end = text.indexOf("\n")
  try {
    const read = Header.safeParse(JSON.parse(text.slice(MARK.length, end < 0 ? text.length : end)))
    return read.success ? read.data : undefined
  } catch {
    return undefined
  }
}

/** The author's file and line that a line of the bundle came from, if it is of the project. */
export function sourceOf({ files, lines }: BundleHeader, line: number): { readonly file: string; readonly line: number } | undefined {
  const from = lines.findLast(([first]) => first <= line)
  const file = from === undefined ? undefined : files[from[1]]
  return from === undefined || file === undefined ? undefined : { file, line: from[2] + line - from[0] }
}
