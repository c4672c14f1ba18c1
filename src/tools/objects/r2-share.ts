// r2.share: makes an expiring link to a workspace file or a shared file [T24]. Anyone with the link can read the file, so in a tainted
// session the call counts as leaving the run [G11].

import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { parseDuration } from "../../core/text/duration.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { objectsOf } from "./object-text.ts"
import { pathOf, string } from "../files/workspace-file.ts"

const HOUR = 3600
const WEEK = 7 * 24 * HOUR

export const r2Share: Tool = {
  name: "r2.share",
  label: "Share file",
  description: "Make an expiring link to a file of the workspace. Anyone with the link can download the file.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", maxLength: MAX_PATH_CHARS, description: "Path of the file in the workspace." },
      object_key: { type: "string", minLength: 1, maxLength: MAX_PATH_CHARS, description: "In place of path: the key of a shared file." },
      expiry: {
        type: "string",
        maxLength: 20,
        description: 'How long the link opens: "30m", "12h", "7d", or a number of seconds. Default: 1h; the longest is 7d.',
      },
    },
    additionalProperties: false,
  },
  effect: "write",
  // The key is derived from the content: a repeated call shares the same file under another link.
  idempotent: true,
  contexts: ["agent", "main"],
  groups: ["media"],
  paths: { read: ["path"] },
  reach: { method: { fixed: "POST" } },

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const objects = objectsOf(powers)
    if ((params["path"] === undefined) === (params["object_key"] === undefined)) throw new Error("give either path or object_key")
    const ttl = seconds(params["expiry"] === undefined ? undefined : string(params, "expiry"))
    let key: string
    if (params["object_key"] === undefined) {
      const path = pathOf(params)
      const entry = await powers.workspace.stat(path)
      const body = entry && (await powers.workspace.read(path))
      if (!entry || !body) throw new Error(`there is no file ${path}: use ls or find to see what there is`)
      const tainted = entry.tainted === true || powers.place?.tainted === true
      key = (await objects.keep("shared", path.slice(path.lastIndexOf("/") + 1), body, { tainted })).key
    } else {
      key = pathOf(params, "object_key")
      if ((await objects.get(key)) === undefined) throw new Error(`there is no shared file ${key}`)
    }
    const { url, expires } = await objects.link(key, ttl)
    const until = new Date(expires).toISOString()
    return text(`${url}\nAnyone who has this link can download the file until ${until}.`, { url, key, expires: until })
  },
}

function seconds(expiry: string | undefined): number {
  if (expiry === undefined) return HOUR
  const ms = /^\d{1,9}$/.test(expiry) ? Number(expiry) * 1000 : parseDuration(expiry)
  if (ms === undefined || ms < 1000) throw new Error('expiry must be a duration such as "30m", "12h" or "7d", or a number of seconds')
  if (ms > WEEK * 1000) throw new Error("a link opens for 7d at the longest")
  return Math.floor(ms / 1000)
}
