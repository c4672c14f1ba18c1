// A tenant's runs once they come to rest: a working run would look different each time.

import type { Sluice } from "../../src/client/sluice.ts"

const RESTS: ReadonlySet<string> = new Set(["succeeded", "failed", "canceled", "waiting"])

/** All of them are over, or wait for an answer. */
export async function untilAtRest(client: Sluice): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { data } = await client.runs.list({ children: 1 }).page()
    if (data.every(({ status }) => RESTS.has(status))) return
    await new Promise((wake) => setTimeout(wake, 100))
  }
  throw new Error("its runs do not come to rest")
}

/** The run asked: its question, and the handle of a result too long for its model. */
export async function untilAsked(client: Sluice, run: string): Promise<{ interaction: string; handle: string }> {
  let handle = ""
  for await (const event of client.runs.events(run)) {
    if (event.type === "tool.returned") handle = event.truncated?.handle ?? handle
    if (event.type === "interaction.asked") return { interaction: event.id, handle }
  }
  throw new Error("the run ended without asking")
}
