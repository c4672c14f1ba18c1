// Writes the support application as its author would: path → text.

import type { Town } from "./town.ts"

const operation = (id: string, summary: string, where: string, more: object): object => ({
  operationId: id,
  summary,
  parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" }, description: `Of the ${where}.` }],
  responses: { "200": { description: "Done." } },
  ...more,
})
const bodyOf = (name: string, type: string): object => ({
  requestBody: {
    required: true,
    content: { "application/json": { schema: { type: "object", required: [name], properties: { [name]: { type } } } } },
  },
})

export const shopDocument = (port: number): string =>
  JSON.stringify(
    {
      openapi: "3.1.0",
      info: { title: "Shop", version: "1" },
      servers: [{ url: `http://127.0.0.1:${port}` }],
      paths: {
        "/orders/{id}": { get: operation("getOrder", "Reads an order.", "order", {}) },
        "/orders/{id}/refunds": { post: operation("createRefund", "Refunds an order.", "order", bodyOf("amount", "number")) },
        "/tickets/{id}/reply": { post: operation("reply", "Answers a ticket.", "ticket", bodyOf("text", "string")) },
      },
    },
    null,
    2,
  )

/** Before the first `dev`: what the server on this machine may reach. */
export const settingsOf = (town: Town): Readonly<Record<string, string>> => ({ ".dev.vars": `ALLOWED_PRIVATE_HOSTS=${town.hosts}\n` })

export const applicationOf = ({ ports }: Town): Readonly<Record<string, string>> => ({
  "providers/house.yaml": `kind: openai-compatible\nbaseUrl: http://127.0.0.1:${ports.model}/v1\nkey: { secret: house }\n`,
  "roles.yaml": "default: house/mock-1\nfast: house/mock-1\n",
  "prices.yaml": "house/mock-1: { input: 1, output: 2 }\n",
  "budget.yaml": "usd: 50\n",
  "tools/shop.openapi.json": shopDocument(ports.shop),
  "tools/shop.yaml": "openapi: shop.openapi.json\nprefix: shop.\nauth: { scope: shop }\n",
  "agents/sorter.md": `---
name: sorter
description: Sorts a ticket.
model: "@fast"
tools: []
inputs: [text]
outputs:
  - { name: topic, type: string, pattern: "^(refund|question)$" }
  - { name: order, type: string }
---
You sort tickets. Say the topic of this one, and the order that it is about.

\${{input.text}}
`,
  "agents/clerk.md": `---
name: clerk
description: Refunds what a customer is owed.
model: "@fast"
tools: shop.getOrder, shop.createRefund
tool_approvals:
  shop.createRefund: { kind: dynamic, value: "args.body.amount > 100" }
effects: { after_untrusted: allow }
inputs: [order]
outputs:
  - { name: amount, type: number }
---
You are the clerk. Look at order \${{input.order}}, refund its total, and finish with the amount.
`,
  "agents/writer.md": `---
name: writer
description: Writes to the customer.
model: "@fast"
tools: []
outputs:
  - { name: reply, type: string }
---
You write to customers. Write two friendly sentences.
`,
  "flows/support.yaml": `name: support
description: Answers a ticket, and refunds what is owed.
inputs:
  ticket: { type: string, required: true }
  text: { type: string, required: true }
budget: { usd: 1 }
steps:
  - { id: sort, type: agent, agent: sorter, inputs: { text: "\${{flow.input.text}}" } }
  - { id: route, type: code-decision, inputs: { topic: "\${{result.sort.topic}}" }, outputs: [], branches: { refund: refund, question: answer } }
  - { id: refund, type: agent, agent: clerk, inputs: { order: "\${{result.sort.order}}" } }
  - { id: answer, type: agent, agent: writer, task: Answer the question. }
  - { id: write, type: agent, agent: writer, blockedBy: [refund, answer], task: Write to the customer. }
  - { id: reply, type: tool, tool: shop.reply, effects: { after_untrusted: allow },
      args: { id: "\${{flow.input.ticket}}", body: { text: "\${{result.write.reply}}" } } }
outputs:
  reply: "\${{result.write.reply}}"
  refunded: "\${{result.refund.amount}}"
  said: "\${{result.answer.reply ?? result.write.reply}}"
`,
  "code/support/route.ts": `import type { Handler } from "sluice"
import { branchOf } from "../../lib/topics.ts"

export default (({ topic }) => ({ branch: branchOf(topic) })) satisfies Handler<"support/route">
`,
  "lib/topics.ts": `export const branchOf = (topic: unknown): "refund" | "question" => (topic === "refund" ? "refund" : "question")\n`,
  "flows/support.rehearsal.yaml": `steps:
  sort:
    - finish: { status: complete, summary: Sorted., topic: refund, order: B2 }
  refund:
    - calls: [{ tool: shop.getOrder, args: { id: B2 }, result: '{"id": "B2", "total": 140}' }]
    - calls: [{ tool: shop.createRefund, args: { id: B2, body: { amount: 140 } }, result: '{"done": true}' }]
    - finish: { status: complete, summary: Refunded., amount: 140 }
  write:
    - finish: { status: complete, summary: Written., reply: You get 140 back. }
`,
  "tests/support.test.yaml": `cases:
  - name: above 100 a person approves
    inputs: { ticket: T-1, text: Please refund order B2. }
    answers: [{ decision: approve }]
    expect:
      status: succeeded
      output: { refunded: 140, reply: You get 140 back. }
      branches: { route: refund }
      steps: { answer: { status: skipped } }
  - name: a person refuses
    inputs: { ticket: T-1, text: Please refund order B2. }
    answers: [{ decision: reject, feedback: Offer a voucher. }]
    expect:
      status: succeeded
      steps: { refund: { called: [shop.getOrder] } }
  - name: a question is answered
    inputs: { ticket: T-2, text: When do you open? }
    rehearsal:
      sort:
        - finish: { status: complete, summary: Sorted., topic: question, order: "" }
    expect:
      status: succeeded
      branches: { route: question }
      steps: { refund: { status: skipped } }
`,
  "hooks/tickets.yaml": `flow: support
kind: hmac
header: x-desk-signature
secret: desk
filter: action == "opened"
dedupe: \${{trigger.body.id}}
mapping: { inputs: { ticket: "\${{trigger.body.id}}", text: "\${{trigger.body.text}}" } }
budget: { usd: 0.20 }
`,
  "hooks/slack.yaml": `flow: support
kind: slack
secret: slack
mapping: { inputs: { ticket: "\${{trigger.body.event_id}}", text: "\${{trigger.body.event.text}}" } }
`,
  "schedules/nightly.yaml": `flow: support
cron: "0 2 * * *"
zone: Europe/Berlin
inputs: { ticket: nightly, text: Does the till work? }
overlap: skip
`,
  "callbacks/desk.yaml": `url: http://127.0.0.1:${ports.desk}/done\nevents: [run.succeeded, run.failed, run.waiting]\nsecret: callback\n`,
  "policy.yaml": "tools: { deny: [bash] }\n",
  "cors.yaml": `origins: ["http://127.0.0.1:${ports.desk}"]\n`,
})

/** Name → value. */
export const SECRETS: Readonly<Record<string, string>> = {
  house: "key-of-the-model",
  shop: "key-of-the-shop",
  desk: "word-of-the-desk",
  slack: "word-of-slack",
  callback: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3",
}
