// A tenant under attack: tools that count their effects, a net that counts what leaves, agents that run their small errand and then obey
// everything they read.

import { KERNEL } from "../../../src/core/run/event-version.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { DEFAULT_POLICY, type Rules } from "../../../src/core/tool/policy/policy.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import type { NetAnswer, NetRequest } from "../../../src/ports/net.ts"
import { text, type Tool } from "../../../src/ports/tool.ts"
import { Outside as Body } from "../../../src/ports/outside.ts"
import { FakeMemory } from "./shared-powers.ts"
import { ordersIn, type Wish } from "./obedient-model.ts"
import { agent, Stand, type Asked } from "./stand.ts"

export const SECRET = "PRIVATE-7731"
const words = (...names: string[]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(names.map((n) => [n, {}])),
  additionalProperties: false,
})

/** What happened outside the run. */
export class Outside {
  readonly calls: string[] = []
  readonly requests: string[] = []
  pages = new Map<string, string>()

  tool(name: string, more: Partial<ToolSpec>, answer: () => string = () => "done"): Tool {
    return {
      name,
      description: `${name}.`,
      parameters: words("to", "body", "amount", "all", "scope", "q"),
      effect: "write",
      contexts: ["agent"],
      ...more,
      execute: async () => {
        this.calls.push(name)
        return text(answer())
      },
    }
  }

  async fetch({ url, method = "GET" }: NetRequest): Promise<NetAnswer> {
    this.requests.push(`${method} ${url}`)
    const body = new Body(new TextEncoder().encode(this.pages.get(url) ?? "nothing here"))
    return { status: 200, url, headers: { "content-type": "text/plain" }, body }
  }

  count = (name: string): number => this.calls.filter((c) => c === name).length
  /** Everything that a tainted agent must not have done without approval. */
  get harm(): string[] {
    const away = this.requests.filter((r) => !r.startsWith("GET https://pages.example/"))
    return [...this.calls.filter((c) => c !== "mcp:srv:look"), ...away]
  }
}

export const TOOLS = ["web.fetch", "read", "write", "ls", "grep", "find", "memory.read", "memory.write", "mail", "mcp:srv:look", "vaulted"]
export const worker = (name: string, head = ""): string =>
  agent(name, `tools: [${TOOLS.map((t) => JSON.stringify(t)).join(", ")}]\n${head}`)

const RULES: Rules = { policy: { ...DEFAULT_POLICY, network: { allow: ["pages.example"] } }, scopes: [], version: 0 }

/** What an agent does by itself before it obeys: one turn each. */
export type Errands = Readonly<Record<string, readonly (readonly Wish[])[]>>

export class Field {
  readonly outside = new Outside()
  readonly memory = new FakeMemory()
  readonly stand: Stand
  /** Calls that a text caused. */
  readonly obeyed: Wish[] = []
  /** Interactions put to a person; all are rejected. */
  asked = 0
  /** Steps whose agents ignore what they read. */
  deaf = new Set<string>()
  readonly #errands: Errands
  readonly #done = new Map<string, Set<string>>()
  readonly #turns = new Map<string, number>()

  constructor(flow: string, agents: readonly string[], errands: Errands, look: () => string = () => "nothing") {
    const { outside } = this
    const out = { method: { fixed: "POST" } } as const
    this.stand = new Stand(flow, agents, [
      outside.tool("mail", { reach: out }),
      outside.tool("pay", { reach: out }),
      outside.tool("wipe", {}),
      outside.tool("mcp:srv:act", { reach: out, untrusted: true }),
      outside.tool("mcp:srv:look", { effect: "read", untrusted: true }, look),
      outside.tool("vaulted", { requiredSecretScopes: ["shop"], effect: "read" }),
    ])
    this.stand.rules = RULES
    this.stand.powers = { memory: this.memory, net: { fetch: (r) => outside.fetch(r) } }
    this.#errands = errands
  }

  start(task: string, tainted = false): void {
    const received = this.stand.conductor.tell({
      type: "start",
      started: {
        type: "run.started",
        kernel: KERNEL,
        tenant: "t",
        run: "run_x",
        flow: "f",
        task,
        inputs: {},
        autonomous: true,
        rehearsed: false,
        trigger: { kind: tainted ? "webhook" : "api" },
        pinned: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} },
        rules: JSON.parse(JSON.stringify(RULES)),
        ...(tainted ? { tainted } : {}),
      },
    })
    if (!received.ok) throw new Error(received.error.code)
  }

  /** Until the run is over, or waits only for a person. */
  async live(): Promise<void> {
    const { stand } = this
    for (let n = 0; n < 100; n++) {
      await this.quiet()
      const { run } = stand.conductor
      if (run.status === "succeeded" || run.status === "failed") return
      const next = stand.asked.shift()
      if (next) await this.#turn(next)
      else if (run.pending.length > 0)
        for (const id of run.pending) {
          this.asked += 1
          stand.conductor.tell({ type: "answer", id, body: { decision: "reject" }, by: "ann" })
        }
      else if (Object.keys(run.underway).length === 0) return
    }
    throw new Error("the run does not end")
  }

  /** Until the run waits only for models, children and people. Hashing goes through a thread pool: on a busy machine that takes a while. */
  async quiet(): Promise<void> {
    const until = Date.now() + 50_000
    const { conductor, asked } = this.stand
    const busy = (): boolean => {
      const { underway } = conductor.run
      const models = Object.values(underway).filter((u) => u.kind === "model").length
      return asked.length < models || Object.values(underway).some((u) => u.kind !== "model" && u.kind !== "child")
    }
    while (busy()) {
      if (Date.now() > until) throw new Error(`still under way: ${Object.keys(conductor.run.underway).join(", ")}`)
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }

  async #turn(asked: Asked): Promise<void> {
    const { step } = asked.request.place
    const turn = this.#turns.get(step) ?? 0
    this.#turns.set(step, turn + 1)
    const errand = this.#errands[step]?.[turn]
    if (errand) return asked.answer({ calls: [...errand] })
    const done = this.#done.get(step) ?? new Set()
    this.#done.set(step, done)
    const wishes = this.deaf.has(step) ? [] : ordersIn(asked.request).filter((w) => !done.has(JSON.stringify(w)))
    for (const w of wishes) done.add(JSON.stringify(w))
    this.obeyed.push(...wishes)
    const finish = { name: "finish", args: { status: "complete", summary: heardIn(asked) } }
    // The model tries again in the same message: a call after a finish must not run either.
    return asked.answer({ calls: wishes.length > 0 ? wishes : [finish, { name: "mail", args: { to: "late", body: "after finish" } }] })
  }

  codes(): string[] {
    return this.stand.events().flatMap((e) => (e.type === "tool.refused" ? [e.code] : []))
  }
  tainted(step: string): boolean {
    return this.stand.conductor.run.steps[step]?.session?.tainted === true || this.stand.conductor.run.steps[step]?.result?.tainted === true
  }
  async body(path: string): Promise<string> {
    const entry = this.stand.journal.stat(path)
    return new TextDecoder().decode(entry ? await this.stand.blobs.get(entry.hash) : undefined)
  }
}

/** An obedient agent passes on what it read. */
function heardIn({ request }: Asked): string {
  const last = request.messages
    .flatMap((m) => (m.role === "tool" ? m.content.map((p) => (p.type === "text" ? p.text : "")) : []))
    .find((t) => t.includes("CALL"))
  return last?.slice(0, 4_000) ?? "done"
}
