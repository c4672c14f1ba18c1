// Reads an agent's `context_files` through its own view of the workspace [F50, G7]. Text from outside stands between delimiters, in
// the user's message, and taints the session [G11], like a file that the agent reads itself.

import { MAX_CONTEXT_BYTES, type ContextRead } from "../../core/run/session/context-files.ts"
import { pointer } from "../../core/run/session/apart.ts"
import type { Workspace } from "../../ports/workspace.ts"
import { asOutside } from "./call/outside-text.ts"

export interface ContextParts {
  readonly workspace: Workspace
  /** Files from outside stand in the user's message, and not in the system prompt. */
  readonly apart: boolean
  /** Fresh for each text from outside. */
  nonce(): string
}

export async function readContext(
  paths: readonly string[],
  { workspace, apart, nonce }: ContextParts,
): Promise<Omit<ContextRead, "private">> {
  const sections: string[] = []
  const outside: string[] = []
  const files: { path: string; hash: string; size: number }[] = []
  const faults: string[] = []
  let left = MAX_CONTEXT_BYTES
  let isTainted = false
  for (const path of paths) {
    const entry = await workspace.stat(path)
    const body = entry && (await workspace.read(path))
    const text = body && textOf(body.subarray(0, left), body.byteLength > left)
    if (!entry || !body || text === undefined) {
      faults.push(`the context file ${path} ${entry ? "is not text" : "does not exist, or the agent may not read it"}; it is left out`)
      continue
    }
    const rest = body.byteLength - left
    const whole = rest > 0 ? `${text}\n[${rest} bytes left out: read the file]` : text
    const [shown] =
      entry.tainted === true ? asOutside([{ type: "text", text: whole }], nonce(), path) : [{ type: "text" as const, text: whole }]
    isTainted ||= entry.tainted === true
    left = Math.max(0, left - body.byteLength)
    const said = shown?.type === "text" ? shown.text.trimEnd() : ""
    const isApart = apart && entry.tainted === true
    if (isApart) outside.push(said)
    sections.push(`## ${path}\n\n${isApart ? pointer(path) : said}`)
    files.push({ path, hash: entry.hash, size: entry.size })
  }
  return {
    text: sections.join("\n\n"),
    ...(outside.length > 0 ? { outside: outside.join("\n\n") } : {}),
    files,
    faults,
    ...(isTainted ? { tainted: true } : {}),
  }
}

/** undefined: not text. `isCut`: the last character may be incomplete. */
function textOf(body: Uint8Array, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body, { stream: isCut })
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}
