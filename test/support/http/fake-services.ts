// A house in memory, which the app talks to in place of a Worker's. It stores what it is given and records the calls.

import type { Account } from "../../../src/core/score/account.ts"
import type { Arrived, LineAsk } from "../../../src/ports/tenant/line.ts"
import type { NameFault } from "../../../src/core/tool/policy/policy-names.ts"
import { withStatus } from "../../../src/core/run/failure/group.ts"
import { nothingAsked } from "../../../src/core/run/usage/asked.ts"
import { noFigures } from "../../../src/core/run/usage/figures.ts"
import type { TurnTried, TurnWish } from "../../../src/ports/turn.ts"
import type { AgentTool, ToolPlace, Used } from "../../../src/ports/tenant/catalog.ts"
import type { FailuresPort, KeyedGroup } from "../../../src/ports/tenant/failures.ts"
import type { SliceRange, StoredSum, SumsPort, SumsQuery } from "../../../src/ports/tenant/sums.ts"
import type { UsagePort, UsageQuery } from "../../../src/ports/tenant/usage.ts"
import type { ApplyingCatalog, ApplyWish, DraftWritten } from "../../../src/ports/tenant/authoring/apply.ts"
import type { DraftRow } from "../../../src/ports/tenant/authoring/drafts.ts"
import type { BudgetSetting } from "../../../src/core/money/budget-setting.ts"
import { hasErrors, type Diagnostic } from "../../../src/core/diagnostic.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { nearest } from "../../../src/core/text/nearest.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { ToolDef } from "../../../src/core/tool/tool-def.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import type { InteractionView, RunView } from "../../../src/core/run/views/view.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import type {
  Bundle,
  WholeBundle,
  BundleResult,
  DiffResult,
  ExportResult,
  Arrival,
  FileRow,
  ImportedFile,
  CatalogKind,
  PackageBody,
  PackageRow,
  PinResult,
  RevisionRow,
  WriteResult,
  FlowCheckView,
  Use,
} from "../../../src/ports/tenant/catalog.ts"
import type { ProviderAnswer, ProviderModels, ProviderSettings, TestWish } from "../../../src/ports/tenant/providers.ts"
import type { AnswerLink, Caller, InstanceServices, Scope, TenantServices } from "../../../src/ports/services.ts"
import { FakeCallbacks } from "./fake-callbacks.ts"
import type { FeedbackWish } from "../../../src/ports/tenant/quality/scoring.ts"
import { FakeScores } from "./fake-scores.ts"
import { FakeBulks } from "./fake-bulks.ts"
import { FakeDatasets } from "./fake-datasets.ts"
import { FakeExperiments } from "./fake-experiments.ts"
import { FakeSchedules } from "./fake-schedules.ts"
import { FakeHooks } from "./fake-hooks.ts"
import type { DayBudget } from "../../../src/ports/day-budget.ts"
import { isoTime } from "../../../src/core/text/iso-time.ts"
import { askUser, checkAnswer } from "../../../src/core/run/session/ask/interaction.ts"
import type { QuestionAnswer, QuestionsPort, QuestionView } from "../../../src/ports/tenant/questions.ts"
import type { Answer } from "../../../src/core/run/signal.ts"
import type { ForkRequest, ForkResult } from "../../../src/ports/fork.ts"
import type { StepMessage } from "../../../src/core/run/session/step-messages.ts"
import type { AnswerResult, Moment, PutResult, PutSaid, RunPort, StartRequest } from "../../../src/ports/run.ts"
import type { IdempotencyPort, StoredAnswer } from "../../../src/ports/tenant/idempotency.ts"
import type { EffectLine } from "../../../src/ports/tenant/effects.ts"
import type { RunListPort } from "../../../src/ports/tenant/run-list.ts"
import { Feed } from "../../../src/cloudflare/tenant/feed/feed.ts"
import type { FeedLook } from "../../../src/ports/tenant/feed.ts"
import { FakeSignIns } from "./fake-sign-ins.ts"
import { FakeAccount, FakeTenants } from "./fake-account.ts"
import { text, type SubagentResult, type Tool, type ToolPowers } from "../../../src/ports/tool.ts"
import type { BacktestsPort } from "../../../src/ports/tenant/authoring/backtests.ts"
import type { TestResultsPort } from "../../../src/ports/tenant/authoring/test-results.ts"
import type { TrialReady, TrialsPort } from "../../../src/ports/tenant/authoring/trials.ts"
import type { FileEntry } from "../../../src/ports/workspace.ts"
import { askUser as askUserSpec } from "../../../src/tools/agents/ask-user.ts"
import { signedWords } from "../../../src/cloudflare/platform/tokens/signed-words.ts"
import type { McpServers } from "../../../src/ports/mcp.ts"
import { serveMcp } from "../../../src/mcp/serve.ts"
import { toolOf } from "../../../src/tools/registered/registered-tool.ts"
import { memoryMcp } from "../engine/memory-mcp.ts"
import { MemoryPlans, MemoryReferences } from "../engine/memory-references.ts"
import { FakeArchitect } from "./fake-architect.ts"
import { memoryWorkspaces } from "./fake-workspaces.ts"
import { FakeSettings } from "./fake-settings.ts"
import { FakeToolCatalog } from "./fake-tools.ts"
import { FakeFiles } from "./fake-files.ts"
import { FakeSecrets } from "./fake-secrets.ts"
import { MemoryBlobs } from "../../../src/engine/run/memory-store.ts"
import { readSession } from "../../../src/engine/run/read-session.ts"
import type { Conversation, ConversationPlace } from "../../../src/ports/tenant/sessions.ts"
import { MemorySessions } from "../engine/memory-sessions.ts"
import { Signer } from "../engine/signer.ts"

export const SCOPES: readonly Scope[] = [
  "runs:write",
  "runs:read",
  "catalog:write",
  "catalog:read",
  "tools:call",
  "interactions:answer",
  "admin",
]
const PINS = { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} }

export class FakeRun implements RunPort {
  view_: RunView | undefined
  request: StartRequest | undefined
  starts = 0
  events_: RunEvent[] = []
  interactions_: InteractionView[] = []
  answers: { id: string; body: Answer; by: string; outside?: true }[] = []
  answerResult: AnswerResult | undefined
  files_ = new Map<string, { entry: FileEntry; body: Uint8Array }>()
  outputs = new Map<string, Uint8Array>()
  steered: { step: string; message: string; by: string }[] = []
  waited: number[] = []
  streamed: { after: number; snapshot: boolean; format?: string }[] = []
  /** The run's state after `wait`. */
  settles: Partial<RunView> = { status: "succeeded", ended: "2026-01-01T00:00:01.000Z" }
  id: string

  constructor(id: string) {
    this.id = id
  }

  begin(flow = "f", more: Partial<RunView> = {}): this {
    this.view_ = this.made(flow, more)
    return this
  }
  private made(flow: string, more: Partial<RunView>): RunView {
    return {
      id: this.id,
      flow,
      thread: this.id,
      status: "running",
      created: "2026-01-01T00:00:00.000Z",
      since: "2026-01-01T00:00:00.000Z",
      task: "",
      inputs: {},
      autonomous: true,
      steps: { a: { status: "running", type: "agent", usage: { input: 0, output: 0 }, model_calls: 0, retries: 0, attempts: 0, pass: 1 } },
      usage: { tokens: 0, usd: null, tool_calls: 0 },
      pending: 0,
      pinned: {},
      rehearsed: false,
      effects: "live",
      trigger: { kind: "api" },
      tags: [],
      seq: 1,
      children: [],
      ...more,
    }
  }
  joins: StartRequest[] = []
  /** Not empty: the run has begun without those who join. */
  refuses: true[] = []
  async join(request: StartRequest) {
    this.joins.push(request)
    return this.refuses.length === 0
  }
  async start(request: StartRequest) {
    if (this.view_) return this.view_
    this.starts++
    this.request = request
    const files = request.files === undefined ? {} : { files: request.files }
    this.view_ = this.made(request.flow, { task: request.task, inputs: request.inputs, rehearsed: request.rehearsed, ...files })
    return this.view_
  }
  async view() {
    return this.view_
  }
  feedback_: FeedbackWish[] = []
  async score() {
    return { state: "gone" as const }
  }
  async feedback(wish: FeedbackWish) {
    if (!this.view_) return { ok: false as const, code: "not_found" as const }
    this.feedback_.push(wish)
    return { ok: true as const, at: 1_795_338_003_000, said: {}, given: wish }
  }
  async planRow() {
    return undefined
  }
  said_: Extract<RunEvent, { type: "run.scored" }>[] = []
  /** A scorer has said so, newest first. */
  scored(scorer: string, score: number, more: { readonly reason?: string } = {}): void {
    this.said_.unshift({ type: "run.scored", scorer, version: "0123456789ab", score, by: "acme", seq: 9, at: 9, v: 1, prev: "", ...more })
  }
  async said() {
    return this.view_ && { status: this.view_.status, isOver: this.view_.ended !== undefined, events: this.said_ }
  }
  account_: Account | undefined
  async account() {
    return this.account_
  }
  effects_: EffectLine[] = []
  async effects() {
    return this.view_ && this.effects_
  }
  async resolveEffect(key: string, happened: boolean, by: string): ReturnType<RunPort["resolveEffect"]> {
    const effect = this.effects_.find((line) => line.key === key)
    if (!effect) return { ok: false, code: "not_found" }
    if (effect.state !== "uncertain") return { ok: false, code: "not_uncertain", effect }
    const said: EffectLine = { ...effect, state: happened ? "confirmed" : "failed", by }
    this.effects_ = this.effects_.map((line) => (line === effect ? said : line))
    return { ok: true, effect: said }
  }
  async undo(keys: readonly string[] | undefined): ReturnType<RunPort["undo"]> {
    if (!this.view_) return { ok: false, code: "not_found" }
    if (this.view_.ended === undefined) return { ok: false, code: "run_not_over" }
    const unknown = keys?.filter((key) => !this.effects_.some((line) => line.key === key)) ?? []
    if (unknown.length > 0) return { ok: false, code: "unknown_keys", keys: unknown }
    return { ok: true, keys: this.effects_.flatMap(({ key, undoable }) => (undoable ? [key] : [])).toReversed() }
  }
  async wait(ms: number) {
    this.waited.push(ms)
    if (this.view_) this.view_ = { ...this.view_, ...this.settles }
    return this.view_
  }
  async report() {
    return undefined
  }
  async events(after: number, limit: number) {
    return this.view_ && { data: this.events_.filter((e) => e.seq > after).slice(0, limit), ended: this.view_.ended !== undefined }
  }
  async stream(after: number, options: { readonly snapshot: boolean; readonly format?: "pi-flows" }) {
    if (!this.view_) return undefined
    this.streamed.push({ after, ...options })
    const left = this.events_.filter((e) => e.seq > after)
    if (this.view_.ended !== undefined && left.length === 0) return new Response(null, { status: 204 })
    const frames = left.map((e) => `id: ${e.seq}\nevent: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`)
    return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } })
  }
  async cancel() {
    if (this.view_ && this.view_.ended === undefined) this.view_ = { ...this.view_, status: "canceled", ended: "2026-01-01T00:00:02.000Z" }
    return this.view_
  }
  sockets: { after: number; format?: string; key?: string }[] = []
  /** The status that `socket` answers; the real one is 101, which a Response in Node cannot have. */
  socketAnswer = 200
  async socket(after: number, options: { readonly format?: "pi-flows"; readonly key?: string }) {
    if (!this.view_) return undefined
    this.sockets.push({ after, ...options })
    return new Response("", { status: this.socketAnswer, headers: { "content-type": "text/event-stream" } })
  }
  async frames(after: number, limit: number) {
    const data = this.events_.filter((e) => e.seq > after).slice(0, limit)
    return this.view_ && { data: data.map((e) => ({ seq: e.seq, event: "flow:notify", data: { message: e.type } })), next: null }
  }
  async pause(reason: string) {
    return this.#turn("paused", reason)
  }
  async resume(reason: string) {
    return this.#turn("running", reason)
  }
  reasons: string[] = []
  #turn(status: "paused" | "running", reason: string) {
    this.reasons.push(`${status} ${reason}`)
    if (this.view_ && this.view_.ended === undefined) this.view_ = { ...this.view_, status }
    return this.view_
  }
  async remove() {
    const was = this.view_ !== undefined
    this.view_ = undefined
    return was
  }
  messages_: StepMessage[] = []
  async messages(step: string, after: number) {
    return this.view_?.steps[step] && { data: this.messages_.filter((m) => m.seq > after), next: null }
  }
  async interactions(status?: string) {
    return this.view_ && this.interactions_.filter((i) => status === undefined || i.status === status)
  }
  async interaction(id: string) {
    return this.interactions_.find((i) => i.id === id)
  }
  async answerAll(answers: readonly { readonly id: string; readonly body: Answer }[], by: string, only?: "judge", outside?: true) {
    for (const { id, body } of only === "judge" ? [] : answers) {
      const result = await this.answer(id, body, by, outside)
      if (!result.ok) return { id, result }
    }
    return undefined
  }
  notes = new Map<string, Parameters<RunPort["note"]>[1]>()
  async note(...[name, value]: Parameters<RunPort["note"]>) {
    this.notes.set(name, value)
  }
  async noted(name: string) {
    return this.notes.get(name)
  }
  async told() {}
  async answer(id: string, body: Answer, by: string, outside?: true): Promise<AnswerResult> {
    this.answers.push({ id, body, by, ...(outside === undefined ? {} : { outside }) })
    if (this.answerResult) return this.answerResult
    const found = this.interactions_.find((i) => i.id === id)
    return found ? { ok: true, interaction: { ...found, status: "answered", by } } : { ok: false, code: "not_found" }
  }
  async steer(step: string, message: string, by: string): ReturnType<RunPort["steer"]> {
    const status = this.view_?.steps[step]?.status
    if (status === undefined) return { ok: false, code: "not_found" }
    if (status !== "running") return { ok: false, code: "not_running" }
    this.steered.push({ step, message, by })
    return { ok: true, id: "s1" }
  }
  signals: { name: string; payload: unknown; by: string }[] = []
  signalAnswer: Awaited<ReturnType<RunPort["signal"]>> = "ok"
  async signal(name: string, payload: unknown, by: string): ReturnType<RunPort["signal"]> {
    if (!this.view_) return "not_found"
    if (this.signalAnswer === "ok") this.signals.push({ name, payload, by })
    return this.signalAnswer
  }
  async files() {
    return this.view_ && [...this.files_.values()].map((f) => f.entry)
  }
  async file(path: string) {
    return this.files_.get(path)
  }
  forked: ForkRequest[] = []
  forkAnswer: ForkResult | undefined
  async fork(request: ForkRequest): Promise<ForkResult> {
    if (this.forkAnswer) return this.forkAnswer
    this.forked.push(request)
    this.view_ = this.made("f", { trigger: { kind: "fork", key: request.by } })
    return { ok: true, view: this.view_ }
  }
  /** Each moment of this run is like now. */
  async viewAt(seq: number): Promise<Moment<RunView> | undefined> {
    return this.view_ && this.#moment(seq, { ...this.view_, seq })
  }
  async filesAt(seq: number): Promise<Moment<readonly FileEntry[]> | undefined> {
    return this.view_ && this.#moment(seq, (await this.files()) ?? [])
  }
  async fileAt(path: string, seq: number): Promise<Moment<{ entry: FileEntry; body: Uint8Array } | null> | undefined> {
    return this.view_ && this.#moment(seq, (await this.file(path)) ?? null)
  }
  async filesBetween(from: number, to = this.view_?.seq ?? 0, { limit, past = "" }: { limit: number; past?: string }) {
    if (!this.view_) return undefined
    const files = ((await this.files()) ?? []).filter(({ path }) => path > past)
    const rows = files.slice(0, limit).map(({ path, size }) => {
      return { path, state: "added" as const, before: null, after: size, binary: false, diff: "", cut: false }
    })
    const then = this.#moment(to, { rows, more: files.length > limit, to })
    return from <= (this.view_.seq ?? 0) ? then : this.#moment(from, { rows, more: false, to })
  }
  #moment<T>(seq: number, value: T): Moment<T> {
    const last = this.view_?.seq ?? 0
    return seq >= 1 && seq <= last ? { ok: true, value } : { ok: false, first: 1, last }
  }
  puts: PutSaid[] = []
  putAnswer: Extract<PutResult, { ok: false }> | undefined
  async putFile(path: string, body: Uint8Array | string, said: PutSaid = { by: "" }): Promise<PutResult> {
    if (this.putAnswer) return this.putAnswer
    this.puts.push(said)
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
    const created = !this.files_.has(path)
    const entry = { path, size: bytes.byteLength, hash: await sha256(bytes), modified: 0 }
    this.files_.set(path, { entry, body: bytes })
    return { ok: true, entry, created }
  }
  async output(handle: string) {
    return this.outputs.get(handle)
  }
  async receipt(): ReturnType<RunPort["receipt"]> {
    if (!this.view_) return undefined
    if (this.view_.ended === undefined) return { ok: false, code: "run_not_over" }
    const head = "0".repeat(64)
    return { ok: true, text: "{}", header: head, events: this.events_.length, head, at: 0 }
  }
  async journal(after: number, limit: number) {
    return this.view_ && this.events_.slice(after, after + limit)
  }
  async compared() {
    return this.view_ && { last: this.events_.length, steps: Object.keys(this.view_.steps), definitions: [], usage: this.view_.usage }
  }
  async passes() {
    return this.view_ && { data: [], next: null }
  }
  async heads(seqs: readonly number[]) {
    return this.view_ && seqs.map(() => null)
  }
  async texts(hashes: readonly string[]) {
    return this.view_ && hashes.map(() => null)
  }
  async replay() {
    return this.view_ && { events: this.events_.length, identical: true }
  }
  async turn(): Promise<undefined> {
    return undefined
  }
  async prompt(step: string) {
    if (!this.view_ || !Object.hasOwn(this.view_.steps, step)) return undefined
    return { ...NO_PROMPT, step }
  }
  async stepTools(step: string) {
    return this.view_ && Object.hasOwn(this.view_.steps, step) ? [{ name: "finish", granted: true, rule: "always" }] : undefined
  }
}

const NO_PROMPT = {
  pass: 1,
  turn: 0,
  seq: 3,
  model: "rehearsal/default",
  request: null,
  system: null,
  revision: null,
  usage: null,
  usd: null,
  layers: [],
  tools: [],
}

/** `flow legal:nda` for flows/legal/nda.yaml, `skill s/SKILL.md` for skills/s/SKILL.md. */
function keyOf(kind: CatalogKind, path: string): string {
  const inside = path.slice(path.indexOf("/") + 1)
  if (kind === "skill") return `skill ${inside}`
  if (kind === "code") return `code ${inside.replace(/\.[tj]s$/, "").replace(/\/(?=.*\/)/g, ":")}`
  const id = inside.replace(/(\.rehearsal)?\.(md|yaml)$/, "").replace(/\/flow$/, "")
  return `${kind} ${id.replaceAll("/", ":")}`
}

const UNCHANGED = { added: [], changed: [], removed: [], breaks: [] }
const NO_REVISION = { ok: false, code: "no_revision", latest: 7 } as const

const isStale = (ifMatch: string | undefined, stored: string | undefined): boolean =>
  ifMatch !== undefined && (stored === undefined || (ifMatch !== "*" && ifMatch !== stored))

export class FakeCatalog implements ApplyingCatalog {
  stored = new Map<string, FileRow & { content: string }>()
  pinResult: PinResult = { ok: false, code: "not_found" }
  pinned: unknown[] = []
  writeResult: WriteResult | undefined
  bundleResult: BundleResult = { ok: true, revision: 2, diagnostics: {} }
  bundles: Bundle[] = []
  diagnostics: readonly Diagnostic[] = []
  listed: unknown[] = []
  uses_: Use[] = []
  async uses() {
    return this.uses_
  }
  async nearest(kind: "flow" | "agent", id: string) {
    return nearest(
      id,
      [...this.stored.values()].flatMap((row) => (row.kind === kind ? [row.id] : [])),
    )
  }
  puts: { kind: CatalogKind; path: string; content: string }[] = []

  flow(face: Partial<Extract<PinResult, { ok: true }>["flow"]> = {}, rehearsed = false) {
    this.pinResult = { ok: true, pins: PINS, rehearsed, flow: { id: "f", autonomous: true, task_required: false, inputs: {}, ...face } }
  }
  async agents() {
    return [{ name: "a", description: "d", tools: [], source_type: "local", architect: {} }] as const
  }
  writeAgent = (path: string, content: string) => this.store("agent", path, content)
  writeFlow = (path: string, content: string) => this.store("flow", path, content)
  /** Nothing that a rule names is missing. */
  nameFaults: readonly NameFault[] = []
  async ruleFaults() {
    return this.nameFaults
  }
  async validate() {
    return this.diagnostics
  }
  async importFiles(files: readonly Arrival[], write: boolean): Promise<readonly ImportedFile[]> {
    const answers: ImportedFile[] = []
    for (const { kind, path, content } of files) {
      const result = write
        ? await this.store(kind, path, content)
        : { written: !hasErrors(this.diagnostics), diagnostics: this.diagnostics }
      answers.push({ path, accepted: result.written, diagnostics: result.diagnostics })
    }
    return answers
  }
  async put(kind: CatalogKind, path: string, content: string, ifMatch?: string) {
    const stored = this.stored.get(keyOf(kind, path))?.hash
    if (isStale(ifMatch, stored)) return { stale: stored ?? null }
    return this.store(kind, path, content)
  }
  private async store(kind: CatalogKind, path: string, content: string): Promise<WriteResult> {
    if (this.writeResult) return this.writeResult
    const hash = await sha256(content)
    const key = keyOf(kind, path)
    this.puts.push({ kind, path, content })
    this.stored.set(key, {
      kind,
      id: key.slice(kind.length + 1),
      path,
      tier: "local",
      hash,
      size: content.length,
      diagnostics: [],
      content,
    })
    return { written: true, path, diagnostics: [], hash, revision: 2 }
  }
  /** Revision 0 is empty, 7 is the current one, and those between are the same as 7. */
  async read(kind: CatalogKind, id: string, revision = 7) {
    return revision === 0 || revision > 7 ? undefined : this.stored.get(`${kind} ${id}`)
  }
  async remove(kind: CatalogKind, id: string, ifMatch?: string) {
    const stored = this.stored.get(`${kind} ${id}`)?.hash
    if (stored !== undefined && isStale(ifMatch, stored)) return { stale: stored }
    return this.stored.delete(`${kind} ${id}`)
  }
  async files(wanted?: CatalogKind) {
    const rows = [...this.stored.values()].filter((f) => wanted === undefined || f.kind === wanted)
    return {
      revision: 7,
      data: rows.map(({ kind, id, path, tier, hash, size, diagnostics }) => ({ kind, id, path, tier, hash, size, diagnostics })),
    }
  }
  async filesAt(revision: number) {
    if (revision > 7) return NO_REVISION
    return revision === 0 ? { revision, data: [] } : { ...(await this.files()), revision }
  }
  wishes: ApplyWish[] = []
  async apply(wish: ApplyWish, ifRevision?: number) {
    if (ifRevision !== undefined && ifRevision !== 7) return { stale: 7 }
    this.bundles.push(wish.bundle)
    this.wishes.push(wish)
    return this.bundleResult.ok ? { ...this.bundleResult, ...UNCHANGED } : this.bundleResult
  }
  planned: ApplyWish[] = []
  async plan(wish: ApplyWish, ifRevision?: number) {
    if (ifRevision !== undefined && ifRevision !== 7) return { stale: 7 }
    this.planned.push(wish)
    if (!this.bundleResult.ok) return this.bundleResult
    const drift = { since: null, changes: [], more: false }
    return { ...this.bundleResult, ...UNCHANGED, drift, gate: { passed: true, reached: [], report: { flows: [] } } }
  }
  exportResult: ExportResult = { ok: true, revision: 7, bundle: { agents: {}, flows: {}, skills: {}, code: {} } }
  async export() {
    return this.exportResult
  }
  revisions: RevisionRow[] = []
  asked: unknown[] = []
  async history(query: { readonly limit: number; readonly cursor?: string }) {
    this.asked.push(query)
    return query.cursor === "foreign" ? ({ badCursor: true } as const) : { data: this.revisions, next_cursor: "5" }
  }
  async diff(query: { readonly from?: number; readonly to?: number; readonly path?: string }): Promise<DiffResult> {
    this.asked.push(query)
    if ((query.from ?? 0) > 7 || (query.to ?? 0) > 7) return NO_REVISION
    return { ok: true, from: query.from ?? 6, to: query.to ?? 7, data: [] }
  }
  rolledBack: number[] = []
  async rollback(revision: number, ifRevision?: number) {
    if (ifRevision !== undefined && ifRevision !== 7) return { stale: 7 }
    if (revision > 7) return NO_REVISION
    this.rolledBack.push(revision)
    return this.bundleResult
  }
  registered = new Map<string, PackageRow & { bundle: WholeBundle }>()
  async packages() {
    return [...this.registered.values()].map(({ bundle, ...row }) => ({ ...row, agents: Object.keys(bundle.agents).length }))
  }
  async package(name: string) {
    return this.registered.get(name)
  }
  readonly drafted = new Map<string, DraftRow>()
  async drafts() {
    return [...this.drafted.values()]
  }
  async draft(name: string) {
    return this.drafted.get(name)
  }
  async putDraft(name: string, { mode }: ApplyWish): Promise<DraftWritten> {
    if (!this.bundleResult.ok) return { ...this.bundleResult, code: "invalid" }
    const draft = { name, mode, files: 1, by: null, created: 0, at: 0, expires: 1 }
    this.drafted.set(name, draft)
    return { ...UNCHANGED, ...this.bundleResult, draft }
  }
  async removeDraft(name: string) {
    return this.drafted.delete(name)
  }
  async putPackage(name: string, body: PackageBody, ifMatch?: string) {
    const before = this.registered.get(name)?.hash
    if (isStale(ifMatch, before)) return { stale: before ?? null }
    if (!this.bundleResult.ok) return this.bundleResult
    const { version, agents = {}, flows = {}, skills = {}, code = {} } = body
    const hash = await sha256(JSON.stringify(body))
    const counts = { agents: Object.keys(agents).length, flows: Object.keys(flows).length, skills: 0 }
    this.registered.set(name, { name, version, hash, ...counts, diagnostics: [], bundle: { agents, flows, skills, code } })
    return { ...this.bundleResult, hash }
  }
  async previewPackage(name: string, body: PackageBody, ifMatch?: string) {
    const before = this.registered.get(name)?.hash
    if (isStale(ifMatch, before)) return { stale: before ?? null }
    return this.bundleResult.ok ? { ...this.bundleResult, hash: await sha256(JSON.stringify(body)) } : this.bundleResult
  }
  async removePackage(name: string, ifMatch?: string) {
    const before = this.registered.get(name)?.hash
    if (before !== undefined && isStale(ifMatch, before)) return { stale: before }
    return this.registered.delete(name)
  }
  async agentTools(name: string, place?: ToolPlace): Promise<readonly AgentTool[] | undefined> {
    if (!this.stored.has(`agent ${name}`) || (place !== undefined && !this.stored.has(`flow ${place.flow}`))) return undefined
    return [{ name: "finish", granted: true, rule: "always", asks: "never", tokens: 120, by: null, line: null }]
  }
  async used(kind: "agent" | "skill", id?: string): Promise<Used[]> {
    const names = [...this.stored.keys()].flatMap((key) => (key.startsWith(`${kind} `) ? [key.slice(kind.length + 1)] : []))
    const row = { tier: "local" as const, description: "", uses: [], used: 0, errors: 0 }
    return names.filter((name) => id === undefined || name === id).map((name) => ({ id: name, ...row }))
  }
  checks = new Map<string, FlowCheckView>()
  async check(id: string) {
    return this.checks.get(id)
  }
  async pin(target: unknown, options: { readonly rehearse: boolean }) {
    this.pinned.push({ target, options })
    return this.pinResult
  }
  asking: { id: string; flow: string }[] = []
}

export const RUN_ROW = {
  id: "r",
  thread: "r",
  flow: "f",
  status: "succeeded",
  created: "2026-01-01T00:00:00.000Z",
  ended: null,
  trigger: { kind: "api" },
  tags: [],
  usage: { tokens: 0, usd: null, tool_calls: 0 },
  pending: 0,
  rehearsed: false,
}

export class FakeKey implements IdempotencyPort {
  record: { digest: string; answer?: StoredAnswer } | undefined
  async begin(digest: string) {
    if (!this.record) {
      this.record = { digest }
      return { state: "new" } as const
    }
    if (this.record.digest !== digest) return { state: "conflict" } as const
    return this.record.answer ? ({ state: "replay", answer: this.record.answer } as const) : ({ state: "busy" } as const)
  }
  async end(digest: string, answer: StoredAnswer | null) {
    this.record = answer ? { digest, answer } : undefined
  }
}

const schema = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties,
  required: [...required],
  additionalProperties: false,
})
const string = { type: "string" }

/** Small tools of every context, to test the rules of the routes; the built-in tools have their own tests. */
export const TOOLS: readonly Tool[] = [
  {
    name: "agent_catalog",
    description: "lists",
    parameters: schema({}),
    effect: "read",
    contexts: ["main", "architect"],
    execute: async (_id, _params, _signal, _update, powers) =>
      text("[]", JSON.parse(JSON.stringify((await powers.author?.agents()) ?? null))),
  },
  {
    name: "agent_write",
    description: "writes",
    parameters: schema({ path: string, content: string }, ["path", "content"]),
    effect: "write",
    contexts: ["main", "architect"],
    execute: async (_id, params, _signal, _update, powers) => {
      const result = await powers.author?.writeAgent(String(params["path"]), String(params["content"]))
      return text("written", { written: result?.written ?? false, path: result?.path ?? "", diagnostics: [] })
    },
  },
  { name: "finish", description: "ends", parameters: schema({}), effect: "none", contexts: ["agent"], execute: async () => text("") },
  {
    name: "read",
    description: "reads",
    parameters: schema({ path: string }),
    effect: "read",
    contexts: ["agent", "architect"],
    paths: { read: ["path"] },
    execute: async () => text(""),
  },
  {
    name: "echo",
    description: "echoes",
    parameters: schema({ say: string }, ["say"]),
    effect: "none",
    contexts: ["main"],
    execute: async (_id, params) => text(String(params["say"]), { said: true }),
  },
  {
    name: "fails",
    description: "fails",
    parameters: schema({}),
    effect: "none",
    contexts: ["main"],
    execute: async () => {
      throw new Error("it broke")
    },
  },
  {
    name: "subagent",
    description: "child",
    parameters: schema({ agent: string, task: string }, ["agent", "task"]),
    effect: "write",
    idempotent: true,
    contexts: ["main"],
    execute: async (_id, params, signal, _update, powers) => {
      const result = await powers.subagents?.run({ agent: String(params["agent"]), task: String(params["task"]), inputs: {}, signal })
      if (result?.kind === "failed" || result?.kind === "session") throw new Error(result.message)
      return text("child", { runId: result?.runId ?? "", sessionId: result?.sessionId ?? "" })
    },
  },
]

/** Questions outside a run, in a list. */
export class FakeQuestions implements QuestionsPort {
  asked: QuestionView[] = []
  async ask(args: JsonObject) {
    const fact = askUser(`q_${this.asked.length}`, "", "", { id: "c", name: "ask_user", args }, args)
    const view: QuestionView = {
      id: fact.id,
      run: null,
      kind: "ask_user",
      status: "pending",
      payload: args,
      schema: fact.schema,
      created: isoTime(0),
    }
    this.asked.push(view)
    return view
  }
  open = async () => this.asked.filter((q) => q.status === "pending")
  find = async (id: string) => this.asked.find((q) => q.id === id)
  wait = (id: string) => this.find(id)
  async answer(id: string, body: Answer, by: string): Promise<QuestionAnswer> {
    const question = await this.find(id)
    if (!question) return { ok: false, code: "not_found" }
    if (question.status !== "pending") return { ok: false, code: "already_answered", question }
    const fits = checkAnswer(question, body)
    if (!fits.ok) return { ok: false, code: "invalid", errors: fits.error }
    const done: QuestionView = { ...question, status: "answered", answer: JSON.parse(JSON.stringify(body)), by }
    this.asked[this.asked.indexOf(question)] = done
    return { ok: true, question: done }
  }
}

const NO_USAGE = { ...noFigures(), lost: { calls: 0, tokens: 0 }, ...nothingAsked(), runs: 1, failed: 0, children: 0 }

export class FakeTenantServices implements TenantServices {
  /** [R5] Starts that came to the line, and what it answers. */
  readonly lined: LineAsk[] = []
  arrived: Arrived = { ok: true, do: "stands" }
  readonly line: TenantServices["line"] = {
    arrive: async (ask) => {
      this.lined.push(ask)
      return this.arrived
    },
    starts: async () => ({ data: [], next_cursor: null }),
  }
  tested: string[] = []
  wishes: TestWish[] = []
  testAnswer: ProviderAnswer = { ok: true, host: null, message: "ready", ms: 1 }
  async providerModels(provider: string, settings?: ProviderSettings): Promise<ProviderModels | undefined> {
    if (settings === undefined && !(await this.settings.providers())[provider]) return undefined
    return { ok: true, host: null, models: [{ id: `${provider}-1` }], complete: true, ms: 1 }
  }

  async testProvider(provider: string, model: string, wish: TestWish = {}): Promise<ProviderAnswer> {
    this.tested.push(`${provider}/${model}`)
    if (Object.keys(wish).length > 0) this.wishes.push(wish)
    return this.testAnswer
  }
  tries: { readonly run: string; readonly wish: TurnWish }[] = []
  tried: TurnTried | undefined
  async tryTurn(run: string, wish: TurnWish): Promise<TurnTried | undefined> {
    this.tries.push({ run, wish })
    return this.tried
  }
  feed_ = new Feed({ now: () => Date.now(), epoch: () => "fake" })
  feed = {
    // A look that would wait ends the stream, so that a test can read it whole.
    look: async (look: FeedLook) => (look.wait > 0 ? ("full" as const) : this.feed_.look(look)),
    leave: async (reader: string) => this.feed_.leave(reader),
  }
  catalog = new FakeCatalog()
  forgotten: { flow: string; step?: string }[] = []
  cachedPasses = {
    forget: async (flow: string, step?: string) => void this.forgotten.push({ flow, ...(step === undefined ? {} : { step }) }),
  }
  effects_: { run: string; key: string }[] = []
  /** [P2] Digests of answers that are known. */
  given_ = new Set<string>()
  runList: { -readonly [Method in keyof RunListPort]: RunListPort[Method] } = {
    note: async () => ({ retention: 0 }),
    tasks: async () => ({ data: [], total: 0, next_cursor: null }),
    remove: async () => undefined,
    knows: async (id: string) => this.runs.has(id),
    newestOf: async () => null,
    given: async (digests) => ({ known: digests.filter((digest) => this.given_.has(digest)), open: [] }),
    claim: async (_flow: string, _thread: string, run: string) => run,
    release: async () => undefined,
    decided: async () => ({ data: [], next_cursor: null }),
    asking: async () => ({ data: this.catalog.asking, next_cursor: null }),
    waiting: async () => ({ asks: this.catalog.asking.length, effects: 0, complete: true }),
    effects: async ({ cursor }) => (cursor === "foreign" ? { badCursor: true } : { data: this.effects_, next_cursor: null }),
    counts: async (by, filter) => {
      this.catalog.listed.push({ limit: 0, ...filter })
      return { data: [{ key: by === "flow" ? "f" : "failed", count: 2 }], total: 2, complete: true }
    },
    list: async (query) => {
      this.catalog.listed.push(query)
      return query.cursor === "foreign" ? { badCursor: true } : { data: [RUN_ROW], next_cursor: "c2", complete: true }
    },
  }
  summed: UsageQuery[] = []
  usage: UsagePort = {
    tried: async () => undefined,
    sums: async (query) => {
      this.summed.push(query)
      return { data: [{ key: "=odd", ...NO_USAGE, input: 7, usd: 0.5 }], total: { ...NO_USAGE, input: 7 }, complete: true }
    },
  }
  /** Sums by hour, as they are stored. */
  summedHours: StoredSum[] = []
  measured: SumsQuery[] = []
  sums: SumsPort = {
    read: async (query) => {
      this.measured.push(query)
      const inRange = ([first, last]: SliceRange): StoredSum[] => this.summedHours.filter(({ at }) => at >= first && at <= last)
      return { whole: inRange(query.whole), heads: (query.heads ?? []).flatMap(inRange), open: 3, changes: [], active: 2, begun: [] }
    },
  }
  groups: KeyedGroup[] = []
  failures: FailuresPort = {
    list: async ({ rehearsed, status }) => this.groups.filter((g) => g.rehearsed === rehearsed && (status?.includes(g.status) ?? true)),
    put: async (key, status, by) => {
      const group = this.groups.find((g) => g.key === key)
      return group && { ...group, ...withStatus(group, status, by, 1_000) }
    },
  }
  architect = new FakeArchitect()
  readonly proved: string[] = []
  proveRepair(session: string): void {
    this.proved.push(session)
  }
  forced = 0
  forcing() {
    this.forced++
    return this
  }
  trialReady: TrialReady = { ok: false, code: "no_tests" }
  readonly backtests: BacktestsPort = {
    propose: () => Promise.reject(new Error("not here")),
    begin: () => Promise.reject(new Error("not here")),
    find: async () => undefined,
  }
  readonly keptTests: [flow: string, revision: number, names: string[]][] = []
  readonly testResults: TestResultsPort = {
    keep: async (flow, revision, cases) => void this.keptTests.push([flow, revision, cases.map(({ name }) => name)]),
    newest: async () => [],
  }
  readonly trials: TrialsPort = { ready: async () => this.trialReady, replayed: () => Promise.reject(new Error("not here")) }
  workspaces = memoryWorkspaces()
  mcpStand = memoryMcp()
  mcp = this.mcpStand.servers
  connectToken = async (server: string): Promise<string> => `state-of-${server}`
  references = new MemoryReferences()
  plans = new MemoryPlans()
  settings = new FakeSettings({ references: this.references.specs, plans: this.plans.kinds })
  registered = new FakeToolCatalog()
  account = new FakeAccount()
  toolOf = (def: ToolDef): Tool => toolOf(def, { list: async () => [], call: () => Promise.reject(new Error("no peer here")) })
  runs = new Map<string, FakeRun>()
  keys = new Map<string, FakeKey>()
  child: SubagentResult | (() => Promise<SubagentResult>) = {
    kind: "ended",
    runId: "run_child",
    sessionId: "s1",
    finish: { status: "complete" },
    finalized: { status: "SUCCESS", result: "done" },
  }
  subagents = { run: async () => (typeof this.child === "function" ? this.child() : this.child) }
  readonly sessions = new MemorySessions()
  readonly sessionBlobs = new MemoryBlobs()
  readonly conversation = async (agent: string, session: string, place: ConversationPlace): Promise<Conversation | undefined> =>
    readSession({ sessions: this.sessions, blobs: this.sessionBlobs }, agent, session, place)
  secrets = new FakeSecrets()
  givenFiles = new FakeFiles(() => this.secrets.redactor())
  hooks = new FakeHooks()
  callbacks = new FakeCallbacks()
  schedules = new FakeSchedules()
  bulks = new FakeBulks()
  scores = new FakeScores()
  datasets = new FakeDatasets()
  experiments = new FakeExperiments()
  words = signedWords({ ENVIRONMENT: "local" }, "acme")
  budget: BudgetSetting = {}
  readonly dayBudget: DayBudget = {
    setting: async () => this.budget,
    today: async () => ({ day: 0, limit: this.budget, spent: {}, held: {} }),
    put: async (setting) => {
      this.budget = setting
    },
    lease: async () => ({ granted: {}, until: 0 }),
    close: async () => undefined,
    neverBegins: async () => undefined,
  }
  questions = new FakeQuestions()
  answerToken = async ({ run, interaction, allow, expires }: AnswerLink): Promise<string> => [run, interaction, expires, ...allow].join(".")
  /** The real house adds the tenant and the key to the token. */
  runToken = async (run: string, expires: number, page?: object): Promise<string> =>
    `token.${run}.${expires}${page === undefined ? "" : `.${JSON.stringify(page)}`}`
  chatToken = async (wish: object, expires: number): Promise<string> => `chat.${expires}.${JSON.stringify(wish)}`
  powers_: Partial<ToolPowers> = {}
  powers = (): Partial<ToolPowers> => this.powers_
  next = 0

  run(id: string): FakeRun {
    const run = this.runs.get(id) ?? new FakeRun(id)
    this.runs.set(id, run)
    return run
  }
  async runId(key?: string) {
    const seed = key === undefined ? `fresh${this.next++}` : (await sha256(key)).slice(0, 20)
    return `run_${seed.padEnd(26, "0")}`
  }
  async idempotency(key: string) {
    const port = this.keys.get(key) ?? new FakeKey()
    this.keys.set(key, port)
    return port
  }
  async skills() {
    return { names: () => [], files: () => undefined, read: async () => undefined }
  }
}

export class FakeServices implements InstanceServices {
  environment = "local"
  version = "1.2.3"
  logged: JsonObject[] = []
  log = (entry: JsonObject) => void this.logged.push(entry)
  /** The real house takes out secrets. */
  fault = (fields: Readonly<Record<string, unknown>>) => console.error(JSON.stringify({ level: "error", event: "http.fault", ...fields }))
  readiness: Record<string, boolean> = { kv: true, r2: true, tenant: true }
  ready = async () => this.readiness
  room = true
  hasRoom = async () => this.room
  nearlyFull = false
  isNearlyFull = async () => this.nearlyFull
  stopping = false
  isStopping = async () => this.stopping
  privateHosts: readonly string[] = []
  tools: readonly Tool[] = TOOLS
  others: readonly ToolSpec[] = [askUserSpec]
  callers = new Map<string, Caller>()
  houses = new Map<string, FakeTenantServices>()
  opened: string[] = []
  readonly instanceKeys = new Map<string, FakeKey>()
  readonly tenants = new FakeTenants((key) => {
    const port = this.instanceKeys.get(key) ?? new FakeKey()
    this.instanceKeys.set(key, port)
    return port
  })
  readonly signing = new Signer()
  /** Ids of revoked keys. */
  revoked = new Set<string>()
  download = async () => "refused" as const
  /** Token → the interaction that it opens. A real token is signed. */
  links = new Map<string, { run: FakeRun; interaction: string; allow?: readonly string[] }>()
  async linked(token: string) {
    const link = this.links.get(token)
    return link && { tenant: "acme", allow: [], ...link }
  }
  publicUrl?: string
  isDispatched?: boolean
  mcpServer = serveMcp
  /** State → what it was signed for. */
  readonly states = new Map<string, { readonly server: string; readonly mcp: McpServers }>()
  connecting = async (token: string) => this.states.get(token)
  runTokens = new Map<string, { run: string; caller: Caller }>()
  chatTokens = new Map<string, Caller>()
  chatTokenOf = async (token: string) => this.chatTokens.get(token)
  runTokenOf = async (token: string) => this.runTokens.get(token)
  /** Hooks of all tenants: an id belongs to one tenant only. */
  hook = async (id: string) => [...this.houses.values()].map((tenant) => tenant.hooks.door(id)).find((door) => door !== undefined)

  constructor() {
    this.key("key-a", "acme")
    this.key("key-b", "other")
    this.callers.set("key-admin", { tenant: "", name: "admin", scopes: ["instance"] })
  }
  key(key: string, tenant: string, scopes: readonly Scope[] = SCOPES) {
    this.callers.set(key, { tenant, name: `name of ${key}`, scopes })
  }
  of(tenant = "acme"): FakeTenantServices {
    const tenantServices = this.houses.get(tenant) ?? new FakeTenantServices()
    this.houses.set(tenant, tenantServices)
    return tenantServices
  }
  readonly signIns = new FakeSignIns()
  async holds({ keyId, signIn }: Caller) {
    if (signIn && !this.signIns.isOpen(signIn.digest)) return false
    return keyId === undefined || !this.revoked.has(keyId)
  }
  async allows(tenant: string, origin: string) {
    return this.of(tenant).account.listed.includes(origin)
  }
  async knows(origin: string) {
    return [...this.houses.values()].some((tenant) => tenant.account.listed.includes(origin))
  }
  async identify(bearer: string) {
    return this.callers.get(bearer)
  }
  open(caller: Caller) {
    this.opened.push(caller.tenant)
    return this.of(caller.tenant)
  }
}
