// Writes the answer of agent_write and flow_write, as JSON text and as details. A file with errors is not written, but the call does not
// fail: the author works with the diagnostics.

import { defined } from "../../core/defined.ts"
import { MAX_ARG_BYTES } from "../../core/schema/arg-value.ts"
import type { Json } from "../../core/json.ts"
import type { ToolSpec } from "../../core/tool/tool-spec.ts"
import type { Author, WriteResult } from "../../ports/tenant/catalog.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { string } from "../files/workspace-file.ts"

/** Content-addressed: repeating a write leaves the catalog unchanged [J11]. */
export function authorTool(
  spec: Pick<ToolSpec, "name" | "label" | "description"> & { readonly example: string; readonly format: string },
  put: (author: Author, path: string, content: string) => Promise<WriteResult>,
): Tool {
  return {
    name: spec.name,
    ...defined({ label: spec.label }),
    description: spec.description,
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, maxLength: 512, description: `Where the file goes, such as "${spec.example}".` },
        content: { type: "string", maxLength: MAX_ARG_BYTES, description: `The whole file: ${spec.format}.` },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    effect: "write",
    // A written file outlives the run and is run by others, so for a session that read text from outside it counts as leaving the run [G11].
    reach: { method: { fixed: "POST" } },
    idempotent: true,
    contexts: ["main", "architect"],

    async execute(_callId, params, _signal, _onUpdate, powers) {
      if (powers.author === undefined)
        throw new Error("the catalog is not open here: it needs role architect, or a key with scope catalog:write")
      const answer = seedShape(await put(powers.author, string(params, "path"), string(params, "content")))
      return text(JSON.stringify(answer, null, 2), answer)
    },
  }
}

/** `{written, path, diagnostics, error?}` and nothing else. */
function seedShape(result: WriteResult): Json {
  return JSON.parse(
    JSON.stringify({ written: result.written, path: result.path, diagnostics: result.diagnostics, ...defined({ error: result.error }) }),
  )
}
