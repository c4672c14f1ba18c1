// What the quality pages meet: a judge of three levels that gives the middle one, a scorer of code, and runs that ended.

import type { World } from "../world.ts"
import { LEVELS } from "./quality-scenes.ts"

const scorer = (name: string, about: string, rest: object): string => JSON.stringify({ name, description: about, ...rest })

export interface Quality {
  /** Writes the scorers once. */
  ready(): Promise<void>
  /** A run that ended. */
  ended(task?: string): Promise<string>
  scored(run: string, scorer: string): Promise<void>
}

let written: Promise<void> | undefined

export function qualityOf(world: World): Quality {
  const put = async (name: string, text: string): Promise<void> => {
    const answer = await fetch(`${world.url}/v1/scorers/${name}`, {
      method: "PUT",
      body: text,
      headers: { authorization: `Bearer ${world.key}`, "content-type": "application/yaml" },
    })
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
  }
  const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60))
  const ready: Quality["ready"] = () =>
    (written ??= (async () => {
      const judge = { rubric: "Judge the reply to the customer.", levels: LEVELS, model: "scenes/judge-half" }
      await put("helpful", scorer("helpful", "Does the reply solve the problem, with nothing made up?", { judge }))
      await put("polite", scorer("polite", "Is the tone calm and friendly?", { expect: { status: "succeeded" } }))
    })())
  return {
    ready,
    async ended(task = "scene:hello") {
      await ready()
      const { id } = (await world.api("POST", "/v1/flows/assist/runs", { task })) as { readonly id: string }
      for (;;) {
        const { status } = (await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }
        if (status === "succeeded") return id
        if (status !== "running" && status !== "queued") throw new Error(`${id} is ${status}`)
        await tick()
      }
    },
    async scored(run, name) {
      await world.api("POST", `/v1/runs/${run}/scores`, { scorers: [name] })
      for (;;) {
        const { scores } = (await world.api("GET", `/v1/runs/${run}/scores`)) as { readonly scores: readonly { readonly scorer: string }[] }
        if (scores.some((one) => one.scorer === name)) return
        await tick()
      }
    },
  }
}
