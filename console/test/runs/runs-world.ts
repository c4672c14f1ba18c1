// Starts runs for the checks of the list.

import type { World } from "../world.ts"

interface Row {
  readonly id: string
  readonly status: string
}

export interface Starting {
  start(task: string, flow?: string, more?: object): Promise<string>
  /** Waits until it is over or waits for somebody. */
  ended(id: string): Promise<string>
  /** Waits until the list has so many of a query. */
  listed(query: string, count: number): Promise<readonly Row[]>
}

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60))

export function starting({ api }: World): Starting {
  return {
    async start(task, flow = "assist", more = {}) {
      return ((await api("POST", `/v1/flows/${flow}/runs`, { task, ...more })) as Row).id
    },
    async ended(id) {
      for (;;) {
        const { status } = (await api("GET", `/v1/runs/${id}`)) as Row
        if (["succeeded", "failed", "canceled", "waiting"].includes(status)) return status
        await tick()
      }
    },
    async listed(query, count) {
      for (;;) {
        const { data } = (await api("GET", `/v1/runs?limit=200&${query}`)) as { readonly data: readonly Row[] }
        if (data.length === count) return data
        await tick()
      }
    },
  }
}
