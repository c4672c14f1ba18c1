// resolveRef: the whole value behind a reference [C22, C23, T40].

import { text, type Tool } from "../../ports/tool.ts"
import { foundOr, REFERENCE, referencesOf } from "./reference-name.ts"
import { string } from "../files/workspace-file.ts"

export const resolveRef: Tool = {
  name: "resolveRef",
  label: "Resolve reference",
  description: "Get the whole value behind a reference {kind, id}. It may be large: when a summary will do, use glimpseRef.",
  parameters: REFERENCE,
  effect: "read",
  contexts: ["agent", "main"],
  private: true,
  glimpse: true,
  truncate: "head",

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const references = referencesOf(powers)
    const kind = string(params, "kind")
    const id = string(params, "id")
    const { value, glimpse, tainted } = await foundOr(await references.resolve(kind, id), references, kind, id)
    const outcome = text(JSON.stringify({ kind, value, glimpse }), { kind, id, glimpse })
    return tainted === true ? { ...outcome, untrusted: true } : outcome
  },
}
