// ask_user over MCP [Q2, H12]: a question to a person of the tenant, outside any run. The client's user is asked if the client can ask;
// the inbox has the question either way, and the first answer counts.

import type { CallToolResult } from "@modelcontextprotocol/server"
import { z } from "zod"
import { defined } from "../core/defined.ts"
import type { JsonObject } from "../core/json.ts"
import { answerContent } from "../core/run/session/ask/interaction.ts"
import type { InteractionView } from "../core/run/views/view.ts"
import type { McpCall } from "../ports/services.ts"
import type { QuestionView } from "../ports/tenant/questions.ts"
import { questions, type Client, type Ended } from "./call-flow.ts"
import { refused } from "./call-tool.ts"

export const ASK = "ask_user"
/** Stands where a question of a run has the run's id. */
const OUTSIDE = "outside:"
/** Milliseconds of one wait at the tenant's object. */
const ONE_WAIT = 20_000

const Asked = z.object({ interaction: z.object({ id: z.string() }) })

export const outsideId = (run: string): string | undefined => (run.startsWith(OUTSIDE) ? run.slice(OUTSIDE.length) : undefined)

/** A question outside a run, in the form of a run's question. */
export const viewOf = (question: QuestionView): InteractionView => ({ ...question, run: `${OUTSIDE}${question.id}`, step: "" })

/** `run`: what a repeated call continues, from its state. */
export async function askPerson(
  call: McpCall,
  args: JsonObject,
  client: Pick<Client, "signal" | "ask">,
  { run, key }: { readonly run?: string; readonly key?: string },
): Promise<Ended> {
  let id = run === undefined ? undefined : outsideId(run)
  if (id === undefined) {
    const answer = await call.ask("POST", `/v1/tools/${ASK}`, args, defined({ "idempotency-key": key }))
    if (answer.status !== 202) return refused(answer)
    id = Asked.parse(await answer.json()).interaction.id
  }
  const { questions: port } = call.tenant
  for (let seen = await port.find(id); seen !== undefined; seen = await port.wait(id, ONE_WAIT)) {
    const view = viewOf(seen)
    const open = seen.status === "pending" ? questions(view) : []
    const ended = await client.ask?.(view.run, open)
    if (seen.answer !== undefined) return answered(seen)
    if (ended) return ended
    if (open.length === 0 || client.ask === undefined || client.signal.aborted) return waiting(call, seen)
  }
  return { content: [{ type: "text", text: `The question ${id} no longer exists.` }], isError: true }
}

const answered = ({ id, answer = {} }: QuestionView): CallToolResult => ({
  content: answerContent(answer).map((part) => ({ ...part })),
  structuredContent: { question: id, status: "answered", answer },
})

/** [H12] isError: a question that waits is not answered. */
const waiting = (call: McpCall, { id, status }: QuestionView): CallToolResult => ({
  content: [
    {
      type: "text",
      text: `The question ${id} waits for a person, who answers it with POST ${call.at(`/v1/interactions/${id}`)}. Read the resource sluice://questions/${id} later for the answer; do not ask again.`,
    },
  ],
  structuredContent: { question: id, status, answer: null },
  isError: true,
})
