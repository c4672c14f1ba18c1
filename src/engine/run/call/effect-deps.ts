// Defines the dependencies of performing an effect: the ports of a run, and the functions of its object.

import type { Amount } from "../../../core/money/amount.ts"
import type { ScriptedCall } from "../../../core/case/rehearsal.ts"
import type { Rules } from "../../../core/tool/policy/policy.ts"
import type { ChildWish } from "../../../core/run/action.ts"
import type { Redactor } from "../../../core/secrets/redact.ts"
import type { ContentPart } from "../../../core/run/event-parts.ts"
import type { JsonObject } from "../../../core/json.ts"
import type { Lease, ToolResult } from "../../../core/run/signal.ts"
import type { Run } from "../../../core/run/state.ts"
import type { Thinking } from "../../../core/flow/agent.ts"
import type { Blobs } from "../../../ports/blobs.ts"
import type { Author } from "../../../ports/tenant/catalog.ts"
import type { BatchedModel } from "../../../ports/model-batches.ts"
import type { HandedCall } from "../../../ports/batched-calls.ts"
import type { Clock } from "../../../ports/clock.ts"
import type { Journal } from "../../../ports/journal.ts"
import type { Model, ModelError, Sealing } from "../../../ports/model.ts"
import type { Sandbox } from "../../../ports/sandbox.ts"
import type { CachedPasses } from "../../../ports/tenant/cached-passes.ts"
import type { ModelGate, PacedCall } from "../../../ports/tenant/pacing.ts"
import type { StickySessions } from "../../../ports/tenant/sessions.ts"
import type { SkillLibrary, Tool, ToolPowers } from "../../../ports/tool.ts"
import type { Calling } from "./calling.ts"
import type { TrialRecording } from "./trial-recording.ts"
import type { CarryDeps } from "../carry-out.ts"

export interface EffectDeps {
  readonly journal: Journal
  readonly blobs: Blobs
  readonly clock: Clock
  readonly tools: ReadonlyMap<string, Tool>
  readonly skills: SkillLibrary
  /** Present in runs whose agents may write the catalog; passed only to role architect [G8]. */
  readonly author: Author
  hash(text: string): string
  choose(ref: string): Promise<
    | {
        readonly model: Model
        readonly id: string
        readonly thinking?: Thinking
        /** [R32] Its calls in batches. Absent: it has no batch API. */
        readonly batched?: () => BatchedModel | undefined
        /** [R26] Absent: its calls are not paced. */
        readonly gate?: (call: PacedCall) => ModelGate
      }
    | { readonly error: ModelError }
  >
  /** [R27] Whether somebody has a request or a stream of the run open. Absent: nobody has. */
  isFollowed?(): boolean
  /** [R33] Hands a call to the map's run of this id. false: it has no use for it. May reject; then the call is tried again. Absent: of a
   *  turn that belongs to no run. */
  handOver?(run: string, call: HandedCall): Promise<boolean>
  /** [J2] Called before a model is asked: a request that leaves the object must find its beginning in the journal. */
  asking(ref: string): void
  /** The stripped handler of a code step; undefined: none is stored. */
  handler(flow: string, step: string): Promise<{ readonly hash: string; readonly source: string } | undefined>
  readonly sandbox: Sandbox
  /** [M3] What a rehearsal says of the calls that a step makes itself in this pass. Absent: it says nothing. */
  scripted?(step: string, pass: number): readonly ScriptedCall[]
  /** Starts the child run; a repeat returns the same run. `fault`: why it cannot start. Must not reject. */
  startChild(
    run: Run,
    wish: ChildWish,
    signal: AbortSignal,
    /** [V27] Of a judge: its task. */ asked?: () => Promise<string>,
  ): Promise<{ readonly run: string; readonly fault?: string }>
  /** Leases a part of the tenant's daily budget [B4], once per key. May reject; then it is called again. */
  lease(run: string, key: string, amount: Amount): Promise<Lease>
  /** [F77] What the source of this fork was answered by the same call, after the cut. Absent: nothing was recorded. */
  recorded?(fork: NonNullable<Run["fork"]>, tool: string, args: JsonObject): Promise<ToolResult | undefined>
  /** [V35] What the run with this recording was answered. May reject; then the call is tried again. Absent: nothing was recorded. */
  recording?(run: string): Promise<TrialRecording>
  readonly commitBelow: CarryDeps["commitBelow"]
  /** The tenant's rules, at most 5 s old [G1]. Rejects if they cannot be read, because older rules must not be used. */
  rules(seen: number): Promise<Rules>
  /** What a tool may use outside its run: its declared secret scopes, the network, memory, shared files [T32]. */
  powers(tool: Tool, permits: (host: string, port: number) => string | undefined, calling: Calling): Partial<ToolPowers>
  /** Can the tool be called again without anybody noticing? It reads and changes the run's files and nothing else. */
  repeats(tool: Tool): boolean
  /** Removes the tenant's secrets from what arrives [T32]. Rejects if they cannot be read; then no request is sent. */
  redactor(): Promise<Redactor>
  readonly sessions: StickySessions
  /** [R38] */
  readonly cached: Pick<CachedPasses, "find">
  /** [J20] */
  readonly sealing: Sealing
  /** Transient frames [E2]. */
  delta(step: string, turn: number, text: string): void
  progress(step: string, callId: string, tool: string, content: readonly ContentPart[]): void
}
