// How a tool runs [T1]. What it is called and takes is core/tool-spec.ts. Throwing is the way to fail: the message goes to the model.

import type { Json, JsonObject } from "../core/json.ts"
import type { ToolSpec } from "../core/tool/tool-spec.ts"
import type { ChildReport } from "../core/run/steps/children.ts"
import type { ContentPart } from "../core/run/event.ts"
import type { Trace } from "../core/trace.ts"
import type { Browser } from "./browser.ts"
import type { Data } from "./data.ts"
import type { Exec } from "./exec.ts"
import type { Plans } from "./plans.ts"
import type { References } from "./references.ts"
import type { Net } from "./net.ts"
import type { ServicesPort } from "./services.ts"
import type { Workspace } from "./workspace.ts"
import type { Author } from "./catalog.ts"

export interface ToolOutcome {
  readonly content: readonly ContentPart[]
  /** For people and pages; the model does not see it. */
  readonly details?: Json
  /** Where text from outside came from: stands on its delimiter [G11]. Absent: the tool's name. */
  readonly source?: string
  /** This answer is from outside though the tool is not always [G11]: a file that a tainted session wrote, a memory entry. */
  readonly untrusted?: boolean
}

/** A partial result [A7, T7]: shown, never journaled. */
export type OnUpdate = (partial: ToolOutcome) => void

/** What a tool may reach: only what stands here. A power that is not there is absent, and the tool says so. */
export interface ToolPowers {
  readonly workspace: Workspace
  /** Files of the pinned skills this session declares: [F61]. */
  readonly skills: SkillLibrary
  /** Present for role architect and for a caller with the catalog scopes. */
  readonly author?: Author
  /** Present for the main session only [G8]. */
  readonly subagents?: Subagents
  /** Kept outputs of this run, by handle [T5]. */
  readonly outputs?: { read(handle: string): Promise<Uint8Array | undefined> }
  /** Who calls, for tools that keep things apart by it; never a way to another tenant. */
  readonly place?: {
    readonly run?: string
    readonly step?: string
    /** The call's key in its run [J1]: the same when it is made again, and no other call's. A model's own ids are unique in one reply only. */
    readonly call?: string
    readonly agent?: string
    readonly plan?: string
    readonly tainted?: boolean
  }
  readonly net?: Net
  /** The session's own page; for the browser tools, inside a run, where a browser is bound [T25]. */
  readonly browser?: Browser
  /** Values of the scopes that this tool declares, and of no others [T32]. */
  readonly secrets?: { get(scope: string): Promise<string | undefined> }
  /** Where the tenant's search provider and cluster stand [T22, T25]. */
  readonly services?: Pick<ServicesPort, "get">
  readonly memory?: Memory
  readonly objects?: Objects
  readonly models?: ModelPowers
  readonly system?: { info(): Promise<JsonObject> }
  readonly sessions?: Sessions
  readonly references?: References
  /** Inside a run only. */
  readonly plans?: Plans
  readonly team?: Team
  readonly data?: Data
  /** A machine for commands, when one is bound [T20]; without it the Worker's own shell is all there is. */
  readonly exec?: Exec
}

/** The agents that a session may hand work to [C41, T42]. */
export interface Team {
  /** Those of its agent's routes, and no others. */
  list(): readonly TeamMate[]
  /** A run of that agent, the same one however often this call is made, waited for. An abort cancels it. */
  call(agent: string, prompt: string, signal: AbortSignal): Promise<TeamAnswer>
}
export interface TeamMate {
  readonly name: string
  readonly description: string
  readonly role?: string
}
/** `report.tainted`: what it says came from outside. */
export type TeamAnswer =
  | { readonly ok: true; readonly run: string; readonly report: ChildReport }
  | { readonly ok: false; readonly run?: string; readonly message: string }

/** A tenant's memory [T23]: entries in namespaces, found by words and, with a model bound, by meaning. */
export interface Memory {
  write(entry: {
    readonly namespace: string
    readonly content: string
    readonly tainted: boolean
    readonly source?: string
    /** The same call made again [J11]: under one key an entry is written once. */
    readonly key?: string
  }): Promise<{ readonly id: string; readonly version?: number }>
  /** Several entries of one source, all or none. */
  append(
    namespace: string,
    contents: readonly string[],
    meta: { readonly tainted: boolean; readonly source?: string; readonly key?: string },
  ): Promise<void>
  /** The newest, oldest of them first. */
  read(namespace: string, limit?: number): Promise<readonly MemoryEntry[]>
  search(query: {
    readonly query: string
    readonly namespace?: string
    readonly limit: number
    readonly keywordOnly: boolean
  }): Promise<readonly (MemoryEntry & { readonly score: number })[]>
  /** Replaces all entries of a namespace. */
  replace(namespace: string, contents: readonly string[], tainted: boolean, source?: string): Promise<void>
}
export interface MemoryEntry {
  readonly id: string
  readonly namespace: string
  readonly content: string
  readonly tainted: boolean
  readonly source?: string
  /** Milliseconds. */
  readonly at: number
}

/** The tenant's shared files [T24], apart from any run's workspace. Keys are normalised paths. */
export interface Objects {
  /** Throws a `StorageError` when the tenant would store more than it may [H6]. */
  put(key: string, body: Uint8Array, meta: { readonly contentType?: string; readonly tainted: boolean }): Promise<void>
  get(key: string): Promise<StoredObject | undefined>
  /** By key, those after `after`. */
  list(prefix: string, limit: number, after?: string): Promise<readonly { readonly key: string; readonly size: number }[]>
  /** Under a key of its own, made of the folder, its content and its name: what a link to it shows never changes. */
  keep(
    folder: string,
    name: string,
    body: Uint8Array,
    meta: { readonly contentType?: string; readonly tainted: boolean },
  ): Promise<{ readonly key: string }>
  /** false: there was none. */
  remove(key: string): Promise<boolean>
  /** A signed link that expires; `ttl` in seconds. */
  link(key: string, ttl: number): Promise<{ readonly url: string; readonly expires: number }>
}

export interface StoredObject {
  readonly body: Uint8Array
  readonly contentType?: string
  readonly tainted: boolean
}

/** What the Worker's AI binding or a vision-capable provider can do; each is absent when nothing is bound for it. */
export interface ModelPowers {
  toMarkdown?(file: { readonly name: string; readonly mimeType: string; readonly body: Uint8Array }): Promise<string>
  analyzeImage?(image: { readonly data: string; readonly mimeType: string; readonly prompt: string }, signal: AbortSignal): Promise<string>
  transcribe?(audio: { readonly data: string; readonly mimeType: string }, signal: AbortSignal): Promise<string>
}

/** Sticky sessions of the tenant [J25]. */
export interface Sessions {
  list(): Promise<readonly JsonObject[]>
  remove(agent: string, id: string): Promise<boolean>
}

export interface SkillLibrary {
  names(): readonly string[]
  /** The allow-list of a skill (`SKILL.md` always readable, not in it), or undefined when the skill is unknown. */
  files(skill: string): readonly string[] | undefined
  read(skill: string, file: string): Promise<string | undefined>
}

export interface Subagents {
  run(request: {
    agent: string
    task: string
    inputs: Record<string, string>
    sessionId?: string
    signal: AbortSignal
    /** [H4] The caller's Idempotency-Key: run and session have the ids that follow from it. */
    key?: string
    /** [H8] What the caller says that its request is a part of. */
    trace?: Trace
  }): Promise<SubagentResult>
}
export type SubagentResult =
  | {
      readonly kind: "ended"
      readonly runId: string
      readonly sessionId: string
      readonly finish: JsonObject
      readonly finalized: Finalized
    }
  | { readonly kind: "waiting"; readonly runId: string; readonly sessionId: string }
  /** Without a run: nothing began, and why. */
  | { readonly kind: "failed"; readonly runId?: string; readonly sessionId?: string; readonly message: string }
  /** The session is unknown or busy: nothing began. */
  | { readonly kind: "session"; readonly sessionId: string; readonly message: string }

/** A finish in the words of pi-subagents (B7 in docs/PARITY.md). */
export type Finalized =
  | { readonly status: "SUCCESS"; readonly result: string }
  | { readonly status: "ERROR"; readonly error: string; readonly result?: string }

/** Thrown by a tool that failed and has more to show than a message: what a remote tool answered with its error. A returned `isError`
 *  says nothing [A3]. */
export class ToolFailure extends Error {
  readonly content: readonly ContentPart[]
  readonly details: Json
  readonly source: string | undefined
  /** This failure is told in somebody else's words, though the tool's answers are not always [G11]. */
  readonly untrusted: boolean

  constructor(content: readonly ContentPart[], details: Json = {}, source?: string, untrusted = false) {
    super(content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n"))
    this.content = content
    this.details = details
    this.source = source
    this.untrusted = untrusted
  }
}

export interface Tool extends ToolSpec {
  execute(callId: string, params: JsonObject, signal: AbortSignal, onUpdate: OnUpdate | undefined, powers: ToolPowers): Promise<ToolOutcome>
}

export const text = (value: string, details?: Json): ToolOutcome => ({
  content: [{ type: "text", text: value }],
  ...(details === undefined ? {} : { details }),
})
