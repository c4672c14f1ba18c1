// Runs of the flow that goes around.

import { aroundFlow } from "./run-world.ts"
import type { World } from "../world.ts"

/** Writes the flow, starts a run of it and waits for its end. */
export async function aroundRun(world: World, last: "write-up" | "fails" = "write-up"): Promise<string> {
  const name = last === "fails" ? "around-fails" : "around"
  const answer = await fetch(`${world.url}/v1/flows/${name}`, {
    method: "PUT",
    body: aroundFlow(name, last),
    headers: { authorization: `Bearer ${world.key}`, "content-type": "text/yaml" },
  })
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
  const { id } = (await world.api("POST", `/v1/flows/${name}/runs`, { task: "The charges of November." })) as { readonly id: string }
  for (;;) {
    const { status } = (await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }
    if (status === "succeeded" || status === "failed") return id
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
