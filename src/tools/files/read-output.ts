// read_output: a range of a truncated output [T5]. A session gets this tool with its first truncated result.

import { text, type Tool } from "../../ports/tool.ts"
import { integer, string } from "./workspace-file.ts"

const DEFAULT_LIMIT = 32 * 1024
/** Outputs are smaller; a model that writes a larger number has made a mistake. */
const MAX_OFFSET = 1_000_000_000 // limit: first byte to read → the call is refused: `invalid_args`
/** Below the truncation limits, so that reading a truncated output is never truncated again. */
const MOST = 48 * 1024 // limit: bytes of a part of an output → the call is refused: `invalid_args`
const MOST_LINES = 1_900 // limit: lines of a part of an output → the part ends there

export const readOutput: Tool = {
  name: "read_output",
  label: "Read output",
  description: "Read a part of a tool output that was cut, by the handle that the notice names.",
  parameters: {
    type: "object",
    properties: {
      handle: { type: "string", minLength: 1, maxLength: 256, description: "The handle from the notice." },
      offset: { type: "integer", minimum: 0, maximum: MAX_OFFSET, description: "First byte to read. Default: 0." },
      limit: { type: "integer", minimum: 1, maximum: MOST, description: `How many bytes to read. Default: ${DEFAULT_LIMIT}.` },
    },
    required: ["handle"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["agent", "architect"],
  truncate: "head",

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const handle = string(params, "handle")
    const body = await powers.outputs?.read(handle)
    if (body === undefined) throw new Error(`there is no kept output "${handle}" in this run`)
    const offset = integer(params, "offset") ?? 0
    if (offset >= body.length && offset > 0) throw new Error(`the output has ${body.length} bytes: there is nothing at ${offset}`)
    const from = nextChar(body, offset)
    const wanted = lastChar(body, Math.min(body.length, offset + (integer(params, "limit") ?? DEFAULT_LIMIT)))
    // At least one character, however small the limit, so that reading makes progress.
    const to = withinLines(body, from, Math.max(wanted, nextChar(body, from + 1)))
    const part = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(body.subarray(from, to))
    const more = to < body.length ? `\n[bytes ${from} to ${to} of ${body.length}; go on with offset ${to}]` : ""
    return text(part + more, { handle, from, to, total: body.length })
  },
}

// Never half a character: a boundary moves to where a character begins. A continuation byte is 10xxxxxx.
const inside = (body: Uint8Array, at: number): boolean => at < body.length && ((body[at] ?? 0) & 0xc0) === 0x80

function nextChar(body: Uint8Array, at: number): number {
  let i = Math.min(at, body.length)
  while (inside(body, i)) i++
  return i
}

function lastChar(body: Uint8Array, at: number): number {
  let i = at
  while (i > 0 && inside(body, i)) i--
  return i
}

function withinLines(body: Uint8Array, from: number, to: number): number {
  let lines = 0
  for (let i = from; i < to; i++) if (body[i] === 10 && ++lines === MOST_LINES) return i + 1
  return to
}
