// The rules of order of a Responses stream, as OpenAI's stream helper needs them [P27].

import { isObject } from "../../../src/core/json.ts"
import type { PiFlowsFrame } from "../../../src/core/run/views/pi-flows.ts"

export interface OneStream {
  readonly id: string
  readonly frames: readonly PiFlowsFrame[]
}

/** The frames of each response. */
export function streamsOf(frames: readonly PiFlowsFrame[]): OneStream[] {
  const streams: { id: string; frames: PiFlowsFrame[] }[] = []
  for (const frame of frames) {
    const { response } = frame.data
    if (frame.event === "response.created") streams.push({ id: isObject(response) ? String(response["id"]) : "", frames: [] })
    streams.at(-1)?.frames.push(frame)
  }
  return streams
}

export const faultsOf = (frames: readonly PiFlowsFrame[]): string[] => {
  const streams = streamsOf(frames)
  const ids = streams.map(({ id }) => id)
  return [
    ...(new Set(ids).size === ids.length ? [] : [`an id comes twice: ${ids.join(" ")}`]),
    ...streams.flatMap((one, i) => faultsIn(one, i === streams.length - 1)),
  ]
}

function faultsIn({ id, frames }: OneStream, isLast: boolean): string[] {
  const wrong: string[] = []
  const items: { id: string; isDone: boolean; text: string }[] = []
  let ended = false
  for (const [i, { event, data }] of frames.entries()) {
    const said = `${id} ${i} ${event}`
    if (data["type"] !== event) wrong.push(`${said}: its type is another`)
    if (data["sequence_number"] !== i) wrong.push(`${said}: number ${String(data["sequence_number"])}`)
    if (ended) wrong.push(`${said}: after the end`)
    if (i === 0 && event !== "response.created") wrong.push(`${said}: first`)
    const at = data["output_index"]
    const item = isObject(data["item"]) ? data["item"] : undefined
    if (event === "response.output_item.added") {
      if (at !== items.length) wrong.push(`${said}: added at ${String(at)} of ${items.length}`)
      if (Array.isArray(item?.["content"] ?? item?.["summary"]) && (item?.["content"] ?? item?.["summary"])?.toString() !== "")
        wrong.push(`${said}: not empty`)
      items.push({ id: String(item?.["id"]), isDone: false, text: "" })
    } else if (typeof at === "number") {
      const open = items[at]
      if (!open || open.isDone) wrong.push(`${said}: of no open item`)
      else if (String(data["item_id"] ?? item?.["id"]) !== open.id) wrong.push(`${said}: of another item`)
      else if (event.endsWith(".delta")) open.text += String(data["delta"])
      else if (/(?:text|arguments)\.done$/.test(event) && (data["text"] ?? data["arguments"]) !== open.text)
        wrong.push(`${said}: "${open.text}" was told`)
      else if (event === "response.output_item.done") open.isDone = true
    } else if (/\.(?:completed|failed)$/.test(event)) {
      ended = true
      for (const open of items) if (!open.isDone) wrong.push(`${said}: ${open.id} is open`)
      const { response } = data
      const output = isObject(response) && Array.isArray(response["output"]) ? (response["output"] as { id: string }[]) : []
      if (output.map((one) => one.id).join(" ") !== items.map((one) => one.id).join(" ")) wrong.push(`${said}: other items than were told`)
    }
  }
  if (!ended && !isLast) wrong.push(`${id} has no end`)
  if (new Set(items.map((one) => one.id)).size !== items.length) wrong.push(`${id}: an item's id comes twice`)
  return wrong
}
