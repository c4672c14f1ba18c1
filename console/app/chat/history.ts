// What was said in a thread before: each ended run of it as the message that its clients got [P11]. A run that is live comes from the chat's stream.

import type { RunView } from "../../../src/core/run/views/view.ts"
import type { Said } from "../../../src/core/run/event-parts.ts"
import { newMessage, take, type ChatMessage, type Chunk } from "../../../web/chat/ui-message.ts"
import type { Api } from "../shell/session.ts"

/** Runs of a thread that are shown, the newest. */
const MAX_RUNS = 20
const PAGE = 1_000

export interface History {
  readonly messages: ChatMessage[]
  /** Runs of the thread that are not shown. */
  readonly isCut: boolean
}

export async function historyOf(api: Api, flow: string, thread: string): Promise<History> {
  const { data, next_cursor } = await api.runs.list({ flow, thread, limit: MAX_RUNS }).page()
  const parts = await Promise.all(data.toReversed().map(({ id }) => messagesOf(api, id)))
  return { messages: parts.flat(), isCut: next_cursor !== null }
}

async function messagesOf(api: Api, run: string): Promise<ChatMessage[]> {
  const view = await api.runs.get(run)
  const at = Date.parse(view.created)
  const asked = newMessage("user", `${run}-asked`, at)
  asked.parts.push({ type: "text", id: "text", text: await saidIn(api, view) })
  asked.status = "succeeded"
  if (view.ended === undefined) return [asked]
  const answer = newMessage("assistant", run, at)
  for (let after: string | null = "0"; after !== null;) {
    const page: Frames = await api.transport.json("GET", `/v1/runs/${run}/events`, { query: { format: "ui", after, limit: PAGE } })
    for (const { data } of page.data) take(answer, data)
    after = page.next_cursor
  }
  answer.took = Date.parse(view.ended) - at
  const { usd } = view.usage
  if (usd !== null) answer.metadata = { ...answer.metadata, usd }
  return [asked, answer]
}

interface Frames {
  readonly data: readonly { readonly data: Chunk }[]
  readonly next_cursor: string | null
}

const BEFORE = "Conversation so far:\n\n"

/** Whether the task begins with what was said before. */
export const hasHistory = (task: string): boolean => task.startsWith(BEFORE)

/** The person's own words: a task may have what was said before them [P2]. */
export async function saidIn(api: Api, { id, task }: RunView): Promise<string> {
  if (!hasHistory(task)) return task
  const { data } = await api.transport.json<{ readonly data: readonly { readonly conversation?: readonly Said[] }[] }>(
    "GET",
    `/v1/runs/${id}/events`,
    { query: { limit: 1 } },
  )
  const before = data[0]?.conversation?.map(({ role, text }) => `${role}: ${text}`).join("\n\n")
  const start = `${BEFORE}${before ?? ""}\n\nNow:\n\n`
  return task.startsWith(start) ? task.slice(start.length) : task
}
