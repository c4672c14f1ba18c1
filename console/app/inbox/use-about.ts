// What a person wants to know before they answer: the run, what the agent said with its call, and what was asked before.

import type { Asked as Ask } from "../../../src/api/doc/run/interactions.doc.ts"
import type { InteractionView, RunView } from "../../../src/core/run/views/view.ts"
import { fields, text } from "../../../web/chat/ui-message.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

export interface About {
  readonly view?: RunView | undefined
  readonly said?: string | undefined
  readonly before?: readonly InteractionView[] | undefined
}

/** Pages of a long conversation that are read for its end. */
const MAX_PAGES = 20
const MAX_BEFORE = 3

/** Each stands beside the question; without it the question can be answered all the same. */
export function useAbout(api: Api, ask: Ask): About {
  const { run, id } = ask
  const step = ask.run === null ? undefined : ask.step
  const callId = text(ask.payload["callId"])
  const about = ["once", "about", run, id] as const
  const view = useAsked([...about, "view"], async () => (run === null ? undefined : api.runs.get(run)))
  const said = useAsked([...about, "said"], async () => (run === null || step === undefined ? undefined : saidWith(api, run, step, callId)))
  const before = useAsked([...about, "before"], async () => (run === null ? undefined : earlier(api, run, id)))
  return { view: view.value, said: said.value, before: before.value }
}

async function saidWith(api: Api, run: string, step: string, callId: string | undefined): Promise<string | undefined> {
  const messages = api.runs.messages(run, step)
  let last: string | undefined
  let cursor: string | undefined
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const { data, next_cursor } = await messages.page(cursor)
    for (const message of data) {
      if (message["role"] !== "assistant") continue
      const calls = Array.isArray(message["toolCalls"]) ? message["toolCalls"] : []
      const said = text(message["text"])?.trim()
      if (callId === undefined || calls.some((call) => fields(call)["id"] === callId)) last = said
    }
    if (next_cursor === null) break
    cursor = next_cursor
  }
  return last === "" ? undefined : last
}

async function earlier(api: Api, run: string, id: string): Promise<readonly InteractionView[]> {
  const rows = await api.runs.interactions(run, "answered").all()
  return rows.filter((one) => one.id !== id).slice(-MAX_BEFORE)
}
