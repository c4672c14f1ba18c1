// The oracle [S8, S9]: which calls may run in a session, with which arguments and in which order, by the spec alone. It gets the same
// signals as the kernel (replies, results, answers, crashes, rules, time) and keeps its own state; oracle.test.ts compares the two.
//
// It looks at the kernel's choice only where the spec allows two and neither runs anything: a useless answer is refused, or rejects.

import type { Agent } from "../../../src/core/flow/agent.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import type { ApprovalRule, Rules } from "../../../src/core/tool/policy/policy.ts"
import type { Answer } from "../../../src/core/run/signal.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import * as rule from "./oracle-rules.ts"
import { fitArgs, plainPath, readArgs } from "./oracle-args.ts"

export interface OracleStep {
  readonly id: string
  readonly agent: Agent
  readonly model: string
  readonly after: readonly string[]
  /** Steps whose results its task quotes. */
  readonly quotes: readonly string[]
}
export interface OracleWorld {
  readonly tools: readonly ToolSpec[]
  readonly steps: readonly OracleStep[]
  readonly flowRule?: ApprovalRule
  readonly tainted: boolean
}
/** As the model sent it. */
export interface Said {
  readonly name: string
  readonly args: string
}
type State = "ready" | "asked" | "running" | "done"
interface Entry {
  readonly id: string
  readonly tool: ToolSpec
  args: JsonObject
  state: State
  /** How often it was lost. */
  lost?: number
  expires: number
  /** The codes that a refusal may have. */
  no: readonly string[]
}
interface Session {
  readonly list: ReadonlySet<string>
  open: Entry[]
  finished: boolean
  over: boolean
  tainted: boolean
  private: boolean
}
export type Ran = readonly [tool: string, args: string]
export type Refused = readonly [id: string, codes: readonly string[]]

export class Oracle {
  readonly ran = new Map<string, Ran[]>()
  readonly refused = new Map<string, Refused[]>()
  rules: Rules
  ended = false
  readonly #world: OracleWorld
  readonly #sessions = new Map<string, Session>()

  constructor(world: OracleWorld, rules: Rules) {
    this.#world = world
    this.rules = rules
    for (const { id } of world.steps) {
      this.ran.set(id, [])
      this.refused.set(id, [])
    }
    this.#go()
  }

  // The expected state now.

  asked(): string[] {
    return this.#entries("asked")
  }
  running(): string[] {
    return this.#entries("running")
  }
  #entries(state: State): string[] {
    if (this.ended) return []
    return [...this.#sessions].flatMap(([step, s]) => s.open.flatMap((e) => (e.state === state ? [`${step}/${e.id}`] : []))).sort()
  }
  /** Steps whose model should be called. */
  thinking(): string[] {
    if (this.ended) return []
    return [...this.#sessions].flatMap(([step, s]) => (!s.over && s.open.length === 0 ? [step] : [])).sort()
  }

  // Events.

  reply(step: string, calls: readonly Said[], ids: readonly string[], at: number, rules: Rules | undefined): void {
    this.#updateRules(rules)
    const s = this.#session(step)
    const { agent } = this.#step(step)
    const no = (i: number, ...codes: string[]): unknown => this.refused.get(step)?.push([ids[i] ?? "", codes])
    for (const [i, call] of calls.entries()) {
      if (s.finished) no(i, "after_finish")
      else if (call.name === agent.finalizer) s.finished = isFinish(call.args)
      else {
        const { codes, tool, args } = this.#judge(step, s, call)
        if (codes || !tool || !args) no(i, ...(codes ?? []))
        else {
          const words = this.#asks(step, s, tool, args)
          s.open.push({
            id: ids[i] ?? "",
            tool,
            args,
            state: words ? "asked" : "ready",
            expires: at + this.rules.policy.approvals.expires,
            no: words ?? [],
          })
        }
      }
    }
    this.#go()
  }

  /** [G11] A result counts as read from now on, even an error. */
  returns(step: string, id: string, more: { untrusted?: boolean; private?: boolean }): void {
    const s = this.#session(step)
    const e = s.open.find((x) => x.id === id)
    if (!e) throw new Error(`${step}/${id} was never run`)
    e.state = "done"
    if (e.tool.untrusted === true || more.untrusted === true) s.tainted = true
    if (e.tool.private === true || (e.tool.requiredSecretScopes ?? []).length > 0 || more.private === true) s.private = true
    this.#go()
  }

  /** [J11] An unrepeatable call is not sent again; every other call is, once, at once and before calls approved meanwhile. */
  crash(): void {
    for (const s of this.#sessions.values())
      for (const e of s.open) {
        if (e.state !== "running") continue
        e.lost = (e.lost ?? 0) + 1
        if (e.lost === 2 || (rule.writes(e.tool, e.args) && e.tool.idempotent !== true)) e.state = "done"
      }
    this.#go()
  }

  /** [Q5] */
  pass(now: number): void {
    for (const [step, s] of this.#sessions) for (const e of s.open) if (e.state === "asked" && e.expires <= now) this.#refuse(step, e, e.no)
    this.#go()
  }

  cancel(): void {
    this.ended = true
  }

  /** Must this answer be accepted (`run`), must it be refused (`stay`), or is either fine as long as nothing runs (`free`)? */
  expects(step: string, id: string, body: Answer, given: Rules | undefined, hash: string): "run" | "no" | "stay" | "free" {
    const before = this.rules
    if (given && given.version > before.version) this.rules = given
    try {
      return this.#expects(step, id, body, hash)
    } finally {
      this.rules = before
    }
  }

  #expects(step: string, id: string, body: Answer, hash: string): "run" | "no" | "stay" | "free" {
    const s = this.#session(step)
    const e = s.open.find((x) => x.id === id)
    if (!e) return "stay"
    if (body.hash !== undefined && body.hash !== hash) return "stay"
    const alternatives = ["answer", "custom", "auto", "cancelled", "decision"].filter((k) => Object.hasOwn(body, k))
    if (alternatives.length !== 1 || alternatives[0] !== "decision") return "free"
    if (body.decision === "reject") return "no"
    // An approval may name the hash; with an edit it may be refused.
    if (body.decision === "edit" && body.hash !== undefined && this.#mayRun(step, s, e, body)) return "free"
    const args = body.decision === "edit" ? this.#edited(e, body) : e.args
    if (args === undefined || this.#bars(step, s, e.tool, args).length > 0) return body.decision === "edit" ? "stay" : "free"
    return body.decision === "approve" && body.args !== undefined ? "free" : "run"
  }

  /** An answer was accepted: the call runs with the shown or the edited arguments. */
  answered(step: string, id: string, body: Answer, rules: Rules | undefined): void {
    this.#updateRules(rules)
    const s = this.#session(step)
    const e = s.open.find((x) => x.id === id)
    if (!e || e.state !== "asked") throw new Error(`${step}/${id} was not asked`)
    // [G11] What a person tells a tainted session is private; a bare approval tells it nothing.
    if (s.tainted && (body.decision === "edit" || (body.decision === "reject" && (body.feedback ?? "") !== ""))) s.private = true
    const args = body.decision === "edit" ? this.#edited(e, body) : body.decision === "approve" ? e.args : undefined
    const bars = args === undefined ? e.no : this.#bars(step, s, e.tool, args)
    if (args === undefined || bars.length > 0) this.#refuse(step, e, [...bars, ...(args === undefined ? [] : e.no)])
    else {
      e.args = args
      e.state = "ready"
    }
    this.#go()
  }

  // The rules.

  #judge(step: string, s: Session, call: Said): { codes?: string[]; tool?: ToolSpec; args?: JsonObject } {
    const { agent, model } = this.#step(step)
    const tool = this.#world.tools.find((t) => t.name === call.name)
    if (call.name === "ask_user") return { codes: ["autonomous", "undeclared"] }
    if (!tool || !rule.declares(agent, tool))
      return { codes: tool && !rule.roleFits(tool, agent) ? ["undeclared", "role"] : ["undeclared"] }
    if (!rule.roleFits(tool, agent)) return { codes: ["role"] }
    if (!rule.policyAllows(this.rules.policy, agent.name, model, tool.name)) return { codes: ["policy"] }
    if (!s.list.has(tool.name)) return { codes: ["policy", "undeclared"] }
    const sent = readArgs(call.args)
    const args = sent === undefined ? undefined : fitArgs(tool.name, sent)
    if (args === undefined) return { codes: ["invalid_args"] }
    const codes = this.#bars(step, s, tool, args)
    return codes.length > 0 ? { codes } : { tool, args }
  }

  /** The reason that stops a call even if a person approves it. */
  #bars(step: string, s: Session, tool: ToolSpec, args: JsonObject): string[] {
    const { agent, model } = this.#step(step)
    return [
      ...(s.list.has(tool.name) && rule.policyAllows(this.rules.policy, agent.name, model, tool.name) ? [] : ["policy"]),
      ...(rule.denylisted(this.rules.policy, tool, args) ? ["denylist"] : []),
      ...(rule.scopesHeld(tool, this.rules) ? [] : ["scope"]),
      ...(rule.accessAllows(agent, tool, args, plainPath) ? [] : ["access"]),
    ]
  }

  #asks(step: string, s: Session, tool: ToolSpec, args: JsonObject): string[] | undefined {
    const { agent } = this.#step(step)
    const { policy } = this.rules
    const words =
      rule.approvalAsks(policy, this.#world.flowRule, agent, tool, args) ||
      rule.hookAsks(policy, tool) ||
      rule.autonomyAsks(policy, tool, args)
    const taint = rule.taintAsks(agent, policy, tool, args, s)
    return words || taint ? [...(words ? ["approval_rejected"] : []), ...(taint ? ["tainted"] : [])] : undefined
  }

  #mayRun(step: string, s: Session, e: Entry, body: Answer): boolean {
    const args = this.#edited(e, body)
    return args !== undefined && this.#bars(step, s, e.tool, args).length === 0
  }

  #edited(e: Entry, body: Answer): JsonObject | undefined {
    // Text is used only for size and depth: in text, a number that JSON cannot hold would be null.
    const readable = body.args !== undefined && readArgs(JSON.stringify(body.args)) !== undefined
    return readable && body.args ? fitArgs(e.tool.name, body.args) : undefined
  }

  #refuse(step: string, e: Entry, codes: readonly string[]): void {
    e.state = "done"
    this.refused.get(step)?.push([e.id, codes])
  }

  #updateRules(rules: Rules | undefined): void {
    if (rules && rules.version > this.rules.version) this.rules = rules
  }

  /** [J22] In the model's order: reads in parallel, writes alone. Then the next turn, or the next step. */
  #go(): void {
    for (const [step, s] of this.#sessions) {
      for (const e of s.open) {
        if (e.state !== "ready") continue
        const busy = s.open.filter((x) => x.state === "running")
        if (rule.writes(e.tool, e.args) ? busy.length > 0 : busy.some((x) => rule.writes(x.tool, x.args))) break
        e.state = "running"
        this.ran.get(step)?.push([e.tool.name, rule.sorted(e.args)])
      }
      if (!s.open.every((e) => e.state === "done")) continue
      s.open = []
      if (s.finished) s.over = true
    }
    let opened = false
    for (const step of this.#world.steps) {
      if (this.#sessions.has(step.id) || !step.after.every((id) => this.#sessions.get(id)?.over === true)) continue
      opened = true
      this.#sessions.set(step.id, this.#open(step))
    }
    if (opened) this.#go()
    if (this.#sessions.size === this.#world.steps.length && [...this.#sessions.values()].every((s) => s.over)) this.ended = true
  }

  /** [G1] The grant is fixed when the step opens. */
  #open({ agent, model, quotes }: OracleStep): Session {
    const granted = this.#world.tools.filter(
      (t) => rule.declares(agent, t) && rule.roleFits(t, agent) && rule.policyAllows(this.rules.policy, agent.name, model, t.name),
    )
    // Beyond the wording of [G11]: a step that only passes on what another step read must not bypass it (docs/SPEC.md).
    const hidden = quotes.some((id) => this.#sessions.get(id)?.private === true)
    const tainted = this.#world.tainted || quotes.some((id) => this.#sessions.get(id)?.tainted === true)
    return { list: new Set(granted.map((t) => t.name)), open: [], finished: false, over: false, tainted, private: hidden }
  }

  #session(step: string): Session {
    const s = this.#sessions.get(step)
    if (!s) throw new Error(`${step} is not open`)
    return s
  }
  #step(id: string): OracleStep {
    const step = this.#world.steps.find((s) => s.id === id)
    if (!step) throw new Error(`no step ${id}`)
    return step
  }
}

/** [G2] The finishes of the tests: `status` and `summary` are required, no other field exists. */
function isFinish(text: string): boolean {
  const args = readArgs(text)
  return args !== undefined && args["status"] === "complete" && typeof args["summary"] === "string" && Object.keys(args).length === 2
}
