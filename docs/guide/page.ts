// A page of the guide as commands to type and output to expect. The page is the only source: there is no second copy of its commands.
//
//   ```sh server    typed where the server runs: ends the previous server, if there is one, and starts the next
//   ```sh           typed in the other terminal
//   ```sh refused   the same; the server refuses the last command
//   ```text, ```json  the answer to the previous block: its parts between "…" are in the output, in this order, whatever the spaces
//
// Blocks of other kinds (```console: it needs something that this machine may not have) are only for reading.

export interface Block {
  readonly kind: "server" | "shell" | "refused"
  /** The line of its first command, from 1. */
  readonly line: number
  readonly script: string
  readonly answer?: string
}

const KINDS: Readonly<Record<string, Block["kind"]>> = { "sh server": "server", sh: "shell", "sh refused": "refused" }

export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = []
  let open: { readonly info: string; readonly line: number; readonly text: string[] } | undefined
  let isAnswerable = false
  for (const [at, line] of markdown.split("\n").entries()) {
    if (open === undefined) {
      if (line.startsWith("```")) open = { info: line.slice(3).trim(), line: at + 2, text: [] }
      continue
    }
    if (line !== "```") {
      open.text.push(line)
      continue
    }
    const text = open.text.join("\n")
    const kind = KINDS[open.info]
    const last = blocks.at(-1)
    if (kind !== undefined) blocks.push({ kind, line: open.line, script: text })
    else if (isAnswerable && last !== undefined && (open.info === "text" || open.info === "json"))
      blocks[blocks.length - 1] = { ...last, answer: text }
    isAnswerable = kind !== undefined
    open = undefined
  }
  if (open !== undefined) throw new Error(`the block that begins at line ${open.line} has no end`)
  return blocks
}

/** The first part of the answer that is missing from the output at its position. */
export function missingPart(answer: string, output: string): string | undefined {
  const said = bare(output)
  let from = 0
  for (const part of answer.split("…")) {
    const at = said.indexOf(bare(part), from)
    if (at < 0) return part.trim()
    from = at + bare(part).length
  }
  return undefined
}

const bare = (text: string): string => text.replace(/\s+/g, "")

/** Words outside code blocks; text in tables and links counts. */
export const wordsOf = (markdown: string): number =>
  markdown
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/\]\([^)]*\)/g, "]")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length
