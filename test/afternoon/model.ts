// Plays the model of the support application: sorts a ticket, refunds an order with two calls, writes a reply.

interface Message {
  readonly role: string
  readonly content?: string | readonly { readonly text?: string }[] | null
}
export interface Asked {
  readonly model: string
  readonly messages: readonly Message[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}
interface Made {
  readonly name: string
  readonly args: object
}

const USAGE = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 }

/** The chunks of its answer. */
export function replyTo(asked: Asked): readonly object[] {
  const chunk = (delta: object, reason: string | null = null, more: object = {}): object => ({
    id: "reply",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: asked.model,
    choices: [{ index: 0, delta, finish_reason: reason }],
    ...more,
  })
  const { name, args } = callOf(asked)
  const call = { index: 0, id: `call-${asked.messages.length}`, type: "function", function: { name, arguments: JSON.stringify(args) } }
  return [chunk({ role: "assistant", content: "" }), chunk({ tool_calls: [call] }), chunk({}, "tool_calls", { usage: USAGE })]
}

function callOf({ messages, tools = [] }: Asked): Made {
  const text = messages.map(textOf).join("\n")
  const answers = messages.filter(({ role }) => role === "tool").map(textOf)
  const offered = (part: string): string | undefined => tools.map((one) => one.function.name).find((name) => name.includes(part))
  const order = /order ([A-Z]\d+)/.exec(text)?.[1] ?? "A1"
  if (text.includes("You sort tickets.")) {
    const topic = text.includes("refund") ? "refund" : "question"
    return finish({ topic, order })
  }
  if (text.includes("You are the clerk.")) {
    const amount = Number(/"total":\s*(\d+)/.exec(answers.join("\n"))?.[1] ?? 0)
    const [look, pay] = [offered("getOrder"), offered("createRefund")]
    if (answers.length === 0 && look !== undefined) return { name: look, args: { id: order } }
    if (answers.length === 1 && pay !== undefined) return { name: pay, args: { id: order, body: { amount } } }
    return finish({ amount: answers.join("\n").includes("done") ? amount : 0 })
  }
  return finish({ reply: text.includes("Be brief.") ? "Done." : "Dear customer, we have looked into it." })
}

const finish = (outputs: object): Made => ({ name: "finish", args: { status: "complete", summary: "Done.", ...outputs } })

const textOf = ({ content }: Message): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("")
