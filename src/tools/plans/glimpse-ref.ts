// glimpseRef: the short summary of a value, made together with the reference [C22, C23, T40].

import { text, type Tool } from "../../ports/tool.ts"
import { foundOr, REFERENCE, referencesOf } from "./reference-name.ts"
import { string } from "../files/workspace-file.ts"

export const glimpseRef: Tool = {
  name: "glimpseRef",
  label: "Glimpse reference",
  description: "See a short summary of the value behind a reference {kind, id}, without the value itself.",
  parameters: REFERENCE,
  effect: "read",
  contexts: ["agent", "main"],
  private: true,

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const references = referencesOf(powers)
    const kind = string(params, "kind")
    const id = string(params, "id")
    const { glimpse, tainted } = await foundOr(await references.glimpse(kind, id), references, kind, id)
    const outcome = text(JSON.stringify({ kind, glimpse }), { kind, id, glimpse })
    return tainted === true ? { ...outcome, untrusted: true } : outcome
  },
}
