// Starts a run over the HTTP API and follows its stream to the end: nothing here that any other client could not do.

import { z } from "zod"
import { Envelope, Fact } from "../src/core/run/event.ts"
import type { Frame } from "./show-run.ts"
import { Trouble } from "./trouble.ts"

export interface Api {
  readonly url: string
  readonly key: string
}

const Started = z.object({ id: z.string() })
const Delta = z.object({ type: z.literal("model.delta"), step: z.string(), turn: z.number(), text: z.string() })
const Progress = z.object({ type: z.literal("tool.progress"), step: z.string(), callId: z.string(), tool: z.string(), content: z.json() })
const Transient = z.discriminatedUnion("type", [Delta, Progress])

/** Answers the run's id. */
export async function startRun(api: Api, flow: string, body: Readonly<Record<string, unknown>>): Promise<string> {
  const answer = await fetch(`${api.url}/v1/flows/${encodeURIComponent(flow)}/runs`, {
    method: "POST",
    headers: { authorization: `Bearer ${api.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Trouble(`the flow "${flow}" does not start (${answer.status}): ${text.slice(0, 2_000)}`)
  return Started.parse(JSON.parse(text)).id
}

/** Yields every journal event once and in order, transient frames between them; ends after `run.ended`. */
export async function* followRun(api: Api, id: string): AsyncGenerator<Frame> {
  let after = 0
  for (let failures = 0; ; failures++) {
    try {
      const answer = await fetch(`${api.url}/v1/runs/${id}/events?after=${after}`, {
        headers: { authorization: `Bearer ${api.key}`, accept: "text/event-stream" },
      })
      if (answer.status === 204) return
      if (!answer.ok || answer.body === null) throw new Error(`GET /v1/runs/${id}/events: ${answer.status} ${await answer.text()}`)
      for await (const data of sseData(answer.body)) {
        const frame = parseFrame(data)
        if (frame === undefined) continue
        if ("seq" in frame) {
          if (frame.seq <= after) continue
          after = frame.seq
          failures = 0
        }
        yield frame
        if (frame.type === "run.ended") return
      }
    } catch (error) {
      if (failures >= 5) throw error
    }
    await new Promise((wake) => setTimeout(wake, 200)) // cut off, or closed early: go on from `after`
  }
}

/** The `data:` of each SSE message; comments and other fields are passed over. */
export async function* sseData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let buffer = ""
  for await (const chunk of body) {
    buffer = (buffer + decoder.decode(chunk, { stream: true })).replaceAll("\r\n", "\n")
    for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
      const message = buffer.slice(0, end)
      buffer = buffer.slice(end + 2)
      const data = message
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).replace(/^ /, ""))
      if (data.length > 0) yield data.join("\n")
    }
  }
}

/** undefined: an event of a later version, which this view passes over. */
export function parseFrame(data: string): Frame | undefined {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return undefined
  }
  const fact = Fact.safeParse(value)
  const envelope = Envelope.safeParse(value)
  if (fact.success && envelope.success) return { ...fact.data, ...envelope.data }
  const transient = Transient.safeParse(value)
  return transient.success ? transient.data : undefined
}
