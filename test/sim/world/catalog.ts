// The catalog of a simulated tenant: a flow for each thing that runs do.

import { MODEL_NAMES, MODELS_HOST, TOKEN_USD } from "./models.ts"
import { LINE_FLOWS } from "./line-flows.ts"
import { RARE_FLOWS } from "./rare-flows.ts"
import { RECEIVER_HOST, TOOLS_HOST } from "./services.ts"

const PROVIDER = "sim"
export const HOOK_SECRET = "the-hook's-own-secret"

/** A prompt says its edition, so that a provider's books show which one a run had. */
const agent = (name: string, tools = "[]", more = "", edition = 0, model = `${PROVIDER}/${name}`): string =>
  `---\nname: ${name}\ndescription: part of a simulation\nmodel: ${model}\ntools: ${tools}\n${more}---\nDo what the message says. Edition ${edition}.\n`
/** The agent that writers of the catalog change. */
export const workerOf = (edition: number): string => agent("worker", "[]", "", edition)
const flow = (name: string, steps: readonly string[], more = ""): string =>
  `name: ${name}\ndescription: what a simulation runs\nautonomous: false\n${more}steps:\n${steps.map((it) => `  - { ${it} }\n`).join("")}`
const step = (id: string, by: string, more = ""): string => `id: ${id}, type: agent, agent: ${by}, task: "\${{task}} at ${id}"${more}`

const LIST = "outputs:\n  - { name: list, type: array, required: true }\n"

export const CATALOG = {
  agents: {
    "asker.md": agent("asker", "note"),
    "boss.md": agent("boss", "[]", "role: coordinator\nroutes: worker, looker\n"),
    "crowd.md": agent("crowd", "[]", LIST),
    "flaky.md": agent("flaky"),
    "hoarder.md": agent("hoarder", "look", "", 0, `${PROVIDER}/gpt-4`),
    "houser.md": agent("houser", "[]", "", 0, "house/any"),
    "judge.md": agent("judge"),
    "lister.md": agent("lister", "[]", LIST),
    "loser.md": agent("loser"),
    "looker.md": agent("looker", "look"),
    "orderer.md": agent("orderer", "order"),
    "quizzer.md": agent("quizzer", "ask_user"),
    "reader.md": agent("reader", "read, ls"),
    "recaller.md": agent("recaller", "memory.write, memory.read"),
    "sender.md": agent("sender", "send_keyed, send_plain"),
    "shaky.md": agent("shaky", "[]", LIST),
    "slow.md": agent("slow", "slow_keyed, slow_plain"),
    "talker.md": agent("talker"),
    "worker.md": agent("worker"),
    "writer.md": agent("writer", "write, read"),
  },
  flows: {
    ...RARE_FLOWS,
    ...LINE_FLOWS,
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
    /** A sticky session; the flow of chats. */
    "talk.yaml": flow("talk", ['id: a, type: agent, agent: talker, task: "${{task}}", session: "${{session}}"']),
    /** 25 children that ask. */
    "many.yaml": flow("many", [
      step("l", "crowd"),
      'id: each, type: map, over: "${{result.l.list}}", do: quiz, blockedBy: l, max_concurrent: 8',
    ]),
    /** Children that have children. */
    "refs.yaml": flow("refs", [
      step("l", "lister"),
      'id: each, type: map, over: "${{result.l.list}}", do: nest, blockedBy: l, max_concurrent: 2',
    ]),
    /** A provider that is busy at first, and a step that is tried again. */
    "flaky.yaml": flow("flaky", [step("a", "flaky", ", retry: { max: 2, backoff: 1s }"), step("b", "flaky", ", blockedBy: a")]),
    /** A `finish` that is refused, text without a call, and a `finish` that is repeated. */
    "shaky.yaml": flow("shaky", [step("a", "shaky")]),
    /** Tools that answer after their time limit. */
    "slow.yaml": flow("slow", [step("a", "slow")]),
    /** Files that one writes and another reads. */
    "files.yaml": flow("files", [step("a", "writer"), step("b", "reader", ", blockedBy: a"), step("c", "writer", ", blockedBy: a")]),
    "recall.yaml": flow("recall", [step("a", "recaller")]),
    /** A conversation that does not fit. */
    "hoard.yaml": flow("hoard", [step("a", "hoarder")]),
    "quiz.yaml": flow("quiz", [step("a", "quizzer")]),
    /** An agent that calls agents. */
    "boss.yaml": flow("boss", [step("a", "boss")]),
    /** A family that sends: kept effects are asked for once. */
    "kin.yaml": flow("kin", ['id: r, type: flow-ref, flow: send, task: "${{task}}-kin"', step("a", "sender", ", blockedBy: r")]),
    /** A step whose time is up, and another way on. */
    "brief.yaml": flow("brief", [
      step("a", "flaky", ", timeout: 2s, on_error: z, on_complete: z"),
      step("m", "worker"),
      step("z", "worker"),
    ]),
    /** Fails after it has sent, and takes it back. */
    "regret.yaml": flow("regret", [step("a", "sender"), step("b", "loser", ", blockedBy: a")], "on_failure: undo\n"),
    /** Runs out of money and asks. */
    "poor.yaml": flow(
      "poor",
      [step("a", "worker"), step("b", "worker"), step("c", "worker", ", blockedBy: [a, b]")],
      "budget: { usd: 0.03 }\n",
    ),
  },
  skills: {},
} as const

/** Flows that people start, by how often. */
const OFTEN: Readonly<Record<string, number>> = {
  work: 3,
  chain: 2,
  send: 2,
  note: 2,
  ask: 2,
  loop: 1,
  nap: 1,
  heed: 2,
  fan: 1,
  fanask: 1,
  nest: 2,
  talk: 2,
  refs: 0.3,
  many: 0.2,
  flaky: 1,
  shaky: 1,
  slow: 1,
  files: 1,
  recall: 1,
  quiz: 2,
  boss: 1,
  hoard: 0.7,
  kin: 1,
  brief: 0.7,
  regret: 0.7,
  poor: 1,
}
const ALL_OFTEN = Object.values(OFTEN).reduce((sum, it) => sum + it, 0)

/** `roll`: of [0, 1). */
export function flowAt(roll: number): string {
  let left = roll * ALL_OFTEN
  for (const [name, often] of Object.entries(OFTEN)) {
    left -= often
    if (left < 0) return name
  }
  return "work"
}

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
  send_keyed: send("keyed", "n", {
    idempotent: true,
    undo: { method: "POST", url: `http://${TOOLS_HOST}/undo/send`, body: { n: "${{args.n}}" } },
  }),
  slow_keyed: send("keyed/slow", "n", { idempotent: true, timeout: "5s" }),
  slow_plain: send("plain/slow", "n", { timeout: "5s" }),
  send_plain: send("plain", "n", {}),
  note: send("keyed", "to", { idempotent: true, approval: "always" }),
}

export const SETTINGS: readonly (readonly [path: string, body: object])[] = [
  [`/v1/settings/providers/${PROVIDER}`, { kind: "openai-compatible", baseUrl: `http://${MODELS_HOST}/v1`, apiKey: "none" }],
  [
    "/v1/settings/providers/house",
    { kind: "scripted", turns: { "*": [{ delay: 400, finish: { status: "complete", summary: "done", files: [] } }] } },
  ],
  [
    "/v1/settings/prices",
    {
      ...Object.fromEntries(MODEL_NAMES.map((it) => [`${PROVIDER}/${it}`, { input: TOKEN_USD * 1e6, output: TOKEN_USD * 1e6 }])),
      "house/any": { input: 0, output: 0 },
    },
  ],
  ["/v1/settings/roles", { default: `${PROVIDER}/chooser` }],
  ["/v1/secrets/receiver", { value: `whsec_${Buffer.from("a key of the receiver's own, long").toString("base64")}` }],
  ["/v1/secrets/hooked", { value: HOOK_SECRET }],
]

export const CALLBACK = {
  url: `http://${RECEIVER_HOST}/callback`,
  secret: "receiver",
  events: ["run.succeeded", "run.failed", "run.canceled", "run.waiting"],
}
