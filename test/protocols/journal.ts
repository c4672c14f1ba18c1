// A run's journal without what differs between two runs of the same events: times, ids and hashes, and how it was started.

import type { Place } from "./place.ts"

/** Members of events that are a run's own. */
const OWN: ReadonlySet<string> = new Set(["at", "prev", "hash", "expires", "digest", "request", "system", "conversation"])
/** Members of `run.started` that say who started it. */
const START: ReadonlySet<string> = new Set(["thread", "trigger", "session", "trace", "asker", "start"])

export async function journalOf({ url, key }: Place, run: string): Promise<string[]> {
  const lines: string[] = []
  for (let n = 0; n < 400; n++) {
    lines.length = 0
    for (let after = 0, more = true; more;) {
      const r = await fetch(`${url}/v1/runs/${run}/events?after=${after}&limit=500`, {
        headers: { authorization: `Bearer ${key}`, accept: "application/json" },
      })
      if (!r.ok) throw new Error(`the journal of ${run}: ${r.status}`)
      const { data } = (await r.json()) as { data: { seq: number; type: string }[] }
      for (const event of data)
        lines.push(JSON.stringify(event, (name, value: unknown) => own(event.type, name, value)).replaceAll(run, "RUN"))
      after = data.at(-1)?.seq ?? after
      more = data.length > 0
    }
    if (lines.at(-1)?.includes('"type":"run.ended"') === true) return lines
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`the run ${run} has not ended: ${lines.at(-1) ?? "it has no events"}`)
}

const own = (type: string, name: string, value: unknown): unknown =>
  OWN.has(name) || (type === "run.started" && START.has(name)) ? undefined : value
