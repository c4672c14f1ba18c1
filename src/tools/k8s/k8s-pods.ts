// k8s.pods: the pods of a namespace or of the cluster, how many of their containers are ready, how often they were restarted [T25].

import { text, type Tool } from "../../ports/tool.ts"
import { count, K8S, list, listOf, LISTS, part, pathOf, queryOf, table, word } from "./k8s-api.ts"

export const k8sPods: Tool = {
  ...K8S,
  ...LISTS,
  name: "k8s.pods",
  label: "Pods",
  description: "List pods of the Kubernetes cluster: ready containers, phase, restarts, node.",

  async execute(_callId, { namespace, selector }, signal, _onUpdate, powers) {
    const path = pathOf("/api/v1", "pods", namespace) + queryOf({ labelSelector: selector, limit: 500 })
    const { items, url } = await listOf(path, powers, signal)
    const rows = items.map((pod) => {
      const states = list(part(pod, "status"), "containerStatuses")
      const ready = states.filter((state) => state["ready"] === true).length
      const total = Math.max(states.length, list(part(pod, "spec"), "containers").length)
      const waits = states.map((state) => word(part(part(state, "state"), "waiting")["reason"])).find((reason) => reason !== "")
      return {
        namespace: word(part(pod, "metadata")["namespace"]),
        name: word(part(pod, "metadata")["name"]),
        ready: `${ready}/${total}`,
        status: waits ?? word(part(pod, "status")["phase"]),
        restarts: states.reduce((sum, state) => sum + count(state["restartCount"]), 0),
        node: word(part(pod, "spec")["nodeName"]),
      }
    })
    const shown = table(
      ["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "NODE"],
      rows.map((row) => [row.namespace, row.name, row.ready, row.status, String(row.restarts), row.node]),
    )
    return { ...text(rows.length === 0 ? "[there are no pods]" : shown, rows), source: url }
  },
}
