// k8s.deployments: deployments and how many of their replicas are ready, up to date and available [T25].

import { text, type Tool } from "../../ports/tool.ts"
import { count, K8S, listOf, LISTS, part, pathOf, queryOf, table, word } from "./k8s-api.ts"

export const k8sDeployments: Tool = {
  ...K8S,
  ...LISTS,
  name: "k8s.deployments",
  label: "Deployments",
  description: "List deployments of the Kubernetes cluster: replicas wanted, ready, up to date, available.",

  async execute(_callId, { namespace, selector }, signal, _onUpdate, powers) {
    const path = pathOf("/apis/apps/v1", "deployments", namespace) + queryOf({ labelSelector: selector, limit: 500 })
    const { items, url } = await listOf(path, powers, signal)
    const rows = items.map((deployment) => {
      const status = part(deployment, "status")
      const wanted = part(deployment, "spec")["replicas"]
      return {
        namespace: word(part(deployment, "metadata")["namespace"]),
        name: word(part(deployment, "metadata")["name"]),
        // Kubernetes defaults to one replica.
        ready: `${count(status["readyReplicas"])}/${typeof wanted === "number" ? wanted : 1}`,
        upToDate: count(status["updatedReplicas"]),
        available: count(status["availableReplicas"]),
      }
    })
    const shown = table(
      ["NAMESPACE", "NAME", "READY", "UP-TO-DATE", "AVAILABLE"],
      rows.map((row) => [row.namespace, row.name, row.ready, String(row.upToDate), String(row.available)]),
    )
    return { ...text(rows.length === 0 ? "[there are no deployments]" : shown, rows), source: url }
  },
}
