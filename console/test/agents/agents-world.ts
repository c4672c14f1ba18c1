// What the pages of agents meet: an agent of one's own, in a step of a flow of its own, and runs of it.

import type { World } from "../world.ts"

export interface Staffed {
  /** Writes the agent. */
  agent(name: string, more?: { readonly head?: string; readonly description?: string; readonly body?: string }): Promise<void>
  skill(name: string, text: string): Promise<void>
  /** Writes a flow whose step `work` is the agent's, and which plays the scene. */
  flow(name: string, agent: string, scene: string): Promise<void>
  /** Runs the flow to its end. */
  run(flow: string, task?: string): Promise<string>
  textOf(path: string): Promise<string>
  count(): Promise<number>
}

export function staffed({ url, key, api }: World): Staffed {
  const put = async (place: string, body: string, type: string): Promise<void> => {
    const answer = await fetch(url + place, { method: "PUT", body, headers: { authorization: `Bearer ${key}`, "content-type": type } })
    if (!answer.ok) throw new Error(`${place}: ${answer.status} ${await answer.text()}`)
  }
  return {
    agent: (name, { head = "", description = `${name} looks at charges`, body = "Help with ${{task}}." } = {}) =>
      put(
        `/v1/agents/${name}`,
        `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\nmodel: scenes/m\ntools: [charges, refund]\n${head}---\n${body}\n`,
        "text/markdown",
      ),
    skill: (name, text) => put(`/v1/skills/${name}/SKILL.md`, text, "text/markdown"),
    flow: (name, agent, scene) =>
      put(
        `/v1/flows/${name}`,
        `name: ${name}\ndescription: Works.\nautonomous: false\nsteps:\n  - { id: work, type: agent, agent: ${agent}, task: "scene:${scene} \${{task}}" }\n`,
        "application/yaml",
      ),
    async run(flow, task = "the month") {
      const { id } = (await api("POST", `/v1/flows/${flow}/runs`, { task })) as { readonly id: string }
      for (;;) {
        const { status } = (await api("GET", `/v1/runs/${id}`)) as { readonly status: string }
        if (["succeeded", "failed", "canceled"].includes(status)) return id
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    async textOf(path) {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}`, accept: "text/markdown, text/*" } })
      return answer.ok ? answer.text() : `${answer.status}`
    },
    count: async () => ((await api("GET", "/v1/runs/counts")) as { readonly total: number }).total,
  }
}
