// Converts the files of a request [F56] to the provider library's form: a label and the bytes, or a sentence in place of a file that the
// model does not take.

import { labelOf } from "../core/run/session/files/attachment.ts"
import type { Attachment } from "../core/run/event-parts.ts"
import { toBase64 } from "../core/text/base64url.ts"
import type { ModelRequest } from "../ports/model.ts"
import type { Takes } from "./sight.ts"

/** A piece of a message: text or a file. */
export type MessagePiece =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "file"
      readonly data: { readonly type: "data"; readonly data: string }
      readonly mediaType: string
      readonly filename?: string
    }

/** The display of files to one model. */
export interface Showing {
  readonly model: string
  readonly takes: Takes
  /** Hash → base64. */
  readonly bodies: ReadonlyMap<string, string>
}

/** Reads the files that the model takes, one after another: a body may be large. */
export async function showing({ model, messages, body }: ModelRequest, takes: Takes): Promise<Showing> {
  const bodies = new Map<string, string>()
  for (const message of messages) {
    for (const { hash, type } of message.role === "assistant" ? [] : (message.attached ?? [])) {
      if (bodies.has(hash) || !takes(type)) continue
      const bytes = await body?.(hash)
      if (bytes) bodies.set(hash, toBase64(bytes))
    }
  }
  return { model, takes, bodies }
}

export function piecesOf(files: readonly Attachment[] = [], to: Showing): MessagePiece[] {
  return files.flatMap((file): MessagePiece[] => {
    const data = to.bodies.get(file.hash)
    if (data === undefined) return [{ type: "text", text: insteadOf(file, to) }]
    const filename = file.path.slice(file.path.lastIndexOf("/") + 1)
    return [
      { type: "text", text: labelOf(file) },
      { type: "file", data: { type: "data", data }, mediaType: file.type, ...(file.type === "application/pdf" ? { filename } : {}) },
    ]
  })
}

function insteadOf({ path, type }: Attachment, { model, takes }: Showing): string {
  if (takes(type)) return `[${path} (${type}) is not shown: it is no longer stored]`
  const what = type === "application/pdf" ? "PDFs" : takes("image/png") ? `files of type ${type}` : "pictures"
  return `[${path} (${type}) is not shown: the model ${model} takes no ${what}. Go on without it; if the task needs it, say in your result that a model that takes ${what} must look at it]`
}

/** Joins a message of text alone into one piece: many servers accept no other form. */
export function joined(pieces: readonly MessagePiece[]): MessagePiece[] {
  return pieces.every((piece) => piece.type === "text")
    ? [{ type: "text", text: pieces.map(({ text }) => text).join("\n\n") }]
    : [...pieces]
}
