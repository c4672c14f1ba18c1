// The catalog of a simulated tenant: a flow for each thing that runs do.

import { MODEL_NAMES, MODELS_HOST, TOKEN_USD } from "./models.ts"
import { RECEIVER_HOST, TOOLS_HOST } from "./services.ts"

const PROVIDER = "sim"

const agent = (name: string, tools = "[]", more = ""): string =>
  `---\nname: ${name}\ndescription: part of a simulation\nmodel: ${PROVIDER}/${name}\ntools: ${tools}\n${more}---\nDo what the message says.\n`
const flow = (name: string, steps: readonly string[], more = ""): string =>
  `name: ${name}\ndescription: what a simulation runs\nautonomous: false\n${more}steps:\n${steps.map((it) => `  - { ${it} }\n`).join("")}`
const step = (id: string, by: string, more = ""): string => `id: ${id}, type: agent, agent: ${by}, task: "\${{task}} at ${id}"${more}`

export const CATALOG = {
  agents: {
    "asker.md": agent("asker", "note"),
    "judge.md": agent("judge"),
    "lister.md": agent("lister", "[]", "outputs:\n  - { name: list, type: array, required: true }\n"),
    "looker.md": agent("looker", "look"),
    "sender.md": agent("sender", "send_keyed, send_plain"),
    "worker.md": agent("worker"),
    "writer.md": agent("writer", "write, read"),
  },
  flows: {
    /** One model call. */
    "work.yaml": flow("work", [step("a", "worker")]),
    /** Reads, then two at once. */
    "chain.yaml": flow("chain", [
      step("a", "looker"),
      step("b", "writer", ", blockedBy: a"),
      step("c", "looker", ", blockedBy: a"),
      step("d", "worker", ", blockedBy: [b, c]"),
    ]),
    /** Sends with a key and without. */
    "send.yaml": flow("send", [step("a", "sender")]),
    /** A tool that a person approves. */
    "note.yaml": flow("note", [step("a", "asker")]),
    /** A question to a person, then another one. */
    "ask.yaml": flow("ask", [
      'id: f, type: fork, question: "Which for ${{task}}?", options: [One, Two], branches: { One: g, Two: x }',
      'id: g, type: fork, question: "Sure about ${{task}}?", options: [Yes, No], branches: { Yes: x, No: x }',
      step("x", "worker"),
    ]),
    /** A loop that goes back once. */
    "loop.yaml": flow("loop", [
      step("a", "worker"),
      'id: j, type: agent-loop-decision, agent: judge, task: "${{task}} round ${{loop.j.iteration}}", loop_target: a, exit_target: z, max_iterations: 3',
      step("z", "worker"),
    ]),
    "nap.yaml": flow("nap", ["id: n, type: wait, for: 40s", step("a", "worker", ", blockedBy: n")]),
    /** Waits for a signal. */
    "heed.yaml": flow("heed", ["id: n, type: wait, signal: go", step("a", "worker", ", blockedBy: n")]),
    /** Children side by side. */
    "fan.yaml": flow("fan", [
      step("l", "lister"),
      'id: each, type: map, over: "${{result.l.list}}", do: work, blockedBy: l',
      step("z", "worker", ", blockedBy: each"),
    ]),
    /** Children that ask. */
    "fanask.yaml": flow("fanask", [step("l", "lister"), 'id: each, type: map, over: "${{result.l.list}}", do: ask, blockedBy: l']),
    "nest.yaml": flow("nest", ['id: r, type: flow-ref, flow: chain, task: "${{task}}"', step("z", "worker", ", blockedBy: r")]),
    "talk.yaml": flow("talk", [step("a", "worker", ', session: "${{session}}"')]),
  },
  skills: {},
} as const

export const FLOWS = ["work", "chain", "send", "note", "ask", "loop", "nap", "heed", "fan", "fanask", "nest"] as const

const text = (name: string): object => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
  additionalProperties: false,
})
const send = (path: string, arg: string, more: object): object => ({
  description: "sends",
  parameters: text(arg),
  request: { method: "POST", url: `http://${TOOLS_HOST}/${path}/send`, body: { [arg]: `\${{args.${arg}}}` } },
  effect: "write",
  untrusted: false,
  approval: "never",
  ...more,
})

export const TOOLS: Readonly<Record<string, object>> = {
  look: {
    description: "looks",
    parameters: text("at"),
    request: { method: "GET", url: `http://${TOOLS_HOST}/look/\${{args.at}}` },
    effect: "read",
    untrusted: false,
  },
  send_keyed: send("keyed", "n", { idempotent: true }),
  send_plain: send("plain", "n", {}),
  note: send("keyed", "to", { idempotent: true, approval: "always" }),
}

export const SETTINGS: readonly (readonly [path: string, body: object])[] = [
  [`/v1/settings/providers/${PROVIDER}`, { kind: "openai-compatible", baseUrl: `http://${MODELS_HOST}/v1`, apiKey: "none" }],
  [
    "/v1/settings/prices",
    Object.fromEntries(MODEL_NAMES.map((it) => [`${PROVIDER}/${it}`, { input: TOKEN_USD * 1e6, output: TOKEN_USD * 1e6 }])),
  ],
  ["/v1/secrets/receiver", { value: `whsec_${Buffer.from("a key of the receiver's own, long").toString("base64")}` }],
  ["/v1/secrets/hooked", { value: "the-hook's-own-secret" }],
]

export const CALLBACK = {
  url: `http://${RECEIVER_HOST}/callback`,
  secret: "receiver",
  events: ["run.succeeded", "run.failed", "run.canceled", "run.waiting"],
}
