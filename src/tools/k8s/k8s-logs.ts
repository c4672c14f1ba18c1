// k8s.logs: the last log lines of a container [T25]. Logs can repeat any input of the program, so they are text from outside.

import { text, type Tool } from "../../ports/tool.ts"
import { askCluster, K8S, NAME, queryOf, word } from "./k8s-api.ts"

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

export const k8sLogs: Tool = {
  ...K8S,
  name: "k8s.logs",
  label: "Logs",
  description: "Read the last log lines of a pod's container.",
  parameters: {
    type: "object",
    properties: {
      pod: { ...NAME, description: "The pod's name." },
      namespace: { ...NAME, description: 'Default: "default".' },
      container: { ...NAME, description: "Required if the pod has several." },
      lines: { type: "integer", minimum: 1, maximum: 10_000, description: "How many lines from the end. Default: 100." },
      since: { type: "string", pattern: "^[0-9]{1,6}[smhd]$", description: "Only lines this young, such as 10m or 1h." },
    },
    required: ["pod"],
    additionalProperties: false,
  },

  async execute(_callId, { pod, namespace, container, lines, since }, signal, _onUpdate, powers) {
    const query = queryOf({
      container,
      tailLines: typeof lines === "number" ? lines : 100,
      sinceSeconds: typeof since === "string" ? Number.parseInt(since, 10) * (UNITS[since.at(-1) ?? "s"] ?? 1) : undefined,
    })
    const place = typeof namespace === "string" ? namespace : "default"
    const answer = await askCluster(`/api/v1/namespaces/${place}/pods/${word(pod)}/log${query}`, powers, signal)
    return { ...text(answer.text.whole() || "[no lines]"), source: answer.url }
  },
}
