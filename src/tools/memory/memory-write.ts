// memory.write: adds an entry to the tenant's memory; existing entries never change [T23].

import { defined } from "../../core/defined.ts"
import { text, type Tool, type ToolPowers } from "../../ports/tool.ts"
import { memoryOf, NAMESPACE } from "./memory-shown.ts"
import { string } from "../files/workspace-file.ts"

export const memoryWrite: Tool = {
  name: "memory.write",
  label: "Remember",
  description:
    "Add an entry to a namespace of the memory that all runs share. Entries with one thought each are easiest to find; at most 64 KiB.",
  parameters: {
    type: "object",
    properties: {
      namespace: NAMESPACE,
      content: { type: "string", minLength: 1, maxLength: 65_536, description: "The text to remember." },
    },
    required: ["namespace", "content"],
    additionalProperties: false,
  },
  effect: "write",
  // The entry's id is the call's id [J11].
  idempotent: true,
  contexts: ["agent", "main"],
  groups: ["memory"],
  // Other runs read what it leaves, so for a session that read text from outside it counts as leaving the run [G11].
  reach: { to: { within: "tenant" }, method: { fixed: "POST" } },

  async execute(callId, params, _signal, _onUpdate, powers) {
    const namespace = string(params, "namespace")
    const { id, version } = await memoryOf(powers).write({
      namespace,
      content: string(params, "content"),
      tainted: powers.place?.tainted === true,
      source: placeName(powers),
      key: callName(powers, callId),
    })
    return text(`Remembered in ${namespace} as ${id}.`, { id, namespace, ...defined({ version }) })
  },
}

/** The id that makes repeated calls store one entry [J11]. */
export const callName = ({ place }: ToolPowers, callId: string): string =>
  place?.run === undefined ? `main/${callId}` : `${place.run}/${place.call ?? `${place.step ?? ""}/${callId}`}`

export function placeName({ place }: ToolPowers): string {
  return place?.run === undefined ? "main" : `${place.run}/${place.step ?? ""}`
}
