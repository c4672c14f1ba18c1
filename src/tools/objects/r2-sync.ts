// r2.sync: copies all shared files under a prefix into the memory, each into its own namespace below one base [T24].

import { messageOf } from "../../core/text/fault-text.ts"
import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { NAMESPACE } from "../memory/memory-shown.ts"
import { objectsOf } from "./object-text.ts"
import { FORCE, ingest, MOST_CHARS, type Ingested } from "./r2-ingest.ts"
import { integer, string } from "../files/workspace-file.ts"

/** A Worker request may make 1,000 subrequests; a file costs two, plus one for each 32 pieces if a model is bound. */
const MOST_OBJECTS = 200 // limit: shared files of one call → the call is refused: `invalid_args`
const DEFAULT_OBJECTS = 50
const DEFAULT_CHARS = 50_000

export const r2Sync: Tool = {
  name: "r2.sync",
  label: "Sync files",
  description: "Copy all shared files under a prefix into the memory, each into its own namespace: BASE/ plus the key after the prefix.",
  parameters: {
    type: "object",
    properties: {
      prefix: {
        type: "string",
        maxLength: MAX_PATH_CHARS,
        description: 'What the keys begin with, such as "reports/". Empty: all shared files.',
      },
      namespace_base: { ...NAMESPACE, maxLength: 100, description: 'What the namespaces begin with. Default: "knowledge".' },
      mode: {
        type: "string",
        enum: ["append", "replace"],
        description: "Add to each namespace, or replace its content with the file. Default: replace.",
      },
      max_objects: {
        type: "integer",
        minimum: 1,
        maximum: MOST_OBJECTS,
        description: `How many files at most. Default: ${DEFAULT_OBJECTS}.`,
      },
      max_chars_per_object: {
        type: "integer",
        minimum: 1,
        maximum: MOST_CHARS,
        description: `Characters to take from the start of each file. Default: ${DEFAULT_CHARS}.`,
      },
      after: { type: "string", maxLength: MAX_PATH_CHARS, description: "Continue after this key: the `next` of an earlier call." },
      force: FORCE,
    },
    required: ["prefix"],
    additionalProperties: false,
  },
  effect: "write",
  idempotent: true,
  contexts: ["agent", "main"],
  groups: ["memory"],
  // Other runs read what it leaves, so for a session that read text from outside it counts as leaving the run [G11].
  reach: { to: { within: "tenant" }, method: { fixed: "POST" } },
  timeout: 300_000,

  async execute(callId, params, signal, _onUpdate, powers) {
    const prefix = string(params, "prefix")
    const base = params["namespace_base"] === undefined ? "knowledge" : string(params, "namespace_base")
    const most = integer(params, "max_objects") ?? DEFAULT_OBJECTS
    const after = params["after"] === undefined ? undefined : string(params, "after")
    const found = await objectsOf(powers).list(prefix, most + 1, after)
    const synced: ({ readonly key: string; readonly namespace: string } & Ingested)[] = []
    const failed: { readonly key: string; readonly message: string }[] = []
    const taken = found.slice(0, most)
    for (const { key } of taken) {
      if (signal.aborted) throw new Error(`stopped after ${synced.length} files`)
      const namespace = `${base}/${key.startsWith(prefix) && key !== prefix ? key.slice(prefix.length).replace(/^\/+/, "") : key}`
      const wish = {
        key,
        namespace,
        replaces: params["mode"] !== "append",
        maxChars: integer(params, "max_chars_per_object") ?? DEFAULT_CHARS,
        force: params["force"] === true,
        callId,
      }
      try {
        synced.push({ key, namespace, ...(await ingest(powers, wish)) })
      } catch (error) {
        // An unreadable file does not stop the others.
        failed.push({ key, message: messageOf(error, "failed") })
      }
    }
    const next = found.length > most ? (found[most - 1]?.key ?? null) : null
    const lines = [
      `${synced.length} of ${synced.length + failed.length} files taken into ${base}.`,
      ...synced.map((s) => `- ${s.key} → ${s.namespace}: ${s.entries} entries`),
      ...failed.map((f) => `- not taken: ${f.message}`),
      ...(next === null ? [] : [`There are more: go on with after: ${JSON.stringify(next)}`]),
    ]
    const outcome = text(lines.join("\n"), { synced, failed, next })
    if (taken.length === 0) return outcome
    // Each key is named, whether its file was taken or not, and whoever chose it may have chosen it as an order [G11].
    const isOutside = taken.some(({ tainted }) => tainted)
    return { ...outcome, private: true, ...(isOutside ? { source: "shared files", untrusted: true } : {}) }
  },
}
