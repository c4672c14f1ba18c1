// Lists, reads, controls and deletes runs, and reads their events and files.

import type { ArchitectBegun, ArchitectSession } from "../api/doc/architect.doc.ts"
import type { RepairNotes } from "../api/architect.ts"
import type { CaseMade } from "../api/doc/tests.doc.ts"
import type { JsonObject } from "../core/json.ts"
import type { RunStatus, Trigger } from "../core/run/event-parts.ts"
import type { RunEvent } from "../core/run/event.ts"
import type { PublicRun } from "../core/run/views/public.ts"
import type { InteractionView, RunView } from "../core/run/views/view.ts"
import { follow, type Follow } from "./follow.ts"
import { followSocket } from "./follow-socket.ts"
import type { Frame } from "./frame.ts"
import { listed, Paged } from "./transport/paged.ts"
import { fileOf, type FileBody, type PutObject } from "./objects.ts"
import type * as effectShapes from "../api/doc/run/effects.doc.ts"
import type * as messageShapes from "../api/doc/run/messages.doc.ts"
import type { Session, SessionMessage } from "../api/doc/run/messages.doc.ts"
import type * as shapes from "../api/doc/run/runs.doc.ts"
import type * as trustShapes from "../api/doc/trust.doc.ts"
import type { EffectShown, UndoStarted } from "../api/doc/run/effects.doc.ts"
import type { effects, Resolution, UndoWish } from "../api/run/effects.ts"
import type { filesDiff } from "../api/files-diff.ts"
import type { prompts } from "../api/prompts.ts"
import type * as diffShapes from "../api/doc/run/files-diff.doc.ts"
import type * as promptShapes from "../api/doc/run/prompts.doc.ts"
import type { FilesDiff } from "../api/doc/run/files-diff.doc.ts"
import type { ForkCheck, TurnAnswer, TurnCheck } from "../api/doc/run/forks.doc.ts"
import type { StepPrompt } from "../api/doc/run/prompts.doc.ts"
import type { FileRow, RunCounts, RunRow, RunToken, Started } from "../api/doc/run/runs.doc.ts"
import type { Comparison, Replayed, SigningKey, Verified } from "../api/doc/trust.doc.ts"
import type { Again, Fork, Try } from "../api/run/forks.ts"
import type { CountedBy, RunSort, runs, TokenWish } from "../api/run/runs.ts"
import type { Page } from "../api/doc/shape.doc.ts"
import type { trust } from "../api/trust.ts"
import { Part } from "./transport/part.ts"
import type { RunOf } from "./register.ts"
import { part, parts } from "./transport/transport.ts"

/** The filter of a list of runs. */
export interface RunFilter {
  /** A flow, or several joined by commas; `*` stands for any characters. */
  readonly flow?: string
  readonly status?: RunStatus | readonly RunStatus[]
  readonly tag?: string
  readonly trigger?: Trigger["kind"]
  /** 1 lists child runs too. */
  readonly children?: 0 | 1
  /** Only child runs of this run. */
  readonly parent?: string
  /** Only forks of this run. */
  readonly fork_of?: string
  /** Only runs of this thread. */
  readonly thread?: string
  /** Only runs whose start named this sticky session. */
  readonly session?: string
  /** Only runs started by this hook. */
  readonly hook?: string
  /** Only runs started by this schedule. */
  readonly schedule?: string
  /** Only runs started with the API key of this name. */
  readonly api_key?: string
  /** Words that are all in the list item. */
  readonly q?: string
  /** A time, a day, or a span back from now such as `7d`. */
  readonly since?: string
  readonly until?: string
  /** The maximum number of rows on a page. */
  readonly limit?: number
  readonly created_after?: string
  readonly created_before?: string
}

const queryOf = ({ status, ...filter }: RunFilter) => ({ ...filter, status: listed(status) })

const of = (run: string): string => `/v1/runs/${part(run)}`

export class Runs extends Part<
  typeof runs & typeof trust & typeof effects & typeof prompts & typeof filesDiff,
  typeof shapes & typeof trustShapes & typeof effectShapes & typeof promptShapes & typeof diffShapes
> {
  /** Newest first, unless `sort` says otherwise. */
  list(filter: RunFilter & { readonly sort?: RunSort } = {}): Paged<RunRow> {
    return new Paged(this.transport, "/v1/runs", queryOf(filter))
  }
  /** How many runs the list would show. */
  counts(by: CountedBy = "status", filter: Omit<RunFilter, "limit"> = {}): Promise<RunCounts> {
    return this.json("GET", "/v1/runs/counts", { query: { by, ...queryOf(filter) } })
  }
  /** `at`: as it was after the event with this `seq`. `get<"support">(id)` has the output of that flow. */
  get<F extends string = string>(run: string, at?: number): Promise<RunOf<F>> {
    return this.json("GET", of(run), { query: { at } })
  }
  /** Starts a run that goes on from a moment of this one. Two requests with one key of the caller's are one fork. */
  fork(run: string, wish: Fork = {}, { idempotencyKey }: { readonly idempotencyKey?: string } = {}): Promise<Started> {
    return this.json("POST", `${of(run)}/fork`, { body: wish, idempotencyKey })
  }
  /** What such a fork would keep, ask again and hold back; starts nothing. */
  checkFork(run: string, wish: Fork = {}): Promise<ForkCheck> {
    return this.json("POST", `${of(run)}/fork`, { body: wish, query: { check: 1 } })
  }
  /** Runs it again from the beginning, with the definitions of now. */
  again(run: string, wish: Again = {}): Promise<Started> {
    return this.json("POST", `${of(run)}/again`, { body: wish })
  }
  /** Asks a recorded turn again with another model, prompt or thinking level. No tool runs, and the run does not change. */
  tryTurn(run: string, step: string, wish: Try = {}): Promise<TurnAnswer> {
    return this.json("POST", `${of(run)}/steps/${part(step)}/try`, { body: wish })
  }
  /** The most that such a turn may cost; asks no model. */
  checkTurn(run: string, step: string, wish: Try = {}): Promise<TurnCheck> {
    return this.json("POST", `${of(run)}/steps/${part(step)}/try`, { body: wish, query: { check: 1 } })
  }
  /** Opens an architect's session about the failed run: read, revise and accept it as any session. Waits up to `wait` seconds, at most 90. */
  repair(run: string, wish: RepairNotes = {}, wait?: number): Promise<ArchitectBegun | ArchitectSession> {
    return this.json("POST", `${of(run)}/repair`, { body: wish, wait })
  }
  /** [K22] Adds a case made of the ended run to its flow's tests. */
  test(run: string, name: string): Promise<CaseMade> {
    return this.json("POST", `/v1/runs/${part(run)}/test`, { body: { name } })
  }
  readonly cancel: (run: string) => Promise<RunView> = this.route("POST /v1/runs/*/cancel")
  readonly pause: (run: string) => Promise<RunView> = this.route("POST /v1/runs/*/pause")
  readonly resume: (run: string) => Promise<RunView> = this.route("POST /v1/runs/*/resume")
  /** Removes the run from every store; a live run is canceled first. */
  readonly delete: (run: string) => Promise<void> = this.route("DELETE /v1/runs/*")
  steer(run: string, step: string, message: string): Promise<{ readonly id: string; readonly step: string; readonly status: "queued" }> {
    return this.json("POST", `${of(run)}/steps/${part(step)}/steer`, { body: { message } })
  }
  signal(run: string, name: string, payload: unknown = {}): Promise<{ readonly run: string; readonly signal: string }> {
    return this.json("POST", `${of(run)}/signals/${part(name)}`, { body: payload })
  }

  /** Live until the run ends; reconnects when the connection drops. */
  events(run: string, options?: Follow): AsyncGenerator<Frame> {
    return follow(this.transport, run, options)
  }
  /** The same over a WebSocket. */
  socket(run: string, options?: Follow): AsyncGenerator<Frame> {
    return followSocket(this.transport, run, options)
  }
  /** All events that are in the journal now. */
  async journal(run: string, after = 0): Promise<RunEvent[]> {
    const all: RunEvent[] = []
    for (let at: number | undefined = after; at !== undefined;) {
      const page: Page<RunEvent> = await this.json("GET", `${of(run)}/events`, { query: { after: at, limit: 1000 } })
      all.push(...page.data)
      at = page.next_cursor === null ? undefined : Number(page.next_cursor)
    }
    return all
  }
  /** Where two runs part. */
  readonly compare: (run: string, other: string) => Promise<Comparison> = this.route("GET /v1/runs/*/compare/*")
  /** Makes the journal again with the instance's kernel; nothing is called and nothing changes. */
  readonly replay: (run: string) => Promise<Replayed> = this.route("GET /v1/runs/*/replay")
  /** The signed receipt of a run that is over: JSON Lines. */
  receipt(run: string): Promise<string> {
    return this.transport.text(`${of(run)}/receipt`)
  }
  interactions(run: string, status?: InteractionView["status"]): Paged<InteractionView> {
    return new Paged(this.transport, `${of(run)}/interactions`, { status })
  }
  /** Its calls that change something outside, in order. */
  readonly effects: (run: string) => Paged<EffectShown> = this.paged("/v1/runs/*/effects")
  /** Says what happened to an effect whose outcome is unknown. */
  resolve(run: string, effect: string, resolve: Resolution["resolve"]): Promise<EffectShown> {
    return this.json("POST", `${of(run)}/effects/${part(effect)}`, { body: { resolve } })
  }
  /** Takes back what an ended run did: all that can be, or these effects. */
  readonly undo: (run: string, wish?: UndoWish) => Promise<UndoStarted> = this.route("POST /v1/runs/*/undo")
  messages(run: string, step: string): Paged<JsonObject> {
    return new Paged(this.transport, `${of(run)}/steps/${part(step)}/messages`)
  }
  /** What the model of a turn was asked with; by default of the newest turn. `layer`: the one whose text comes too. */
  readonly prompt: (
    run: string,
    step: string,
    which?: { readonly pass?: number; readonly turn?: number; readonly layer?: number },
  ) => Promise<StepPrompt> = this.route("GET /v1/runs/*/steps/*/prompt")
  readonly tools: (run: string, step: string) => Paged<{ readonly name: string; readonly granted: boolean; readonly rule: string }> =
    this.paged("/v1/runs/*/steps/*/tools")
  /** What became of the run's files between two moments; by default since its start. `cursor` is the `next_cursor` of the page before. */
  readonly diff: (
    id: string,
    between?: { readonly from?: number; readonly to?: number; readonly limit?: number; readonly cursor?: string },
  ) => Promise<FilesDiff> = this.route("GET /v1/runs/*/diff")
  /** `at`: as they were after the event with this `seq`. */
  files(run: string, at?: number): Paged<FileRow> {
    return new Paged(this.transport, `${of(run)}/files`, { at })
  }
  async file(run: string, path: string, at?: number): Promise<Uint8Array> {
    const answer = await this.transport.send("GET", `${of(run)}/files/${parts(path)}`, { query: { at } })
    return new Uint8Array(await answer.arrayBuffer())
  }
  /** Puts a file into the workspace: before the first step, while a step waits, or in a paused run [F55]. */
  putFile(run: string, path: string, body: FileBody, options?: PutObject): Promise<FileRow> {
    return this.json("PUT", `${of(run)}/files/${parts(path)}`, fileOf(body, options))
  }
  /** A token for a browser's view of this run; `ttl` in seconds, at most 900. `view: "public"`: for a page that anyone may see; with
   *  `answer`, it answers the run's questions. */
  token(run: string, wish: number | TokenWish = {}): Promise<RunToken> {
    return this.json("POST", `${of(run)}/token`, { body: typeof wish === "number" ? { ttl: wish } : wish })
  }
  /** With a public token: what a page may show to anyone. */
  publicView(run: string): Promise<PublicRun> {
    return this.json("GET", of(run))
  }
}

/** Sticky sessions [J25]: lists, reads and deletes them. */
export class Sessions extends Part<typeof runs, typeof messageShapes> {
  /** Last used first. */
  readonly list: () => Paged<Session> = this.paged("/v1/sessions")
  /** The conversation, oldest first. */
  messages(agent: string, session: string): Paged<SessionMessage> {
    return new Paged(this.transport, `/v1/sessions/${part(agent)}/${part(session)}`)
  }
  readonly delete: (agent: string, session: string) => Promise<void> = this.route("DELETE /v1/sessions/*/*")
}

/** Receipts: verify one, and the public keys that verify them without a server. */
export class Receipts extends Part<typeof trust, typeof trustShapes> {
  /** What holds of a receipt of this instance; at most 16 MiB. */
  verify(receipt: string): Promise<Verified> {
    return this.json("POST", "/v1/receipts/verify", { body: receipt, type: "text/plain" })
  }
  /** Every key that ever signed, oldest first. */
  async keys(): Promise<readonly SigningKey[]> {
    const found: { readonly keys: readonly SigningKey[] } = await this.json("GET", "/.well-known/sluice-keys.json")
    return found.keys
  }
  /** For the instance's admin key: a new key signs from now on. */
  readonly rotate: () => Promise<SigningKey> = this.route("POST /v1/signing-keys")
}
