// edit: replaces exact text in a file of the workspace [T20]. The text must occur exactly once unless `replaceAll` is set:
// an edit in an unintended place is worse than an error.

import { MAX_ARG_BYTES } from "../../core/schema/arg-value.ts"
import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { text, type Tool, type ToolOutcome } from "../../ports/tool.ts"
import type { Workspace } from "../../ports/workspace.ts"
import { pathOf, readTextFile, string } from "./workspace-file.ts"

export const edit: Tool = {
  name: "edit",
  label: "Edit",
  description:
    "Replace exact text in a file of the workspace. oldText must occur in the file exactly once, white space included; if it does not, include more of the surrounding text, or set replaceAll.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", maxLength: MAX_PATH_CHARS, description: 'Path of the file in the workspace, such as "src/app.ts".' },
      oldText: {
        type: "string",
        minLength: 1,
        maxLength: MAX_ARG_BYTES,
        description: "The text to replace, exactly as it is in the file.",
      },
      newText: { type: "string", maxLength: MAX_ARG_BYTES, description: "The text to put in its place; empty to remove it." },
      replaceAll: { type: "boolean", description: "Replace every occurrence. Default: false." },
    },
    required: ["path", "oldText", "newText"],
    additionalProperties: false,
  },
  effect: "write",
  idempotent: true,
  contexts: ["main", "agent", "architect"],
  same: "edit",
  groups: ["fs"],
  // An edit reveals whether and how often a text occurs, so it counts as reading the file.
  paths: { read: ["path"], write: ["path"] },

  execute: (_callId, params, _signal, _onUpdate, powers) =>
    editFile(powers.workspace, pathOf(params), {
      oldText: string(params, "oldText"),
      newText: string(params, "newText"),
      all: params["replaceAll"] === true,
      names: { oldText: "oldText", newText: "newText", instead: ", or set replaceAll" },
    }),
}

interface Replacement {
  readonly oldText: string
  readonly newText: string
  readonly all: boolean
  /** The tool's argument names; `instead`: the alternative if the text occurs several times. */
  readonly names: { readonly oldText: string; readonly newText: string; readonly instead: string }
}

export async function editFile(workspace: Workspace, path: string, wish: Replacement): Promise<ToolOutcome> {
  const { names } = wish
  const file = await readTextFile(workspace, path)
  const { oldText, newText } = inLineEndingsOf(file.text, wish.oldText, wish.newText)
  if (oldText === newText) throw new Error(`${names.oldText} and ${names.newText} are the same: nothing would change`)

  const parts = file.text.split(oldText)
  const count = parts.length - 1
  if (count === 0) throw new Error(notFound(file.text, oldText, path, names.oldText))
  if (count > 1 && !wish.all) {
    const where = `${count} times in ${path} (lines ${linesOf(parts, oldText)})`
    throw new Error(`${names.oldText} occurs ${where}: include more of the text around the occurrence you mean${names.instead}`)
  }
  const body = new TextEncoder().encode(parts.join(newText))
  await workspace.write(path, body)
  return text(
    `replaced ${count} ${count === 1 ? "place" : "places"} in ${path} (${count === 1 ? "line" : "lines"} ${linesOf(parts, oldText)}; now ${body.length} bytes)`,
    { path, size: body.length, replaced: count },
  )
}

/** A model writes \n; an imported file may use \r\n throughout. */
function inLineEndingsOf(file: string, oldText: string, newText: string): { oldText: string; newText: string } {
  if (file.includes(oldText) || !file.includes("\r\n")) return { oldText, newText }
  const dressed = oldText.replaceAll(/\r?\n/g, "\r\n")
  return file.includes(dressed) ? { oldText: dressed, newText: newText.replaceAll(/\r?\n/g, "\r\n") } : { oldText, newText }
}

function notFound(file: string, oldText: string, path: string, name: string): string {
  const first = oldText
    .split("\n")
    .find((line) => line.trim() !== "")
    ?.trim()
  const line = first === undefined ? -1 : file.split("\n").findIndex((l) => l.includes(first))
  const hint = line === -1 ? "read the file again" : `its first line stands in line ${line + 1}, the rest or its white space differs`
  return `${name} is not in ${path}: ${hint}`
}

/** Line numbers of the first few occurrences. */
function linesOf(parts: readonly string[], oldText: string): string {
  const inOld = oldText.split("\n").length - 1
  const lines: number[] = []
  let line = 1
  for (const part of parts.slice(0, Math.min(parts.length - 1, 5))) {
    line += part.split("\n").length - 1
    lines.push(line)
    line += inOld
  }
  return lines.join(", ") + (parts.length - 1 > 5 ? ", …" : "")
}
