// Defines the workloads as Sluice flows.

import { chain, codeChain, fan, handlers } from "../flows.ts"
import type { Work } from "./contender.ts"

/** `code`: the steps of w1 and w2 are handlers in isolates instead of agents with a scripted model. */
export const flowOf = (work: Work, kind: "agents" | "code"): string =>
  ({
    w1: kind === "code" ? "bench-code-10" : "bench-chain-10",
    w2: kind === "code" ? "bench-code-200" : "bench-chain-200",
    w3: "bench-fan-100",
    w4: "peer-agents",
    w5: "peer-keyed",
  })[work]

const AGENT = "---\nname: peer\ndescription: Writes a note.\nmodel: peer/peer\ntools: [write]\n---\nDo it, then finish: ${{task}}\n"
const AGENTS = `name: peer-agents\ndescription: A benchmark.\nsteps:\n${steps(3, (i) => `{ id: ${id(i)}, agent: peer, task: step ${i}${after(i)} }`)}`

/** One step, and one run of a key at a time. */
const KEYED = `${chain(1).replace("bench-chain-1", "peer-keyed")}inputs: { key: { type: string, required: true } }\nstart: { concurrency: { key: "\${{flow.input.key}}" } }\n`

/** For PUT /v1/catalog, together with the bench's own agents. */
export const FLOWS: Readonly<Record<string, string>> = {
  "bench-chain-10.yaml": chain(10),
  "bench-chain-200.yaml": chain(200),
  "bench-fan-100.yaml": fan(100),
  "peer-agents.yaml": AGENTS,
  "peer-keyed.yaml": KEYED,
  "bench-code-10.yaml": codeChain(10),
  "bench-code-200.yaml": codeChain(200),
}
export const PEER_AGENT = AGENT

/** The handlers of the code steps, by their paths. */
export const HANDLERS: Readonly<Record<string, string>> = { ...handlers(10), ...handlers(200) }

function steps(length: number, step: (i: number) => string): string {
  return Array.from({ length }, (_, i) => `  - ${step(i + 1)}\n`).join("")
}

function id(i: number): string {
  return `s${String(i).padStart(3, "0")}`
}

function after(i: number): string {
  return i > 1 ? `, blockedBy: [${id(i - 1)}]` : ""
}
