// What the failures page meets: flows whose second step fails until a later revision mends it.

import type { World } from "./world.ts"

export interface Group {
  readonly key: string
  readonly flow: string
  readonly count: number
  readonly status: string
  readonly runs: readonly string[]
}

export interface Failing {
  /** Writes the flow; its second step plays the scene. */
  write(flow: string, scene: string): Promise<void>
  /** Starts so many runs, and waits until all are in a group of the flow. */
  fail(flow: string, times: number): Promise<Group>
  group(flow: string): Promise<Group | undefined>
  /** Waits until the run is over. */
  over(run: string): Promise<string>
}

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))

export function failing({ url, key, api }: World): Failing {
  const groups = async (flow: string): Promise<readonly Group[]> =>
    ((await api("GET", `/v1/failures?flow=${flow}`)) as { readonly data: readonly Group[] }).data
  /** The one that was seen last. */
  const group: Failing["group"] = async (flow) => (await groups(flow))[0]
  const counted = async (flow: string): Promise<number> => (await groups(flow)).reduce((sum, { count }) => sum + count, 0)
  const over: Failing["over"] = async (run) => {
    for (;;) {
      const { status } = (await api("GET", `/v1/runs/${run}`)) as { readonly status: string }
      if (["succeeded", "failed", "canceled"].includes(status)) return status
      await tick()
    }
  }
  return {
    group,
    over,
    async write(flow, scene) {
      const body = `name: ${flow}\ndescription: Looks, then writes.\nautonomous: false\nsteps:\n  - { id: look, type: agent, agent: helper, task: "scene:hello" }\n  - { id: write, type: agent, agent: helper, blockedBy: look, task: "scene:${scene}" }\n`
      const answer = await fetch(`${url}/v1/flows/${flow}`, {
        method: "PUT",
        body,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/yaml" },
      })
      if (!answer.ok) throw new Error(`${flow}: ${answer.status} ${await answer.text()}`)
    },
    async fail(flow, times) {
      const had = await counted(flow)
      const runs = await Promise.all(
        Array.from({ length: times }, async (_, at) => {
          const { id } = (await api("POST", `/v1/flows/${flow}/runs`, { task: `Orders of week ${at + 1}` })) as { readonly id: string }
          return id
        }),
      )
      for (const run of runs) if ((await over(run)) !== "failed") throw new Error(`${run} of ${flow} has not failed`)
      for (;;) {
        const found = await group(flow)
        if (found && (await counted(flow)) >= had + times) return found
        await tick()
      }
    },
  }
}
