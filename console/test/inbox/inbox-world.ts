// What the inbox meets: runs that ask in every way, each started when a check wants it, and another person who answers over the API.

import { ATTACK, ATTACKS } from "../scenes.ts"
import { finish, type Turn } from "../model.ts"

const flat = ATTACKS.join(" ")
const LINES = Array.from({ length: 120 }, (_, n) => `line ${n + 1} of a long letter`).join("\n")

const call = (args: object): Turn => ({ text: "I will refund the second charge only.", calls: [{ tool: "refund", args }] })
const ask = (args: object): Turn => ({ calls: [{ tool: "ask_user", args }] })
const note = (text: string) => ({ tool: "note", args: { text } })
const END: Turn = { calls: [finish("Done as you said.")] }

export const INBOX_SCENES: Readonly<Record<string, readonly Turn[]>> = {
  "inbox-refund": [call({ to: "ch_3QF1kV", text: "duplicate", amount: 4900 }), END],
  "inbox-long": [call({ to: "ch_long", text: LINES, amount: 1 }), END],
  "inbox-attack": [{ ...call({ to: flat, text: ATTACK, amount: 1 }), text: ATTACK }, END],
  "inbox-choice": [
    ask({ question: "Which law governs?", type: "select", options: ["England and Wales", "Ireland", "Delaware"], allowCustom: true }),
    END,
  ],
  "inbox-several": [ask({ question: "Which pages?", type: "select", options: ["Home", "Prices", "Jobs"], multiSelect: true }), END],
  "inbox-words": [ask({ question: "Where should it go?", type: "input" }), END],
  "inbox-yes": [ask({ question: "Send it now?", type: "confirm" }), END],
  "inbox-hostile": [ask({ question: ATTACK, type: "select", options: ATTACKS, allowCustom: true }), END],
  "effects-three": [{ calls: [note("first"), note("second"), note("third")] }, END],
  "effects-attack": [{ calls: [note(ATTACK), note(flat)] }, END],
  "effects-lost": [{ calls: [{ tool: "letter", args: { text: "Recall notice" } }] }, END],
  "effects-lost-attack": [{ calls: [{ tool: "letter", args: { text: ATTACK } }] }, END],
  "inbox-money": [{ text: "I begin.", calls: [{ tool: "charges", args: { id: "cus_1" } }] }, END],
}

export const INBOX_FLOWS = {
  "inbox-fork.yaml": `name: inbox-fork
description: A person chooses the way.
autonomous: false
steps:
  - id: law
    type: fork
    agent: helper
    question: Which clause for \${{task}}?
    options: [Short, Long]
    branches: { Short: short, Long: long }
    allowCustom: true
  - { id: short, type: agent, agent: helper }
  - { id: long, type: agent, agent: helper }
`,
  "inbox-signal.yaml": `name: inbox-signal
description: It waits for another system.
steps:
  - { id: open, type: wait, signal: door }
`,
}

export interface Asking {
  readonly run: string
  readonly id: string
}

export interface InboxWorld {
  /** Starts a run and waits until it asks. */
  asks(scene: string, more?: { readonly flow?: string; readonly task?: string; readonly budget?: object }): Promise<Asking>
  interaction(asking: Asking): Promise<{
    readonly status: string
    readonly answer?: Readonly<Record<string, unknown>>
    readonly by?: string
    readonly payload: { readonly hash?: string }
  }>
  answer(asking: Asking, body: object): Promise<void>
  /** Cancels every run that still asks. */
  clear(): Promise<void>
}

export function inboxWorld({ api }: { readonly api: (method: string, path: string, body?: unknown) => Promise<unknown> }): InboxWorld {
  const interaction: InboxWorld["interaction"] = async ({ run, id }) =>
    (await api("GET", `/v1/runs/${run}/interactions/${id}`)) as Awaited<ReturnType<InboxWorld["interaction"]>>
  return {
    async asks(scene, { flow = "assist", task = "Ticket 50907: charged twice.", budget } = {}) {
      const { id: run } = (await api("POST", `/v1/flows/${flow}/runs`, {
        task: `${task} scene:${scene}`,
        ...(budget === undefined ? {} : { budget }),
      })) as { id: string }
      for (;;) {
        const { data } = (await api("GET", `/v1/runs/${run}/interactions?status=pending`)) as { data: readonly { readonly id: string }[] }
        if (data[0]) return { run, id: data[0].id }
        const { status } = (await api("GET", `/v1/runs/${run}`)) as { status: string }
        if (["failed", "succeeded", "canceled"].includes(status)) throw new Error(`the run of ${scene} has ${status} and asked nothing`)
      }
    },
    interaction,
    async answer({ run, id }, body) {
      await api("POST", `/v1/runs/${run}/interactions/${id}`, body)
    },
    async clear() {
      for (;;) {
        const { data } = (await api("GET", "/v1/interactions?limit=200")) as { data: readonly { readonly run: string | null }[] }
        const asking = new Set(data.flatMap((one) => one.run ?? []))
        if (asking.size === 0) return
        for (const run of asking) await api("POST", `/v1/runs/${run}/cancel`).catch(() => undefined)
      }
    },
  }
}
