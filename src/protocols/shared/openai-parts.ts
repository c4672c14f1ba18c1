// Reads the content of a message in the form of OpenAI's APIs [P2, P3]: a text, or a list of parts: text, images and files.

import { isObject } from "../../core/json.ts"
import type { Said } from "../../core/run/event-parts.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Fault } from "../../http/middleware/problem.ts"
import type { Attachment } from "./attachments.ts"

/** Reads a boolean; `"true"` counts as `true`, as clients send it that build JSON from a form or an environment. */
export const isOn = (value: unknown): boolean => value === true || value === 1 || (typeof value === "string" && /^(?:true|1)$/i.test(value))

const ROLES: ReadonlyMap<unknown, Said["role"]> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["developer", "system"],
])

/** The role of a message; undefined: it is not part of the conversation. */
export const roleOf = (name: unknown): Said["role"] | undefined => ROLES.get(name)

export interface Parts {
  readonly text: string
  readonly attachments: readonly Attachment[]
}

export function partsOf(content: unknown, pointer: string): Result<Parts, Fault[]> {
  if (typeof content === "string") return ok({ text: content, attachments: [] })
  const attachments: Attachment[] = []
  let text = ""
  for (const [i, part] of (Array.isArray(content) ? (content as unknown[]) : []).entries()) {
    if (!isObject(part)) continue
    const { type } = part
    if (typeof part["text"] === "string" && (type === "text" || type === "input_text")) text += part["text"]
    else {
      const attached = attachmentOf(part, `${pointer}/${i}`)
      if (!attached.ok) return attached
      if (attached.value) attachments.push(attached.value)
    }
  }
  return ok({ text, attachments })
}

/** Chat Completions nests what Responses has in the part itself. undefined: a part that is left out. */
function attachmentOf(part: Readonly<Record<string, unknown>>, pointer: string): Result<Attachment | undefined, Fault[]> {
  const { type, image_url: image, file } = part
  if (type === "image_url" || type === "input_image") {
    const url = isObject(image) ? image["url"] : image
    if (typeof url === "string") return ok({ content: { url }, pointer })
    return err([{ pointer, message: "an image needs a data URL or an address: a provider's files cannot be read here" }])
  }
  if (type === "input_audio") return err([{ pointer, message: "a flow does not accept audio" }])
  const held = type === "input_file" ? part : type === "file" && isObject(file) ? file : undefined
  if (!held) return ok(undefined)
  const { file_data: data, file_url: url, filename } = held
  const name = typeof filename === "string" ? filename : undefined
  if (typeof data === "string") return ok({ name, content: /^(?:data:|https?:)/i.test(data) ? { url: data } : { base64: data }, pointer })
  if (typeof url === "string") return ok({ name, content: { url }, pointer })
  return err([{ pointer, message: "a file must include its data: a provider's files cannot be read here" }])
}

export const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  const parts = Array.isArray(content) ? (content as unknown[]) : []
  return parts.flatMap((part) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : [])).join("")
}
