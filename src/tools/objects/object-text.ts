// Reads a shared file as text [T24]: text files directly, documents through a model that reads them, other files only with `force`.

import type { ModelPowers, StoredObject, ToolPowers, Objects } from "../../ports/tool.ts"
import { decode } from "../files/workspace-file.ts"

export function objectsOf(powers: ToolPowers): Objects {
  if (powers.objects === undefined) throw new Error("there are no shared files here")
  return powers.objects
}

const WORD = "application/vnd.openxmlformats-officedocument"
/** By file extension; the media type counts too. */
const DOCUMENTS: readonly { readonly ending: string; readonly type: string; readonly what: string }[] = [
  { ending: ".pdf", type: "application/pdf", what: "a PDF document" },
  { ending: ".docx", type: `${WORD}.wordprocessingml.document`, what: "a Word document" },
  { ending: ".xlsx", type: `${WORD}.spreadsheetml.sheet`, what: "a spreadsheet" },
  { ending: ".odt", type: "application/vnd.oasis.opendocument.text", what: "an OpenDocument text" },
  { ending: ".ods", type: "application/vnd.oasis.opendocument.spreadsheet", what: "an OpenDocument spreadsheet" },
]

/** Throws with advice if the file holds no text. */
export async function textOf(key: string, file: StoredObject, models: ModelPowers | undefined, force: boolean): Promise<string> {
  const type = (file.contentType ?? "").split(";")[0]?.trim().toLowerCase()
  const document = DOCUMENTS.find((d) => d.type === type || key.toLowerCase().endsWith(d.ending))
  if (document !== undefined && models?.toMarkdown !== undefined)
    return models.toMarkdown({ name: key.slice(key.lastIndexOf("/") + 1), mimeType: document.type, body: file.body })
  const text = decode(file.body)
  if (text !== undefined && document === undefined) return text
  if (force) return new TextDecoder().decode(file.body).replaceAll("\0", "")
  if (document !== undefined)
    throw new Error(`${key} is ${document.what}: reading it needs Workers AI, and this instance is not bound to it (binding AI)`)
  throw new Error(`${key} is not text (${file.body.length} bytes of binary data): give force: true to take what text there is in it`)
}
