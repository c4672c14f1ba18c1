// The runs whose effects are staged: with a tool that carries a key and may be sent again, with one that may not, a family of both, and a dry one.

import type { World } from "./world.ts"

export const KINDS = ["keyed", "plain", "family", "dry"] as const
export type Kind = (typeof KINDS)[number]

/** What each kind shows a person, in order: its tools. */
export const SHOWN: Readonly<Record<Kind, readonly string[]>> = {
  keyed: ["send_keyed", "send_keyed"],
  plain: ["send_plain", "send_plain"],
  // The child's come where it was called, before the parent's own.
  family: ["send_keyed", "send_keyed", "send_plain"],
  dry: [],
}
/** What each kind keeps in its own journal. */
export const OWN: Readonly<Record<Kind, readonly string[]>> = { ...SHOWN, family: ["send_plain"], dry: ["send_keyed", "send_plain"] }

const flow = (name: string, steps: string): string => `name: ${name}\ndescription: its effects are kept\nsteps:\n${steps}`
const agent = "  - { id: a, type: agent, agent: sender }\n"
const turns = (name: string, ...tools: string[]): string =>
  "steps:\n  a:\n" +
  `    - calls: [{ tool: look, args: { at: ${name} } }]\n` +
  `    - calls: [${tools.map((tool, n) => `{ tool: ${tool}, args: { n: ${n + 1} } }`).join(", ")}]\n` +
  "    - finish: { status: complete, summary: done }\n"

export const CATALOG = {
  agents: {
    "sender.md":
      "---\nname: sender\ndescription: sends\nmodel: rehearsal/default\ntools: look, send_keyed, send_plain\n---\nDo it. ${{task}}\n",
  },
  flows: {
    "keyed.yaml": flow("keyed", agent),
    "keyed.rehearsal.yaml": turns("keyed", "send_keyed", "send_keyed"),
    "plain.yaml": flow("plain", agent),
    "plain.rehearsal.yaml": turns("plain", "send_plain", "send_plain"),
    "family.yaml": flow("family", `  - { id: r, type: flow-ref, flow: keyed, task: below }\n${agent}`),
    "family.rehearsal.yaml": turns("family", "send_plain"),
    "dry.yaml": flow("dry", agent),
    "dry.rehearsal.yaml": turns("dry", "send_keyed", "send_plain"),
  },
  skills: {},
}

const number = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false }
const text = { type: "object", properties: { at: { type: "string" } }, required: ["at"], additionalProperties: false }

export function toolsAt({ url }: World): Readonly<Record<string, object>> {
  const send = (path: string, more: object): object => ({
    description: "sends a number",
    parameters: number,
    request: { method: "POST", url: `${url}/${path}/send`, body: { n: "${{args.n}}" } },
    effect: "write",
    untrusted: false,
    approval: "never",
    // A call that is only slow, on a busy machine, would be uncertain too.
    timeout: "2m",
    ...more,
  })
  return {
    look: {
      description: "looks",
      parameters: text,
      request: { method: "GET", url: `${url}/look/\${{args.at}}` },
      effect: "read",
      untrusted: false,
    },
    send_keyed: send("keyed", { idempotent: true }),
    send_plain: send("plain", {}),
  }
}
