// Plays a scenario on the kernel and the oracle in parallel, and reports their differences after each move.

import { compile } from "../../../src/core/run/plan.ts"
import { readCalls } from "../../../src/core/run/session/calls.ts"
import type { Rules } from "../../../src/core/tool/policy/policy.ts"
import { canonical, type JsonObject } from "../../../src/core/json.ts"
import type { Answer } from "../../../src/core/run/signal.ts"
import { isOver, type Interaction } from "../../../src/core/run/state.ts"
import { agent, flowOf } from "./builders.ts"
import { writes } from "./oracle-rules.ts"
import { Oracle, type OracleWorld, type Said } from "./oracle.ts"
import { GOOD_FINISH, IDS, UNIVERSE, type Move, type Scenario } from "./oracle-world.ts"
import { replyOf, Shell } from "./shell.ts"

const MODELS = { worker: "acme/big", toString: "other/small", hasOwnProperty: "constructor/x" }

/** Counts of what happened, so that a test can demand enough of each. */
export interface Tally {
  ran: number
  asked: number
  approvedThenRan: number
  refused: Record<string, number>
  repeated: number
  afterTaint: number
}
export const newTally = (): Tally => ({ ran: 0, asked: 0, approvedThenRan: 0, refused: {}, repeated: 0, afterTaint: 0 })

export class Breach extends Error {}

export function drive(scenario: Scenario, tally: Tally): void {
  const driver = new Driver(scenario)
  driver.compare("start")
  for (const move of scenario.moves) {
    if (driver.over()) break
    driver.make(move)
    driver.compare(move.do)
  }
  driver.count(tally)
}

class Driver {
  readonly shell: Shell
  readonly oracle: Oracle
  #version = 1
  #results = 0
  /** [J22] Rejected finishes and turns without calls, by step: after more than two the step ends by itself. */
  readonly #tries = new Map<string, number>()
  /** Key → the arguments that its handler got, for every attempt. */
  readonly #handled = new Map<string, { args: string; times: number }>()
  readonly #begun = new Map<string, number>()
  #approved = 0

  constructor(s: Scenario) {
    const tools = UNIVERSE.map((t) => (Object.hasOwn(s.toolRules, t.name) ? { ...t, approval: s.toolRules[t.name] ?? "never" } : t))
    const [a, b, c] = s.agents
    const quoted = s.quotes.map((id) => `\${{result.${id}}}`).join(" and ")
    const steps = [
      agent("a", { agent: a.name }),
      agent("b", { agent: b.name }),
      agent("c", { agent: c.name, blockedBy: ["a", "b"], task: `go on ${quoted}` }),
    ]
    const flow = flowOf(steps, s.flowRule === undefined ? {} : { approvals: { tools: s.flowRule } })
    const agents = Object.fromEntries(s.agents.map((x) => [x.name, x]))
    const pinned = { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: MODELS }
    this.shell = new Shell(compile({ flow, agents, skills: {}, tools }), {
      rules: s.rules,
      tainted: s.tainted,
      snapshotEvery: s.snapshotEvery,
      atOnce: 100,
      started: { pinned },
    })
    const of = (id: string, who: typeof a, after: string[], quotes: readonly string[]) => ({
      id,
      agent: who,
      model: MODELS[who.name as keyof typeof MODELS],
      after,
      quotes,
    })
    const world: OracleWorld = {
      tools,
      steps: [of("a", a, [], []), of("b", b, [], []), of("c", c, ["a", "b"], s.quotes)],
      tainted: s.tainted,
      ...(s.flowRule === undefined ? {} : { flowRule: s.flowRule }),
    }
    this.oracle = new Oracle(world, s.rules)
    this.#see()
  }

  over(): boolean {
    return isOver(this.shell.run)
  }

  make(move: Move): void {
    const { shell, oracle } = this
    switch (move.do) {
      case "reply":
        return this.#reply(move)
      case "return":
        return this.#return(move)
      case "answer":
        return this.#answer(move)
      case "rules":
        shell.rules = { ...move.rules, version: move.stale ? 0 : this.#version++ }
        return
      case "crash":
        shell.crash()
        oracle.crash()
        return
      case "cancel":
        // Rare: most runs should continue.
        if (this.#results % 5 < 4) return
        shell.tell({ type: "cancel", by: "ann" })
        oracle.cancel()
        return
      case "pass": {
        const due = shell.nextDue()
        if (due === undefined) return
        shell.pass(due)
        // Recording takes time, in which more may have become due.
        while ((shell.nextDue() ?? Infinity) <= shell.now) shell.pass(shell.now)
        oracle.pass(shell.now)
        return
      }
      case "stray":
        return this.#stray()
    }
  }

  #reply(move: Extract<Move, { do: "reply" }>): void {
    const { shell, oracle } = this
    const step = pick(oracle.thinking(), move.pick)
    if (step === undefined) return
    // Rejected finishes beyond the allowance of 2 would end the step, which this test does not cover.
    const tries = this.#tries.get(step) ?? 0
    let left = 2 - tries
    const turn: readonly Said[] = move.turn.filter((c) => c.name !== "finish" || c.args === GOOD_FINISH.args || left-- > 0)
    if (turn.length === 0) return
    const sent = turn.map((c, i) => ({
      id: move.ids % 3 === 0 ? (IDS[(move.ids + i * 7) % IDS.length] ?? "") : `k${i}`,
      name: c.name,
      args: c.args,
    }))
    const toolCalls = readCalls(sent)
    const key = shell.flying(step, "/model")
    const digests = Object.fromEntries(toolCalls.map((c) => [c.id, canonical([key, c.id, c.name, c.args])]))
    const at = shell.now
    const rules = this.#rulesNow()
    const before = shell.events("finish.rejected").length
    const told = shell.tell({
      type: "model.reply",
      key,
      reply: { ...replyOf([]), toolCalls, stopReason: "toolUse" },
      at,
      digests,
      ...(rules ? { rules } : {}),
    })
    if (!told.ok) throw new Breach(`a reply was refused: ${JSON.stringify(told.error)}`)
    this.#tries.set(step, tries + shell.events("finish.rejected").length - before)
    oracle.reply(
      step,
      turn,
      toolCalls.map((c) => c.id),
      at,
      rules,
    )
  }

  #return(move: Extract<Move, { do: "return" }>): void {
    const { shell, oracle } = this
    const running = oracle.running()
    const one = pick(running, move.pick)
    if (one === undefined) return
    const [step = "", id = ""] = one.split(/\/(.*)/s)
    const key = shell.flying(step, `/tool/${id}`)
    const flags = { ...(move.flags % 11 === 0 ? { untrusted: true } : {}), ...(move.flags % 7 === 0 ? { private: true } : {}) }
    const text = `result ${this.#results++}`
    const signal = {
      type: "tool.result" as const,
      key,
      result: { isError: move.flags % 5 === 0, content: [{ type: "text" as const, text }], digest: text, ...flags },
    }
    if (!shell.tell(signal).ok) throw new Breach(`the result of ${key} was refused`)
    oracle.returns(step, id, flags)
    if (shell.tell(signal).ok) throw new Breach(`the result of ${key} was taken twice`)
  }

  #answer(move: Extract<Move, { do: "answer" }>): void {
    const { shell, oracle } = this
    const all = shell.pending()
    const i = all[move.pick % Math.max(1, all.length)]
    if (i === undefined) return
    const body = this.#body(i, all, move)
    const rules = this.#rulesNow()
    const hash = String(i.payload["hash"])
    const expected = oracle.expects(i.step, i.callId ?? "", body, rules, hash)
    const told = shell.answer(i.id, body)
    if (expected === "stay" && told.ok) throw new Breach(`${JSON.stringify(body)} was taken: it does not fit, or its arguments may not run`)
    if ((expected === "run" || expected === "no") && !told.ok)
      throw new Breach(`${JSON.stringify(body)} was refused: ${JSON.stringify(told.error)}`)
    if (!told.ok) return
    oracle.answered(i.step, i.callId ?? "", body, rules)
    if (expected === "run") this.#approved += 1
    const again = shell.answer(i.id, { decision: "approve" })
    if (again.ok || again.error.code !== "already_answered") throw new Breach(`a second answer to ${i.id}: ${JSON.stringify(again)}`)
  }

  #body(i: Interaction, all: readonly Interaction[], { kind, args }: { kind: number; args: string }): Answer {
    const hash = String(i.payload["hash"])
    const other = all.find((x) => x.id !== i.id)?.payload["hash"]
    const edit = editOf(args)
    const shown = i.payload["args"] as JsonObject
    const bodies: readonly Answer[] = [
      { decision: "approve" },
      { decision: "approve" },
      { decision: "approve", hash },
      { decision: "approve", hash: `${hash}x` },
      { decision: "approve", hash: typeof other === "string" ? other : "" },
      { decision: "approve", args: edit },
      { decision: "reject" },
      { decision: "reject", feedback: "approve" },
      { decision: "edit", args: edit },
      { decision: "edit", args: { ...shown, ...edit } },
      { decision: "edit", args: { ...shown, n: 7 }, hash },
      { decision: "edit", args: { ...shown, n: 2 }, hash: "other" },
      { decision: "edit", args: shown },
      { decision: "edit" },
      { cancelled: true },
      { auto: true },
      { answer: "approve" },
      { answer: true },
      { custom: "approve" },
      {},
    ]
    return bodies[kind % bodies.length] ?? {}
  }

  /** Answers to unknown or already answered questions. */
  #stray(): void {
    const { shell } = this
    const closed = Object.values(shell.run.interactions).filter((i) => i.status !== "pending")
    for (const id of ["i999", "__proto__", "constructor", "", ...closed.map((i) => i.id)])
      if (shell.answer(id, { decision: "approve" }).ok) throw new Breach(`an answer to "${id}" was taken`)
  }

  /** Sends the rules of the last change; older rules must not count. */
  #rulesNow(): Rules | undefined {
    return this.shell.rules
  }

  /** Each handler gets the admitted arguments, and unrepeatable calls are not repeated. */
  #see(): void {
    for (const e of this.shell.log.slice(this.#seen)) {
      if (e.type === "action.begun" && e.kind === "tool") this.#begun.set(e.key, (this.#begun.get(e.key) ?? 0) + 1)
    }
    this.#seen = this.shell.log.length
    for (const [key, effect] of this.shell.flights) {
      if (effect.do !== "run-tool") continue
      const args = canonical([effect.call.name, effect.args])
      const known = this.#handled.get(key)
      if (known !== undefined && known.args !== args) throw new Breach(`${key} was run with ${known.args}, and again with ${args}`)
      this.#handled.set(key, { args, times: this.#begun.get(key) ?? 0 })
    }
  }
  #seen = 0

  compare(after: string): void {
    this.#see()
    const { shell, oracle } = this
    const same = (what: string, is: unknown, should: unknown): void => {
      if (canonical(is) === canonical(should)) return
      const refusals = shell.events("tool.refused").map((e) => `${e.step}/${e.callId} ${e.tool}: ${e.code}, ${e.reason}`)
      throw new Breach(
        `after ${after}: ${what}: is ${canonical(is)}, should be ${canonical(should)}; refused so far: ${refusals.join("; ")}`,
      )
    }
    for (const [step, should] of oracle.ran) {
      const called = shell.events("tool.called").filter((e) => e.step === step)
      same(
        `calls that ran in ${step}`,
        called.map((e) => [e.tool, canonical(e.args)]),
        should,
      )
    }
    if (oracle.ended) {
      if (shell.pending().length > 0 || shell.flights.size > 0)
        throw new Breach(`after ${after}: the run is over, but there is ${shell.keys().join()}`)
      return
    }
    const tools = [...shell.flights.values()].flatMap((e) => (e.do === "run-tool" ? [`${e.step}/${e.call.id}`] : []))
    same("tools at work", tools.sort(), oracle.running())
    same(
      "questions",
      shell
        .pending()
        .map((i) => `${i.step}/${i.callId}`)
        .sort(),
      oracle.asked(),
    )
    const models = [...shell.flights.values()].flatMap((e) => (e.do === "call-model" ? [e.step] : []))
    same("models at work", models.sort(), oracle.thinking())
    for (const [step, should] of oracle.refused) {
      const is = shell.events("tool.refused").filter((e) => e.step === step)
      same(`calls refused in ${step}`, is.map((e) => e.callId).sort(), should.map(([id]) => id).sort())
      const left = is.map((e) => [e.callId, e.code] as const)
      for (const [id, codes] of should) {
        const at = left.findIndex(([i, code]) => i === id && codes.includes(code))
        if (at < 0) throw new Breach(`after ${after}: ${step}/${id} should be refused as ${codes.join(" or ")}, is ${JSON.stringify(left)}`)
        left.splice(at, 1)
      }
    }
    for (const [key, { args, times }] of this.#handled) {
      if (times < 2) continue
      const [name, given]: [string, JsonObject] = JSON.parse(args)
      const tool = UNIVERSE.find((t) => t.name === name)
      if (!tool || (writes(tool, given) && tool.idempotent !== true)) throw new Breach(`${key} was sent ${times} times`)
    }
  }

  count(tally: Tally): void {
    const { shell } = this
    tally.ran += shell.events("tool.called").length
    tally.asked += shell.events("interaction.asked").length
    tally.approvedThenRan += this.#approved
    for (const e of shell.events("tool.refused")) tally.refused[e.code] = (tally.refused[e.code] ?? 0) + 1
    tally.repeated += [...this.#handled.values()].filter((h) => h.times > 1).length
    tally.afterTaint += shell.events("interaction.asked").filter((e) => e.payload["reason"] === "tainted").length
  }
}

function editOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
  } catch {
    return {}
  }
}

const pick = <T>(from: readonly T[], n: number): T | undefined => from[n % Math.max(1, from.length)]
