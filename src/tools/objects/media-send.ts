// media.send: gives people a file to download through an expiring link [T25]. It leaves the run, so a tainted session must ask first [G11].

import { normalizePath } from "../../core/text/path.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { bytesOf, DATA } from "./media-data.ts"
import { objectsOf } from "./object-text.ts"
import { string } from "../files/workspace-file.ts"

const DAY = 86_400

export const mediaSend: Tool = {
  name: "media.send",
  label: "Send file",
  description: "Hand a file to the people who follow the run: gives a link, good for a day, that shows in the run.",
  parameters: {
    type: "object",
    properties: {
      data: DATA,
      mimeType: { type: "string", pattern: "^[a-z]+/[A-Za-z0-9.+-]+$", maxLength: 100, description: 'What it is, such as "image/png".' },
      filename: {
        type: "string",
        minLength: 1,
        maxLength: 200,
        description: 'Name to save it under. Default: "file" with a fitting ending.',
      },
    },
    required: ["data", "mimeType"],
    additionalProperties: false,
  },
  effect: "write",
  idempotent: true,
  contexts: ["agent", "main"],
  groups: ["media"],
  reach: { method: { fixed: "POST" } },

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const objects = objectsOf(powers)
    const mimeType = string(params, "mimeType")
    const body = bytesOf(params)
    const filename = params["filename"] === undefined ? `file.${endingOf(mimeType)}` : nameOf(string(params, "filename"))
    const { key } = await objects.keep("media", filename, body, { contentType: mimeType, tainted: powers.place?.tainted === true })
    const { url, expires } = await objects.link(key, DAY)
    const details = { url, key, filename, mimeType, size: body.length, expires: new Date(expires).toISOString() }
    return text(`${filename} (${body.length} bytes) can be downloaded until ${details.expires}: ${url}`, details)
  },
}

function nameOf(filename: string): string {
  const path = normalizePath(filename)
  if (!path.ok) throw new Error(`filename: ${path.error}`)
  if (path.value.includes("/")) throw new Error("filename must be a name, without folders")
  return path.value
}

function endingOf(mimeType: string): string {
  const sub = mimeType.slice(mimeType.indexOf("/") + 1)
  return { jpeg: "jpg", mpeg: "mp3", plain: "txt", "svg+xml": "svg" }[sub] ?? (/^[A-Za-z0-9]{1,8}$/.test(sub) ? sub.toLowerCase() : "bin")
}
