// A test stand for the conductor: memory journal, a clock moved by hand, scripted models, tools that run over memory blobs.
// A crash is a new conductor over the same journal; work in flight is forgotten, as when a process dies.

import { KERNEL } from "../../../src/core/run/event-version.ts"
import { createHash } from "node:crypto"
import type { Amount } from "../../../src/core/money/amount.ts"
import type { Agent } from "../../../src/core/flow/agent.ts"
import { parseAgent } from "../../../src/core/language/parse-agent.ts"
import type { Flow } from "../../../src/core/flow/flow.ts"
import { parseFlow } from "../../../src/core/language/parse-flow.ts"
import type { ChildWish } from "../../../src/core/run/action.ts"
import type { ChildReport } from "../../../src/core/run/steps/children.ts"
import { compile, type Plan } from "../../../src/core/run/plan.ts"
import type { Lease } from "../../../src/core/run/signal.ts"
import type { Usage } from "../../../src/core/money/usage.ts"
import type { FactOf, RunEvent } from "../../../src/core/run/event.ts"
import { DEFAULT_RULES, type Rules } from "../../../src/core/tool/policy/policy.ts"
import type { Tool, ToolPowers } from "../../../src/ports/tool.ts"
import { NO_SECRETS } from "../../../src/core/secrets/redact.ts"
import type { Calling } from "../../../src/engine/run/call/calling.ts"
import { Conductor } from "../../../src/engine/run/conductor.ts"
import type { CommitBatch } from "../../../src/engine/run/conduct/stage.ts"
import { storedJournal } from "../../../src/engine/run/conduct/stored-journal.ts"
import { MemoryJournal } from "./memory-journal.ts"
import { MemoryBlobs } from "../../../src/engine/run/memory-store.ts"
import { perform } from "../../../src/engine/run/perform.ts"
import type { EffectDeps } from "../../../src/engine/run/call/effect-deps.ts"
import type { Model, ModelChunk, ModelRequest, Sealing } from "../../../src/ports/model.ts"
import type { SandboxRequest, SandboxResult } from "../../../src/ports/sandbox.ts"
import { repeats, SPECS, TOOLS, toolsByName } from "../../../src/tools/toolbox.ts"
import { PassesToKeep } from "../../../src/engine/run/cached-pass.ts"
import { MemoryPasses } from "./memory-passes.ts"
import { MemorySessions } from "./memory-sessions.ts"
import { replays } from "../kernel/replayed.ts"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

export type Turn = {
  readonly usage?: Usage
  text?: string
  calls?: { name: string; args: unknown }[]
  finish?: object
  error?: { status?: number; retryable: boolean; overflow?: boolean; message?: string; tooLong?: number }
  /** What the provider wants back. */
  state?: string
  /** Streamed before the rest. */
  deltas?: string[]
}

/** Seals by turning every bit around, with the place in front. */
const MIRROR: Sealing = {
  seal: async (text, place) => flipped(new TextEncoder().encode(`${place}\n${text}`)).buffer,
  open: async (sealed, place) => {
    const text = new TextDecoder().decode(flipped(new Uint8Array(sealed)))
    if (!text.startsWith(`${place}\n`)) throw new Error("sealed for another place")
    return text.slice(place.length + 1)
  },
}
const flipped = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes, (byte) => byte ^ 0xff)

/** Answers when the test allows it: every asked turn waits in `asked` until it is released. */
export interface Asked {
  readonly request: ModelRequest
  readonly signal: AbortSignal
  answer(turn: Turn): Promise<void>
}

export class Stand {
  readonly journal = new MemoryJournal()
  readonly blobs = new MemoryBlobs()
  readonly plan: Plan
  readonly asked: Asked[] = []
  readonly published: RunEvent[] = []
  readonly faults: string[] = []
  /** Hashes made so far. */
  hashes = 0
  /** Hears each text that is hashed. */
  onHash: (text: string) => void = () => {}
  now = 1_000
  /** Handlers by step id: a sandbox's answers. */
  readonly handlers = new Map<string, (request: SandboxRequest) => SandboxResult>()
  /** Requested children, in order; `refuse` makes their start fail. */
  readonly children: ChildWish[] = []
  refuse: string | undefined
  /** What a child answers that is asked to carry out an effect. */
  commitBelow: EffectDeps["commitBelow"] = async () => ({ state: "confirmed" })
  /** What the source of a fork was answered. */
  recorded: EffectDeps["recorded"] = async () => undefined
  /** What the recording of a trial was answered. */
  recording: EffectDeps["recording"]
  redactor = NO_SECRETS
  vaultIsDown = false
  /** The models by their reference; absent: the test answers. */
  models: ((ref: string) => Model) | undefined
  rules: Rules = DEFAULT_RULES
  powers: Partial<ToolPowers> = {}
  /** Powers that depend on the caller. */
  lend: (calling: Calling) => Partial<ToolPowers> = () => ({})
  /** The script of a rehearsed step. */
  scripted: EffectDeps["scripted"]
  /** The tenant's sticky sessions; they survive a process that dies. */
  readonly sessions = new MemorySessions()
  /** [R39] Its kept results; several stands may share them. */
  cached = new MemoryPasses()
  /** What happens before a model is asked. */
  asking: (ref: string, conductor: Conductor) => void = () => {}
  /** The tenant object's answer to a request for a slice of its day. */
  lease: (key: string, amount: Amount) => Lease = () => ({ granted: {}, until: 0 })
  alarm: number | undefined
  /** Another build wrote in the journal, or the test changed the run behind its back: this kernel alone would not make it again. */
  foreign = false
  /** How decisions wait for their commit; absent: not at all. Set before `boot`. */
  holding: CommitBatch | undefined
  conductor: Conductor

  /** The test's own tools, next to the build's. */
  readonly extra: readonly Tool[]
  /** What viewers received, as text: deltas, and partials as JSON. */
  readonly frames: string[] = []

  constructor(flow: string | Flow, agents: readonly string[], extra: readonly Tool[] = []) {
    this.extra = extra
    const specs = [...SPECS.values(), ...extra]
    const parsed = typeof flow === "string" ? parseFlow(flow, "f") : { flow, diagnostics: [] }
    if (!parsed.flow) throw new Error(JSON.stringify(parsed.diagnostics))
    const list = agents.map((text): [string, Agent] => {
      const { agent, diagnostics } = parseAgent(text, { tools: new Set(specs.map((s) => s.name)), skills: new Set() })
      if (!agent) throw new Error(JSON.stringify(diagnostics))
      return [agent.name, agent]
    })
    this.plan = compile({ flow: parsed.flow, agents: Object.fromEntries(list), skills: {}, tools: specs })
    this.conductor = this.boot()
    replays(this.plan, () => (this.foreign ? [] : this.events()), sha256)
  }

  /** A process that has just started on this journal. */
  boot(): Conductor {
    this.asked.length = 0
    const model: Model = { reply: (request, signal) => this.#reply(request, signal) }
    const clock = { now: () => this.now, id: () => "x".repeat(26), random: () => 0.5 }
    const hash = (text: string): string => {
      this.hashes++
      this.onHash(text)
      return sha256(text)
    }
    let alive = true
    const toKeep = PassesToKeep.of(this)
    const conductor: Conductor = new Conductor(this.plan, {
      ...(this.holding ? { holding: this.holding } : {}),
      journal: this.journal,
      clock,
      hash,
      perform: (run, effect, stop) =>
        perform(
          {
            journal: storedJournal(this.journal, () => conductor.save()),
            blobs: this.blobs,
            clock,
            tools: toolsByName([...TOOLS, ...this.extra]),
            hash,
            skills: { names: () => [], files: () => undefined, read: async () => undefined },
            author: {
              agents: async () => [],
              writeAgent: async (path) => ({ written: false, path, diagnostics: [] }),
              writeFlow: async (path) => ({ written: false, path, diagnostics: [] }),
            },
            handler: async (_flow, step) => (this.handlers.has(step) ? { hash: step, source: "" } : undefined),
            sandbox: {
              run: async (request) =>
                this.handlers.get(request.ctx.step)?.(request) ?? { ok: false, kind: "crashed", message: "no handler", logs: [] },
            },
            startChild: async (_run, wish) => {
              this.children.push(wish)
              return { run: `child_${wish.index}`, ...(this.refuse === undefined ? {} : { fault: this.refuse }) }
            },
            repeats,
            recorded: async (fork, tool, args) => this.recorded?.(fork, tool, args),
            ...(this.recording ? { recording: this.recording } : {}),
            commitBelow: (effect, signal) => this.commitBelow(effect, signal),
            scripted: (step, pass) => this.scripted?.(step, pass) ?? [],
            sessions: this.sessions,
            cached: this.cached,
            sealing: MIRROR,
            asking: (ref) => this.asking(ref, conductor),
            choose: async (ref) => ({ model: this.models?.(ref) ?? model, id: "m" }),
            redactor: async () => {
              if (this.vaultIsDown) throw new Error("the tenant's object does not answer")
              return this.redactor
            },
            rules: async () => this.rules,
            powers: (_tool, _permits, calling) => ({ ...this.powers, ...this.lend(calling) }),
            lease: async (_run, key, amount) => this.lease(key, amount),
            delta: (_step, _turn, text) => this.frames.push(text),
            progress: (_step, _call, _tool, content) => this.frames.push(JSON.stringify(content)),
          },
          run,
          effect,
          stop,
        ).then((p) => (alive ? p : new Promise(() => {}))),
      publish: (events, run) => {
        this.published.push(...events)
        for (const pass of toKeep?.follow(events, run) ?? []) this.cached.keep(pass)
      },
      alarm: (at) => (this.alarm = at),
      fault: (where, e) => this.faults.push(`${where}: ${String(e)}`),
    })
    this.#kill = () => (alive = false)
    return conductor
  }
  #kill: () => void = () => {}

  /** A child run reports how it ended. */
  childEnds(step: string, index: number, report: Partial<ChildReport> = {}, pass = 1): boolean {
    const whole: ChildReport = { status: "succeeded", summary: `child ${index}`, files: [], outputs: {}, ...report }
    return this.conductor.tell({ type: "child.end", step, pass, index, run: `child_${index}`, report: whole }).ok
  }

  /** SIGKILL and a new start. */
  crash(): void {
    this.#kill()
    this.conductor = this.boot()
    this.conductor.tick()
  }

  start(task = "go", autonomous = true, more: Partial<FactOf<"run.started">> = {}): void {
    const received = this.conductor.tell({
      type: "start",
      started: {
        type: "run.started",
        kernel: KERNEL,
        tenant: "t",
        run: "run_x",
        flow: "f",
        task,
        inputs: {},
        autonomous,
        rehearsed: false,
        trigger: { kind: "api" },
        pinned: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} },
        ...more,
      },
    })
    if (!received.ok) throw new Error(received.error.code)
  }

  async *#reply(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    const turn = await new Promise<Turn>((resolve) => {
      this.asked.push({
        request,
        signal,
        answer: async (t) => {
          resolve(t)
          await turns()
        },
      })
    })
    for (const text of turn.deltas ?? []) yield { type: "text", text }
    const toolCalls = (turn.calls ?? (turn.finish ? [{ name: "finish", args: turn.finish }] : [])).map((c, i) => ({
      id: `c${i}`,
      name: c.name,
      args: typeof c.args === "string" ? c.args : JSON.stringify(c.args),
    }))
    yield {
      type: "final",
      text: turn.text ?? turn.deltas?.join("") ?? "",
      thinking: false,
      toolCalls,
      ...(turn.state === undefined ? {} : { state: turn.state }),
      usage: turn.usage ?? { input: 1, output: 1 },
      stopReason: turn.error ? "error" : toolCalls.length > 0 ? "toolUse" : "stop",
      ...(turn.error ? { error: { message: "scripted", ...turn.error } } : {}),
    }
  }

  /** Runs everything that needs no outside answer: tools, handlers, starts. */
  async settle(): Promise<void> {
    await turns()
    await until(
      () => Object.values(this.conductor.run.underway).every((u) => u.kind === "model" || u.kind === "compact"),
      () => `still under way: ${Object.keys(this.conductor.run.underway).join(", ")}`,
    )
  }

  /** The next asked turn of a step. */
  async next(step: string): Promise<Asked> {
    const isIt = (a: Asked): boolean => a.request.place.step === step
    await until(
      () => this.asked.some(isIt),
      () => `step ${step} asks no model; the journal ends with ${JSON.stringify(this.events().slice(-3))}`,
    )
    const [found] = this.asked.splice(this.asked.findIndex(isIt), 1)
    if (!found) throw new Error("it was there")
    return found
  }

  events(): RunEvent[] {
    return this.journal.read(0, 100_000)
  }
  types(): string[] {
    return this.events().map((e) => e.type)
  }
}

/** Polls until it holds. Hashing and loading go through threads and other processes, so turns are not counted; the limit catches a hang. */
export async function until(isSo: () => boolean, fault: () => string): Promise<void> {
  const limit = performance.now() + 60_000
  while (!isSo()) {
    if (performance.now() > limit) throw new Error(fault())
    await turns()
  }
}

/** A few turns of the event loop. */
async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise<void>((r) => setImmediate(r))
}

export const agent = (name: string, head = ""): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: x/${name}\n${head}---\nDo it. \${{task}}\n`
export const flow = (steps: string, head = ""): string => `name: f\ndescription: d\n${head}steps:\n${steps}`
export const done = (summary = "done", more: object = {}): Turn => ({ finish: { status: "complete", summary, files: [], ...more } })
