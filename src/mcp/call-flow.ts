// tools/call of a flow [H12]: starts it, follows it while the client stays, answers with its last finish. A client that disconnects does
// not affect the run [J12].
//
// Questions to people go to the client if it can ask its user and the key may answer; otherwise the call ends
// with the status `waiting` and says where to answer.

import type { CallToolResult } from "@modelcontextprotocol/server"
import { z } from "zod"
import { isObject, type JsonObject } from "../core/json.ts"
import { asksPeople, type InteractionView, type RunView } from "../core/run/views/view.ts"
import { waitAhead } from "../core/start/start-wait.ts"
import type { McpCall } from "../ports/services.ts"
import type { RunPort } from "../ports/run.ts"
import { openQuestions } from "../engine/run/open-questions.ts"
import { errorText, refused } from "./call-tool.ts"
import { formOf, type Form } from "./question-form.ts"
import { eventsOf } from "./watch-run.ts"

export interface FlowQuestion {
  readonly asked: InteractionView
  readonly form: Form
}

/** The client on the other end of one call. */
export interface Client {
  readonly signal: AbortSignal
  progress(done: number, total: number | undefined, message: string): Promise<void>
  /** Called with the open questions whenever they change. A result ends the call. Absent: the client cannot ask anyone. */
  readonly ask?: (run: string, open: readonly FlowQuestion[]) => Promise<Ended | undefined>
}

export type Ended = CallToolResult | { readonly resultType: "input_required" }

const Started = z.object({ id: z.string() })

/** The run's id derives from `key`, so a repeated call finds the run. undefined: no such flow for this caller. */
export async function startFlow(call: McpCall, flow: string, body: JsonObject, key?: string): Promise<string | CallToolResult | undefined> {
  const headers = key === undefined ? undefined : { "idempotency-key": key }
  const answer = await call.ask("POST", `/v1/flows/${encodeURIComponent(flow)}/runs`, body, headers)
  if (answer.status === 404) return undefined
  return answer.ok ? Started.parse(await answer.json()).id : refused(answer)
}

export async function followRun(call: McpCall, run: string, client: Client): Promise<Ended> {
  const port = call.tenant.run(run)
  const first = await port.view()
  const total = Object.keys(first?.steps ?? {}).length
  let done = 0
  await client.progress(done, total, firstWord(run, first))
  for await (const event of eventsOf(port, client.signal)) {
    if (event.type === "step.finished" || event.type === "step.skipped") {
      done += 1
      // Repeated steps can exceed the number of steps; a total would then be wrong.
      await client.progress(done, done > total ? undefined : total, `${event.step}: ${short(event.summary ?? "skipped")}`)
    } else if (event.type.startsWith("interaction.") || event.type === "child.asked" || event.type === "run.waiting") {
      const ended = await waits(call, port, client)
      if (ended) return ended
    }
  }
  // A run may be over before anyone looked at the answer that let it go on: what the client still shows is taken back before the result.
  await client.ask?.(run, [])
  const view = await port.view()
  return view ? result(view) : errorText(`The run ${run} was deleted.`)
}

/** [R16] */
function firstWord(run: string, view: RunView | undefined): string {
  if (view?.status !== "queued") return `Run ${run} has started`
  return `Run ${run} waits${view.waiting ? ` for ${waitAhead(view.waiting)}` : ""}`
}

async function waits(call: McpCall, port: RunPort, client: Client): Promise<Ended | undefined> {
  const view = await port.view()
  if (!view || view.ended !== undefined) return undefined
  const pending = await openQuestions(call.tenant.run, view)
  const open = client.ask ? pending.flatMap((asked) => questions(asked)) : []
  const ended = await client.ask?.(view.id, open)
  if (ended) return ended
  // The run waits for an answer, and this client cannot ask anyone.
  return asksPeople(view) && pending.length > 0 && open.length === 0 ? waiting(call, view, pending) : undefined
}

export function questions(asked: InteractionView): FlowQuestion[] {
  const form = formOf(asked)
  return form ? [{ asked, form }] : []
}

/** [H12] isError unless the run succeeded: a waiting run has not. */
function waiting(call: McpCall, view: RunView, pending: readonly InteractionView[]): CallToolResult {
  const asked = pending.map((i) => {
    const { question, tool } = i.payload
    const words = typeof question === "string" ? `: ${short(question)}` : typeof tool === "string" ? `: ${tool}` : ""
    return `- ${i.kind} of the step ${i.step}${words}; answer with POST ${call.at(`/v1/runs/${i.run}/interactions/${i.id}`)}`
  })
  return {
    content: [
      {
        type: "text",
        text: `The run ${view.id} is waiting for a person.\n${asked.join("\n")}\nIt continues automatically once they are answered.`,
      },
    ],
    structuredContent: { run: view.id, status: view.status, output: null },
    isError: true,
  }
}

function result(view: RunView): CallToolResult {
  const { id, status, output = null, error } = view
  const text = error?.message ?? (finalSummary(view) || `The run ${id} is ${status}.`)
  return {
    content: [{ type: "text", text }],
    structuredContent: { run: id, status, output },
    ...(status === "succeeded" ? {} : { isError: true }),
  }
}

/** [H12] A flow with its own outputs returns them; the text is then the summary of the step that ended last. */
function finalSummary({ output, steps }: RunView): string {
  if (isObject(output) && typeof output["summary"] === "string" && output["summary"] !== "") return output["summary"]
  const ended = Object.values(steps).filter((s) => s.summary !== undefined && s.ended !== undefined)
  const last = ended.reduce<(typeof ended)[number] | undefined>((a, b) => ((a?.ended ?? "") > (b.ended ?? "") ? a : b), undefined)
  return last?.summary ?? ""
}

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 199)}…` : text)
