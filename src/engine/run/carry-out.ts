// Carries out one effect on its own [K32, K35]: a call that a staged run kept, or the call that undoes a confirmed one. The session that
// made the call is over, so everything that a call takes from its session comes with the effect.

import { defined } from "../../core/defined.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import type { CarryOut } from "../../core/run/effects/outside.ts"
import { forbidden } from "../../core/run/effects/closing.ts"
import type { ContentPart } from "../../core/run/event-parts.ts"
import { hopJudge } from "../../core/run/session/hops.ts"
import type { Run } from "../../core/run/state.ts"
import type { Rules } from "../../core/tool/policy/policy.ts"
import { RESULT } from "../../core/tool/http-template.ts"
import { changesOutside } from "../../core/tool/outside.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Clock } from "../../ports/clock.ts"
import type { Journal } from "../../ports/journal.ts"
import type { SkillLibrary, Tool, ToolPowers } from "../../ports/tool.ts"
import type { Workspace } from "../../ports/workspace.ts"
import { pause } from "../../ports/timers.ts"
import { callingOf, fencesOf, type Calling } from "./call/calling.ts"
import type { Performed } from "./conduct/stage.ts"
import { executeTool, type CallOutcome } from "./call/execute-tool.ts"
import { idempotencyKey } from "./call/idempotency-key.ts"
import { scopedWorkspace } from "./call/scoped-workspace.ts"
import { StagedWorkspace } from "./call/staged-workspace.ts"
import { knownFirst } from "./call/tool-secrets.ts"
import { answerOf } from "./call/undo-answer.ts"
import { watched } from "./watched-net.ts"

export interface EffectDone {
  readonly state: "confirmed" | "failed" | "uncertain" | "refused" | "discarded"
  readonly reason?: string
  readonly content?: readonly ContentPart[]
}

export interface CarryDeps {
  readonly journal: Journal
  readonly blobs: Blobs
  readonly clock: Clock
  readonly tools: ReadonlyMap<string, Tool>
  readonly skills: SkillLibrary
  hash(text: string): string
  rules(seen: number): Promise<Rules>
  redactor(): Promise<Redactor>
  powers(tool: Tool, permits: (host: string, port: number) => string | undefined, calling: Calling): Partial<ToolPowers>
  /** [K32] Lets a child carry out an effect that it kept; resolves when it is settled, and a repeat returns the same. */
  commitBelow(effect: { readonly run: string; readonly key: string; readonly by: string }, signal: AbortSignal): Promise<EffectDone>
}

/** Nothing has been sent yet: what does not answer at once is asked again. */
const TRIES = 4 // limit: tries to read the rules before an effect goes out → the effect is `failed`, and nothing was sent
const PAUSE_MS = 100
/** Characters of a reason; the whole is the content. */
const SHOWN_REASON = 500

export async function carryOut(props: CarryDeps, run: Run, effect: CarryOut, signal: AbortSignal): Promise<Performed> {
  const { key, below } = effect
  const ended = (result: EffectDone, rules?: Rules): Performed => ({
    signal: { type: "effect.result", key, result, ...defined({ rules }) },
  })
  if (below) {
    const { state, reason } = await props.commitBelow(below, signal)
    return ended({ state, ...defined({ reason }) })
  }
  const call = prepared(props, run, effect)
  if (typeof call === "string") return ended({ state: "failed", reason: call })
  let rules: Rules
  let redactor: Redactor
  try {
    ;[rules, redactor] = await again(() => Promise.all([props.rules(run.rules.version), props.redactor()]))
  } catch {
    return ended({ state: "failed", reason: "nothing was sent, because the tenant's rules and secrets cannot be read: try again later" })
  }
  const why = rules.version > run.rules.version ? call.forbidden(rules) : undefined
  if (why !== undefined) return ended({ state: "refused", reason: why }, rules)
  const { tool, args } = call
  const staged = new StagedWorkspace({ index: props.journal, blobs: props.blobs, now: () => props.clock.now() })
  const lent = call.lent
  const traffic = watched(lent.net, tool)
  const powers: ToolPowers = {
    ...lent,
    ...traffic.net,
    ...knownFirst(lent.secrets, async () => void (redactor = await props.redactor())),
    place: call.place,
    workspace: call.fences.reduce<Workspace>((inner, access) => scopedWorkspace(inner, access), staged),
    skills: props.skills,
  }
  const done = await executeTool(
    { tool, args: { ...args, ...(await call.answer()) }, signal, powers },
    {
      callId: effect.callId,
      redactor: () => redactor,
      keep: (text) => props.blobs.put(new TextEncoder().encode(text)),
      sha256: async (text) => props.hash(text),
      nonce: () => props.hash(props.clock.id()).slice(0, 16),
      ...defined({ maxTimeout: call.maxTimeout }),
    },
  )
  // The workspace is what the run left: the steps that would have seen a change are over.
  return ended(outcomeOf(done, traffic.isUnclear(done)))
}

/** Read from the run before the first await; a text: why it cannot be carried out. */
function prepared(props: CarryDeps, run: Run, effect: CarryOut) {
  const { step, pass, key, callId, args, caller, undoes } = effect
  const own = props.tools.get(effect.tool)
  const tool = undoes ? own?.undo : own
  const agent = caller && run.plan.agents[caller.agent]
  if (!caller || !agent || !own) return `${effect.tool} is no longer part of this run: nothing was sent`
  if (!tool) return `${effect.tool} cannot be taken back`
  const permits = hopJudge(run, caller, tool, args)
  return {
    tool,
    args,
    // The rules of the run may change before the answer comes: each version is judged by what the run is now.
    forbidden: (rules: Rules) => forbidden({ ...run, rules }, { step, callId, tool: effect.tool, args }, caller),
    lent: props.powers(tool, permits, callingOf(run, { step, pass, session: caller }, key)),
    fences: fencesOf(run.plan, agent, caller.model),
    maxTimeout: run.rules.policy.max_timeout,
    place: {
      run: run.id,
      step,
      call: key,
      agent: agent.name,
      ...defined({ plan: agent.plan }),
      tainted: caller.tainted,
      private: caller.private,
      ...(changesOutside(own.name, own, args) ? { idempotencyKey: idempotencyKey(run.id, key, props.hash) } : {}),
    },
    answer: async () => (undoes ? { [RESULT]: await answerOf(props, undoes.result) } : {}),
  }
}

function outcomeOf({ isError, content }: CallOutcome, isUnclear: boolean): EffectDone {
  const said = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  if (!isError) return { state: "confirmed", content }
  return { state: isUnclear ? "uncertain" : "failed", reason: said.slice(0, SHOWN_REASON), content }
}

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await work()
    } catch (e) {
      if (n === TRIES) throw e
      await pause(PAUSE_MS * n)
    }
  }
}
