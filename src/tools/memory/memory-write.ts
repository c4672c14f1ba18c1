// memory.write: one more entry of the tenant's memory; nothing that stands there is changed [T23].

import { text, type Tool, type ToolPowers } from "../../ports/tool.ts"
import { memoryOf, NAMESPACE } from "./memory-shown.ts"
import { string } from "../files/workspace-file.ts"

export const memoryWrite: Tool = {
  name: "memory.write",
  label: "Remember",
  description: "Add an entry to a namespace of the memory that all runs share. One thought an entry is found best; 64 KiB are the most.",
  parameters: {
    type: "object",
    properties: {
      namespace: NAMESPACE,
      content: { type: "string", minLength: 1, maxLength: 65_536, description: "What is to be remembered, as text." },
    },
    required: ["namespace", "content"],
    additionalProperties: false,
  },
  effect: "write",
  // The entry is kept under the call's id [J11].
  idempotent: true,
  contexts: ["agent", "main"],
  groups: ["memory"],

  async execute(callId, params, _signal, _onUpdate, powers) {
    const namespace = string(params, "namespace")
    const { id, version } = await memoryOf(powers).write({
      namespace,
      content: string(params, "content"),
      tainted: powers.place?.tainted === true,
      source: placeName(powers),
      key: callName(powers, callId),
    })
    return text(`Remembered in ${namespace} as ${id}.`, { id, namespace, ...(version === undefined ? {} : { version }) })
  },
}

/** Under which an entry is kept once, however often its call is made [J11]. */
export const callName = ({ place }: ToolPowers, callId: string): string =>
  place?.run === undefined ? `main/${callId}` : `${place.run}/${place.call ?? `${place.step ?? ""}/${callId}`}`

export function placeName({ place }: ToolPowers): string {
  return place?.run === undefined ? "main" : `${place.run}/${place.step ?? ""}`
}
