// Reads the walk of the guide: a table of deeds, each with what a reader does, what is seen then, and how many clicks and keys that takes. The page
// is the only source.

import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const PAGE = fileURLToPath(new URL("../../../docs/guide/15-the-console.md", import.meta.url))
const HEAD = "| at | task | do | then you see | clicks and keys | in November |"

export interface Act {
  readonly how: "click" | "press" | "type" | "paste"
  readonly what: string
}

export interface Deed {
  /** The page where it begins; empty: where the last one ended. */
  readonly at: string
  readonly deed: string
  readonly acts: readonly Act[]
  readonly sees: string
  /** As the page says. A text that is typed or pasted counts as one. */
  readonly count: number
  /** Undefined: it was impossible. */
  readonly before: number | undefined
}

export function readWalk(text = readFileSync(PAGE, "utf8")): readonly Deed[] {
  const lines = text.split("\n")
  const first = lines.indexOf(HEAD)
  if (first < 0) throw new Error(`docs/guide/15-the-console.md has no table ${HEAD}`)
  const end = lines.findIndex((line, at) => at > first && !line.startsWith("|"))
  return lines.slice(first + 2, end).map((line) => {
    const [at = "", deed = "", does = "", sees = "", count = "", before = ""] = line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
    const acts = [...does.matchAll(/(click|press|type|paste) (?:\*([^*]+)\*|`([^`]+)`)/g)].map(([, how = "", words, code]): Act => ({
      how: how as Act["how"],
      what: (words ?? code ?? "").replaceAll(String.raw`\|`, "|"),
    }))
    return {
      at,
      deed,
      acts,
      sees: sees.replaceAll(/^`|`$/g, ""),
      count: Number(count),
      before: before === "impossible" ? undefined : Number(before),
    }
  })
}
