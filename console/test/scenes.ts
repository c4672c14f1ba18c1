// What the model plays for the browser: a conversation with a tool, an approval, a question, a failure and an answer in Markdown; and one in
// which every text of a model or a tool is an attack on the page.

import { finish, type Turn } from "./model.ts"

/** Each is a whole attack: markup, an event handler, a script's address, a style, an address for CSS. */
export const ATTACKS = [
  `<img src=x onerror="alert(1)">`,
  `<script>alert(2)</script>`,
  `"><svg onload=alert(3)>`,
  `[go](javascript:alert(4))`,
  `![i](http://evil.invalid/pixel.png)`,
  `<style>@import url(http://evil.invalid/x.css)</style>`,
  `<iframe srcdoc="<script>parent.alert(5)</script>"></iframe>`,
  `\${alert(6)}{{constructor.constructor('alert(7)')()}}`,
  `http://evil.invalid/"onmouseover="alert(8)`,
  `\u202ereversed\u202c`,
]
export const ATTACK = ATTACKS.join("\n\n")
const flat = ATTACKS.join(" ")

const MARKDOWN = `It is true. **Two charges** of $49.00 on *November 3*, 40 seconds apart:

1. \`ch_3QF1kT\` belongs to invoice 4471
2. \`ch_3QF1kV\` belongs to nothing

## What I did

> The second one is refunded.

\`\`\`json
{ "charge": "ch_3QF1kV", "amount": 4900 }
\`\`\`

See [the invoice](https://billing.example/invoices/4471) or https://status.example.`

export const SCENES: Readonly<Record<string, readonly Turn[]>> = {
  hello: [{ calls: [finish("Hello to you.")] }],
  remember: [{ calls: [finish("I remember what was said.")] }],
  tools: [
    {
      text: "Let me look at the charges.",
      calls: [
        { tool: "charges", args: { id: "cus_QK21" } },
        { tool: "export_all", args: { what: "everything" } },
      ],
    },
    { text: "I compare them.", gate: "compare", calls: [{ tool: "charges", args: { id: "cus_QK22" } }] },
    { calls: [finish(MARKDOWN)] },
  ],
  approve: [
    {
      text: "I will refund the second one.",
      calls: [{ tool: "refund", args: { to: "ch_3QF1kV2eZvKYlo2C", text: "duplicate", amount: 4900 } }],
    },
    { gate: "refunded", calls: [finish("The refund is on its way.")] },
  ],
  edit: [{ calls: [{ tool: "refund", args: { to: "ch_1", text: "duplicate", amount: 4900 } }] }, { calls: [finish("Done as you said.")] }],
  reject: [{ calls: [{ tool: "refund", args: { to: "ch_2", amount: 1 } }] }, { calls: [finish("Then I leave it.")] }],
  colleague: [
    { text: "Somebody has to allow this.", calls: [{ tool: "refund", args: { to: "ch_9", amount: 900 } }] },
    { calls: [finish("It was allowed.")] },
  ],
  ask: [
    {
      calls: [
        { tool: "ask_user", args: { question: "Which invoice is it?", type: "select", options: ["4471", "4472"], allowCustom: true } },
      ],
    },
    { calls: [{ tool: "ask_user", args: { question: "Where should it go?", type: "input" } }] },
    { calls: [{ tool: "ask_user", args: { question: "Send it now?", type: "confirm" } }] },
    { calls: [finish("Sent to the new address.")] },
  ],
  "state-slow": [{ text: "This takes a while.", gate: "state-slow", calls: [finish("It is done.")] }],
  slow: [{ text: "This takes a while.", gate: "slow", calls: [finish("Nobody waits for this.")] }],
  reload: [{ text: "Half of the work is done.", gate: "reload", calls: [finish("The whole work is done.")] }],
  gone: [{ text: "You may leave.", gate: "gone", calls: [finish("It ended while you were away.")] }],
  "console-slow": [{ text: "This takes a while.", gate: "console-slow", calls: [finish("Nobody waits for this.")] }],
  "console-reload": [{ text: "Half of the work is done.", gate: "console-reload", calls: [finish("The whole work is done.")] }],
  "console-line": [{ text: "The line may break.", gate: "console-line", calls: [finish("The line held.")] }],
  "runs-live": [{ text: "This takes a while.", gate: "runs-live", calls: [finish("It is done.")] }],
  "run-live": [
    {
      text: "Let me look at the charges.",
      calls: [
        { tool: "charges", args: { id: "cus_QK21" } },
        { tool: "export_all", args: { what: "everything" } },
      ],
    },
    { text: "I compare them.", gate: "run-live", calls: [{ tool: "charges", args: { id: "cus_QK22" } }] },
    { calls: [finish(MARKDOWN)] },
  ],
  "tools-done": [
    {
      text: "Let me look at the charges.",
      calls: [
        { tool: "charges", args: { id: "cus_QK21" } },
        { tool: "export_all", args: { what: "everything" } },
      ],
    },
    { calls: [finish(MARKDOWN)] },
  ],
  "approve-look": [
    {
      text: "I will refund the second one.",
      calls: [
        { tool: "charges", args: { id: "cus_QK21" } },
        { tool: "refund", args: { to: "ch_3QF1kV2eZvKYlo2C", text: "duplicate", amount: 4900 } },
      ],
    },
    { calls: [finish("The refund is on its way.")] },
  ],
  "run-line": [{ text: "The line may break.", gate: "run-line", calls: [finish("The line held.")] }],
  "live-kill": [{ text: "The server may go.", gate: "live-kill", calls: [finish("It is back.")] }],
  "form-live": [{ text: "I write.", gate: "form-live", calls: [finish("It is written.")] }],
  "act-slow": [{ text: "This takes a while.", gate: "act-slow", calls: [finish("Nobody waits for this.")] }],
  fails: [{ fails: 400 }],
  "gives-up": [{ calls: [{ tool: "finish", args: { status: "error", summary: 'order 4471 has no "total"' } }] }],
  "gives-up-attack": [{ calls: [{ tool: "finish", args: { status: "error", summary: ATTACK } }] }],
  attack: [
    {
      text: ATTACK,
      calls: [
        { tool: "charges", args: { id: flat } },
        { tool: "<img src=x onerror=alert(9)>", args: { [flat]: flat } },
      ],
    },
    { calls: [{ tool: "ask_user", args: { question: ATTACK, type: "select", options: ATTACKS, allowCustom: true } }] },
    { text: ATTACK, calls: [{ tool: "refund", args: { to: ATTACK, text: ATTACK, amount: 1 } }] },
    { calls: [finish(ATTACK)] },
  ],
}
