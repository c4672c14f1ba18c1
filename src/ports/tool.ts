// Defines the execution of a tool [T1]. Its name and parameters are in core/tool/tool-spec.ts. A tool fails by throwing; the message goes
// to the model.

import { defined } from "../core/defined.ts"
import type { Json, JsonObject } from "../core/json.ts"
import type { ToolSpec } from "../core/tool/tool-spec.ts"
import type { ChildReport } from "../core/run/steps/children.ts"
import type { ContentPart } from "../core/run/event-parts.ts"
import type { Redactor } from "../core/secrets/redact.ts"
import type { Trace } from "../core/trace.ts"
import type { AnsweredQuestion, ServerQuestion } from "../core/tool/elicitation.ts"
import type { Browser } from "./browser.ts"
import type { Data } from "./data.ts"
import type { Exec } from "./exec.ts"
import type { Plans } from "./tenant/authoring/plans.ts"
import type { References } from "./references.ts"
import type { Services } from "./tenant/settings.ts"
import type { McpBearer } from "./mcp.ts"
import type { Net } from "./net.ts"
import type { Workspace } from "./workspace.ts"
import type { Author, Limits } from "./tenant/catalog.ts"

export interface ToolOutcome {
  readonly content: readonly ContentPart[]
  /** For users and client pages; the model does not see it. */
  readonly details?: Json
  /** Where outside text came from, named in its delimiter [G11]. Absent: the tool's name. */
  readonly source?: string
  /** Marks this answer as outside text when not every answer of the tool is [G11]: a file that a tainted session wrote, a memory entry. */
  readonly untrusted?: boolean
  /** Marks this answer as private when not every answer of the tool is [G11]. */
  readonly private?: boolean
  /** [F56] Pictures and PDFs of the workspace to show the model with this answer, by path. Only inside a run. */
  readonly shows?: readonly string[]
}

/** Receives a partial result [A7, T7], which is shown but never journaled. */
export type OnUpdate = (partial: ToolOutcome) => void

/** Everything that a tool may use. A power that is not available is absent, and the tool reports that. */
export interface ToolPowers {
  readonly workspace: Workspace
  /** Files of the pinned skills that this session declares [F61]. */
  readonly skills: SkillLibrary
  /** Present for role architect and for a caller with the catalog scopes. */
  readonly author?: Author
  /** Present for the main session only [G8]. */
  readonly subagents?: Subagents
  /** Stored full outputs of this run, by handle [T5]. */
  readonly outputs?: { read(handle: string): Promise<Uint8Array | undefined> }
  /** The caller, for tools that separate data by caller. Never gives access to another tenant. */
  readonly place?: {
    readonly run?: string
    readonly step?: string
    /** The call's unique key in its run [J1], the same when the call is repeated. A model's ids are unique only within one reply. */
    readonly call?: string
    /** [K31] The call changes something outside: the name under which the service may know that it has had it. */
    readonly idempotencyKey?: string
    readonly agent?: string
    readonly plan?: string
    /** [G11] The caller's session has read text from outside, or something private. */
    readonly tainted?: boolean
    readonly private?: boolean
  }
  readonly net?: Net
  /** The session's browser page. Present inside a run if a browser is bound [T25]. */
  readonly browser?: Browser
  /** Values of the scopes that this tool declares, and of no other scope [T32]. */
  readonly secrets?: { get(scope: string): Promise<string | undefined> }
  /** [T32] Every secret of the tenant, for what a tool shows only the beginning of. Given with every call; absent: nothing is secret. */
  readonly redactor?: () => Redactor
  /** The addresses of the tenant's search provider and cluster [T22, T25]. */
  readonly services?: { get(): Promise<Services> }
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
  /** [T8] The tools of the session that fit the words, best first. */
  readonly findTools?: (args: { readonly query: string; readonly limit?: number }) => readonly ToolSpec[]
  /** A machine for commands, if one is bound [T20]; without it there is only the Worker's built-in shell. */
  readonly exec?: Exec
  /** Inside a run only: a person can be asked on behalf of the tool's server [T27]. */
  readonly asking?: Asking
  /** Access tokens of the tenant's connected MCP servers, by the server's name and address [T27]. */
  readonly connection?: (server: string, url: string) => McpBearer
}

/** A tool that asks ends its call. The call is made again, from the beginning, when every question has its answer. */
export interface Asking {
  /** In the order that they were asked. */
  readonly answered: readonly AnsweredQuestion[]
  /** What the server noted with its last questions. */
  state(): Promise<string | undefined>
  ask(questions: readonly ServerQuestion[], state?: string): void
}

/** The agents to which a session may hand work [C41, T42]. */
export interface Team {
  /** Only the agents in the routes of the session's agent. */
  list(): readonly TeamMate[]
  /** Runs that agent and waits for the result. A repeated call joins the same run; an abort cancels it. */
  call(agent: string, prompt: string, signal: AbortSignal): Promise<TeamAnswer>
}
export interface TeamMate {
  readonly name: string
  readonly description: string
  readonly role?: string
}
/** `report.tainted`: the report contains outside text. */
export type TeamAnswer =
  | { readonly ok: true; readonly run: string; readonly report: ChildReport }
  | { readonly ok: false; readonly run?: string; readonly message: string }

/** A tenant's memory [T23]: entries in namespaces, found by keyword and, if a model is bound, by meaning. */
export interface Memory {
  write(entry: {
    readonly namespace: string
    readonly content: string
    readonly tainted: boolean
    readonly source?: string
    /** For repeated calls [J11]: an entry is written only once per key. */
    readonly key?: string
  }): Promise<{ readonly id: string; readonly version?: number }>
  /** Writes several entries of one source, all or none. */
  append(
    namespace: string,
    contents: readonly string[],
    meta: { readonly tainted: boolean; readonly source?: string; readonly key?: string },
  ): Promise<void>
  /** The newest `limit` entries, in order from oldest to newest. */
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

/** The tenant's shared files [T24], outside any run's workspace. Keys are normalized paths. */
export interface Objects {
  /** Throws a `StorageError` if the file would exceed the tenant's storage quota [H6]. */
  put(key: string, body: Uint8Array, meta: { readonly contentType?: string; readonly tainted: boolean }): Promise<void>
  get(key: string): Promise<StoredObject | undefined>
  /** Sorted by key, starting after `after`. A key is text too: `tainted` goes for both [G11]. */
  list(
    prefix: string,
    limit: number,
    after?: string,
  ): Promise<readonly { readonly key: string; readonly size: number; readonly tainted: boolean }[]>
  /** Stores the file under a key made from its folder, content and name, so that what a link shows never changes. */
  keep(
    folder: string,
    name: string,
    body: Uint8Array,
    meta: { readonly contentType?: string; readonly tainted: boolean },
  ): Promise<{ readonly key: string }>
  /** false: nothing was there to remove. */
  remove(key: string): Promise<boolean>
  /** A signed link that expires; `ttl` in seconds. */
  link(key: string, ttl: number): Promise<{ readonly url: string; readonly expires: number }>
}

export interface StoredObject {
  readonly body: Uint8Array
  readonly contentType?: string
  readonly tainted: boolean
}

/** The abilities of the Worker's AI binding or a vision-capable provider. Each method is absent if nothing is bound for it. */
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
  /** The skill's allow-list, without `SKILL.md`, which is always readable. undefined: no such skill. */
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
    /** [H4] The caller's Idempotency-Key, from which the ids of run and session are derived. */
    key?: string
    /** [H8] The trace of the caller's request. */
    trace?: Trace
  }): Promise<SubagentResult>
}
/** There is no room for another run now; `retry`: milliseconds until there may be. */
export interface NoRoom {
  readonly message: string
  readonly retry: number
  readonly limits: Limits
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
  /** Without `runId`, nothing was started. */
  | { readonly kind: "failed"; readonly runId?: string; readonly sessionId?: string; readonly message: string; readonly noRoom?: NoRoom }
  /** The session is unknown or busy; nothing was started. */
  | { readonly kind: "session"; readonly sessionId: string; readonly message: string }

/** The result in the format of pi-subagents (B7 in docs/PARITY.md). */
export type Finalized =
  | { readonly status: "SUCCESS"; readonly result: string }
  | { readonly status: "ERROR"; readonly error: string; readonly result?: string }

/** The error of a failed tool that has more than a message, such as a remote tool's error result. A returned `isError` has no effect [A3]. */
export class ToolFailure extends Error {
  readonly content: readonly ContentPart[]
  readonly details: Json
  readonly source: string | undefined
  /** Marks this failure's text as outside text when not every answer of the tool is [G11]. */
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
  /** [K35] What takes a confirmed call back. Its arguments are those of the call, and the call's answer. */
  readonly undo?: Tool
  execute(callId: string, params: JsonObject, signal: AbortSignal, onUpdate: OnUpdate | undefined, powers: ToolPowers): Promise<ToolOutcome>
}

export const text = (value: string, details?: Json): ToolOutcome => ({ content: [{ type: "text", text: value }], ...defined({ details }) })
