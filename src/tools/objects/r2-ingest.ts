// r2.ingest: copies a shared file into the memory in searchable pieces [T24]. Text from outside stays marked as such [G11].

import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { chunks } from "../../core/text/chunks.ts"
import { normalizePath } from "../../core/text/path.ts"
import type { JsonObject } from "../../core/json.ts"
import { NO_SECRETS } from "../../core/secrets/redact.ts"
import { Breath } from "../../ports/breath.ts"
import { text, type Tool, type ToolPowers } from "../../ports/tool.ts"
import { memoryOf, NAMESPACE } from "../memory/memory-shown.ts"
import { callName } from "../memory/memory-write.ts"
import { objectsOf, textOf } from "./object-text.ts"
import { integer, string } from "../files/workspace-file.ts"

const DEFAULT_CHARS = 200_000
export const MOST_CHARS = 1_000_000 // limit: characters taken of a shared file → the call is refused: `invalid_args`
/** Breath's measure of a character that is cut into entries and stored. */
const CUT_WORK = 10
export const FORCE = {
  type: "boolean",
  description: "Take whatever text a binary file contains. Default: false, which refuses binary files.",
} as const

export const r2Ingest: Tool = {
  name: "r2.ingest",
  label: "Ingest file",
  description: "Copy the text of a shared file into the memory, in pieces that memory.search can find.",
  parameters: {
    type: "object",
    properties: {
      object_key: {
        type: "string",
        minLength: 1,
        maxLength: MAX_PATH_CHARS,
        description: 'Key of the shared file, such as "reports/2026.md".',
      },
      namespace: { ...NAMESPACE, description: 'Namespace of the memory it goes to. Default: "knowledge".' },
      mode: {
        type: "string",
        enum: ["append", "replace"],
        description: "Add to the namespace, or replace its content. Default: append.",
      },
      max_chars: {
        type: "integer",
        minimum: 1,
        maximum: MOST_CHARS,
        description: `Characters to take from the start. Default: ${DEFAULT_CHARS}.`,
      },
      force: FORCE,
    },
    required: ["object_key"],
    additionalProperties: false,
  },
  effect: "write",
  idempotent: true,
  contexts: ["agent", "main"],
  groups: ["memory"],
  // Other runs read what it leaves, so for a session that read text from outside it counts as leaving the run [G11].
  reach: { to: { within: "tenant" }, method: { fixed: "POST" } },
  timeout: 120_000,

  async execute(callId, params, _signal, _onUpdate, powers) {
    const key = string(params, "object_key")
    const namespace = params["namespace"] === undefined ? "knowledge" : string(params, "namespace")
    const done = await ingest(powers, {
      key,
      namespace,
      replaces: params["mode"] === "replace",
      maxChars: integer(params, "max_chars") ?? DEFAULT_CHARS,
      force: params["force"] === true,
      callId,
    })
    const cut = done.chars < done.total ? ` of ${done.total}; the rest was left out (max_chars)` : ""
    return text(`${key}: ${done.entries} entries in ${namespace}, ${done.chars} characters${cut}.`, {
      key,
      namespace,
      ...done,
    } satisfies JsonObject)
  },
}

export type Ingested = { readonly entries: number; readonly chars: number; readonly total: number; readonly tainted: boolean }

interface Ingest {
  readonly key: string
  readonly namespace: string
  readonly replaces: boolean
  readonly maxChars: number
  readonly force: boolean
  readonly callId: string
}

export async function ingest(powers: ToolPowers, wish: Ingest): Promise<Ingested> {
  const memory = memoryOf(powers)
  const path = normalizePath(wish.key)
  if (!path.ok) throw new Error(path.error)
  const key = path.value
  const file = await objectsOf(powers).get(key)
  if (file === undefined) throw new Error(`there is no shared file ${key}`)
  // A secret that is cut into two entries would be known in neither [T32].
  const redactor = powers.redactor?.() ?? NO_SECRETS
  const breath = new Breath()
  const whole = await breath.through(redactor.pieces(await textOf(key, file, powers.models, wish.force)))
  const taken = whole.slice(0, wish.maxChars)
  const pieces = await breath.compute(taken.length * CUT_WORK, () => chunks(taken).filter((piece) => piece.trim() !== ""))
  if (pieces.length === 0) throw new Error(`${key} holds no text`)
  // A session that has read text from outside chose the content and the namespace.
  const tainted = file.tainted || powers.place?.tainted === true
  const source = `object ${key}`
  if (wish.replaces) await memory.replace(wish.namespace, pieces, tainted, source)
  else await memory.append(wish.namespace, pieces, { tainted, source, key: `${callName(powers, wish.callId)}/${key}` })
  return { entries: pieces.length, chars: Math.min(whole.length, wish.maxChars), total: whole.length, tainted }
}
