// Serves a tenant's list of runs. Runs report only here, so everything that follows from a report starts here: callbacks, schedules, the
// queue, quotas.

import { collectorsOf } from "../../../core/project/telemetry-body.ts"
import { defined } from "../../../core/defined.ts"
import type { Trigger } from "../../../core/run/event-parts.ts"
import { shownWait } from "../../../core/start/start-wait.ts"
import { isObject, type JsonObject } from "../../../core/json.ts"
import type { Answers } from "../../../ports/objects.ts"
import type { StartWord } from "../../../ports/tenant/line.ts"
import type { LastOfRun, Noted, RunListPort, ListedRun } from "../../../ports/tenant/run-list.ts"
import { answerToken } from "../../platform/tokens/answer-token.ts"
import type { VaultEnv } from "../../platform/vault.ts"
import { tellReport, type Standing } from "../feed/feed-reports.ts"
import type { SaidOfRun } from "../../../ports/tenant/quality/scoring.ts"
import { sampled } from "../quality/sampling.ts"
import { taskList } from "../../../protocols/a2a/task-list.ts"
import type { LastReport } from "./run-index.ts"
import { runsOf } from "./run-indexes.ts"
import type { TenantResources } from "../tenant-resources.ts"

/** How long a link in a message works, unless its question expires before. */
const LINK_MS = 7 * 86_400_000

/** The path of a link [Q3]; undefined: this Worker has no secret to sign with, so the message has none. */
async function linkTo(
  env: VaultEnv,
  about: { readonly tenant: string; readonly run: string; readonly interaction: string },
  expires: number | undefined,
): Promise<string | undefined> {
  const until = Math.min(expires ?? Number.POSITIVE_INFINITY, Date.now() + LINK_MS)
  const token = await answerToken(env, about, until).catch(() => undefined)
  return token === undefined ? undefined : `/i/${token}`
}

function isTestRow({ view }: ListedRun): boolean {
  const { trigger } = view
  return isObject(trigger) && (trigger["kind"] === "test" || trigger["test"] === true)
}

/** Of a run whose start is promised and that has not reported. */
const PROMISED: Standing = { status: "running", pending: 0, reported: false }

/** Runs that are asked whether they have told all: a client that was answered asks again within moments. */
const OPEN_LOOKS = 10

function parentOf({ view }: ListedRun): string | undefined {
  const parent: unknown = Reflect.get(Object(view["parent"]), "run")
  return typeof parent === "string" ? parent : undefined
}

const seqOf = ({ view }: ListedRun): number => (typeof view["seq"] === "number" ? view["seq"] : 0)

/** [V15] What a judge's run judges. */
function judgedIn({ view }: ListedRun): { readonly run: string; readonly scorer: string } | undefined {
  const { trigger } = view
  const judged = isObject(trigger) && trigger["kind"] === "score" ? trigger["score"] : undefined
  if (!isObject(judged) || typeof judged["run"] !== "string" || typeof judged["scorer"] !== "string") return undefined
  const { run, scorer, probe } = judged as NonNullable<Trigger["score"]>
  return { run, scorer: probe ?? scorer }
}

/** [V17] As a row of the list shows it. */
function shownSaid(said: SaidOfRun | undefined): JsonObject {
  if (!said) return {}
  const { scores, feedback } = said
  if (!feedback) return scores ? { scores } : {}
  const { up, down, corrected } = feedback
  return { ...(scores ? { scores } : {}), feedback: { up, down, ...defined({ corrected }) } }
}

/** No other run is waited for by a schedule. */
const isFire = ({ view }: ListedRun): boolean => !isObject(view["trigger"]) || view["trigger"]["kind"] === "schedule"

/** Brings the list up to date before it is read: with every run that has begun, without those that never did. */
export async function wholeList({ desks, gate, promises }: Pick<TenantResources, "desks" | "gate" | "promises">): Promise<void> {
  await desks.flush()
  gate.sweep()
  promises.unfold()
}

export class RunListRoom implements Answers<RunListPort> {
  readonly #all: TenantResources

  constructor(all: TenantResources) {
    this.#all = all
  }

  note(row: ListedRun): Noted | Promise<Noted> {
    const asked = row.told?.interaction
    // Signing waits, so a report is recorded in one turn after it. A report that overtakes another one replaces it.
    if (asked !== undefined && this.#all.callbacks.linksFor(row))
      return linkTo(this.#all.env, { tenant: this.#all.tenant, run: asked.run ?? row.id, interaction: asked.id }, asked.expires).then(
        (link) => this.#note(row, link),
      )
    return this.#note(row)
  }

  #note(row: ListedRun, link?: string): Noted {
    return this.#all.sums.together(() => this.#record(row, link))
  }

  #record(row: ListedRun, link?: string): Noted {
    const { runs, promises, effects, usage, failures, used, account, callbacks, sender, schedules, gate, settings } = this.#all
    const { feed, decided, leases, erasure, line, scorings } = this.#all
    // [N3] A start that was on its way may have come after the deletion erased this run, and its row goes with the tenant's.
    if (erasure.isUnderWay()) return "gone"
    // The row and its messages in the outbox are one commit.
    const before = runs.lastReport(row.id)
    // The tenant was deleted while this run was starting, or the run while this report was on its way [N3].
    if (before === undefined && !this.#hasRow(row.id)) {
      if (this.#all.deletedRuns.has(row.id)) return "gone"
      // Its start was on its way when its parent was deleted.
      const parent = parentOf(row)
      if (parent !== undefined && this.#all.deletedRuns.has(parent)) return "gone"
      if (account.isGone(row) && !this.#hasParent(row)) return "gone"
      // [R11] Its first try was stored, but not heard of: sent again, the start has joined another run.
      if (row.status === "queued" && line.isElsewhere(row.id)) return "gone"
    }
    const word = row.status === "queued" && row.lined?.ask ? this.#stored(row, before) : undefined
    if (word) return { retention: account.retention(), word }
    // [K21] Nobody is told about the run of a test.
    const hasMessages = !isTestRow(row) && callbacks.recordNotice(row, before?.seq ?? 0, Date.now(), link)
    if (!isTestRow(row) && (before === undefined || seqOf(row) > before.seq))
      tellReport(feed, row, () => runs.standing(row.id) ?? (promises.has(row.id) ? PROMISED : undefined))
    runs.note(used.note(row, before), before ?? null)
    // Once for each run: a report of its end comes again when its answer was lost.
    if (row.ended !== undefined && before?.ended !== true) {
      const now = Date.now()
      const judged = judgedIn(row)
      // [V15] A judge of a run is counted with its score, and reports no usage; one of `until` reports its own.
      if (row.usage !== undefined) usage.add(row.usage)
      if (!isTestRow(row) && !judged) failures.add(row)
      if (judged && scorings.judgeEnded(judged.run, judged.scorer, now)) this.#all.want(now)
      sampled({ setting: settings.get("scoring"), store: scorings, want: this.#all.want, now }, row)
    }
    this.#all.experiments.reported(row, Date.now())
    this.#sum(row, before)
    if (row.unleased === true) leases.giveUp(row.id)
    else if (before === undefined || before.seq === 0) leases.begun(row.id)
    promises.reported(row.id)
    if (row.given !== undefined) this.#all.given.note(row.given)
    if (row.bodies !== undefined) this.#all.bodies.own(row.id, row.bodies)
    if (row.lost !== undefined) this.#all.strays.lost(row.lost)
    effects.note(row)
    if (row.decided !== undefined && !isTestRow(row)) decided.note(row.id, row.flow, row.decided)
    if (hasMessages) sender.send()
    if (row.ended !== undefined && isFire(row)) schedules.ended(row.id)
    // A report that came by another way than a later one brings no ended run back to life.
    const isLate = before !== undefined && Number(row.view["seq"] ?? 0) < before.seq
    if (row.status !== "queued") line.heard(row.id, row.ended === undefined ? "on" : row.lined?.below === true ? "below" : "over")
    if (row.status !== "queued" && row.view["parent"] === undefined && !judgedIn(row))
      gate.note(row.id, row.ended !== undefined || (isLate && runs.isOver(row.id)))
    if (row.ended !== undefined) line.room()
    const isTraced = row.ended !== undefined && collectorsOf(settings.get("telemetry")).length > 0
    const waits = row.status === "queued" && row.lined !== undefined ? line.waiting(row.id) : undefined
    return { retention: account.retention(), ...defined({ waits }), ...(isTraced ? { traces: true as const } : {}) }
  }

  /** [R20] The word by which the run begins; undefined: it waits, or has begun already. It is in the list as any other that begins [H5]. */
  #stored(row: ListedRun, before: LastReport | undefined): StartWord | undefined {
    const { line, promises } = this.#all
    if (!row.lined?.ask || (before !== undefined && before.seq > 0)) return undefined
    const word = line.stored(row.lined.ask, row.lined.paused === true)
    if (word) promises.add({ ...row, status: "running", view: { ...row.view, status: "running", seq: 0 } })
    return word
  }

  /** Each once: its start with its first report, its end with the first that says so, and questions with each that changes them. */
  #sum(row: ListedRun, before: LastReport | undefined): void {
    const { sums } = this.#all
    if (isTestRow(row) || row.status === "queued") return
    const { pending } = row.view
    const about = { flow: row.flow, rehearsed: row.view["rehearsed"] === true }
    const isFirst = before === undefined || before.seq === 0
    if (isFirst && row.view["parent"] === undefined) sums.began({ ...about, created: row.created })
    if (row.sum !== undefined && before?.ended !== true) sums.ended(row.sum)
    if (typeof pending === "number" && seqOf(row) > (before?.seq ?? 0))
      sums.asked(Date.now(), { ...about, more: pending - (before?.pending ?? 0) })
  }

  async knows(id: string): Promise<boolean> {
    await this.#all.desks.flush()
    return this.#all.runs.lastReport(id) !== undefined || this.#hasRow(id)
  }

  #hasParent(row: ListedRun): boolean {
    const parent = parentOf(row)
    return parent !== undefined && this.#all.runs.lastReport(parent) !== undefined
  }

  /** Whether a row of this tenant announces the run: then it is this tenant's, whatever its clock said when it began. */
  #hasRow(id: string): boolean {
    const { promises, deliveryRows, scheduleRows } = this.#all
    return promises.has(id) || deliveryRows.waitingFor(id) !== undefined || scheduleRows.fire(id) !== undefined
  }

  async newestOf(flow: string, thread: string, own?: string): Promise<string | null> {
    await wholeList(this.#all)
    return this.#all.threads.newest(flow, thread, own)
  }

  async claim(flow: string, thread: string, run: string, seen: string | null): Promise<string> {
    await wholeList(this.#all)
    return this.#all.threads.claim(flow, thread, run, seen)
  }

  async given(digests: readonly string[], { flow }: { readonly flow: string }): ReturnType<RunListPort["given"]> {
    await wholeList(this.#all)
    return { known: this.#all.given.known(digests), open: this.#all.runs.liveOf(flow, OPEN_LOOKS) }
  }

  release(flow: string, thread: string, run: string): void {
    this.#all.threads.release(flow, thread, run)
  }

  remove(id: string, last?: LastOfRun): void {
    this.#all.sums.together(() => this.#remove(id, last))
  }

  #remove(id: string, last?: LastOfRun): void {
    const { runs, promises, effects, usage, account, threads, used, sender, schedules, plans, watch, gate } = this.#all
    const before = runs.lastReport(id)
    // Its reports may all be on their way still, and its promise lost with a desk.
    const isOwn = promises.has(id) || (!this.#all.deletedRuns.has(id) && !account.isGone(last ?? {}))
    const isKnown = before === undefined ? isOwn : !before.ended
    if (last?.usage !== undefined && isKnown && account.since() !== undefined) usage.add(last.usage)
    if (account.since() !== undefined) this.#sumLast(before, isKnown ? last?.sum : undefined)
    used.forget(before)
    runs.remove(id)
    if (account.since() !== undefined) this.#all.deletedRuns.add(id)
    this.#all.bodies.gone(id, last?.bodies)
    if (last?.lost !== undefined) this.#all.strays.lost(last.lost)
    promises.remove(id)
    threads.forget(id)
    effects.remove(id)
    this.#all.decided.remove(id)
    this.#all.cached.gone(id)
    this.#forgetScores(id)
    if (last?.expired !== true) this.#all.datasets.gone(id)
    plans.forget(id)
    this.#all.sweeps.forget(id)
    sender.drop(id)
    schedules.ended(id)
    this.#all.deliveries.deleted(id)
    watch.forget(id)
    this.#all.line.over(id)
    gate.note(id, true)
    this.#all.line.room()
    this.#all.feed.tell("run.deleted", { run: id })
  }

  /** [V16] The runs of its judges go with it. */
  #forgetScores(id: string): void {
    const { scorings, gradings, trust, probes, want } = this.#all
    gradings.forget(id)
    trust.forget(id)
    const now = Date.now()
    for (const judge of [...scorings.forget(id), ...probes.forget(id)])
      if (scorings.add({ run: judge, scorer: "", flow: "", order: { by: "" } }, now)) want(now)
  }

  #sumLast(before: LastReport | undefined, last: ListedRun["sum"]): void {
    const { sums } = this.#all
    if (before !== undefined && !before.test && before.pending > 0) sums.asked(Date.now(), { ...before, more: -before.pending })
    if (last === undefined) return
    if ((before === undefined || before.seq === 0) && last.sum.runs !== undefined) sums.began({ ...last, created: last.began })
    sums.ended(last)
  }

  readonly list: Answers<RunListPort>["list"] = async (query) => {
    await wholeList(this.#all)
    const page = this.#all.runs.list(query)
    if (!("data" in page)) return page
    // [V17]
    const idOf = ({ id }: JsonObject): string => (typeof id === "string" ? id : "")
    const said = this.#all.scorings.saidOf(page.data.map(idOf))
    return { ...page, data: page.data.map((row) => ({ ...this.#waiting(row), ...shownSaid(said.get(idOf(row))) })) }
  }

  /** [R18] With what a queued run waits for now. */
  #waiting(row: JsonObject): JsonObject {
    const { id, status } = row
    const wait = status === "queued" && typeof id === "string" ? this.#all.line.waiting(id) : undefined
    return wait ? { ...row, waiting: { ...shownWait(wait) } } : row
  }

  readonly counts: Answers<RunListPort>["counts"] = async (by, filter) => {
    await wholeList(this.#all)
    return this.#all.counts.by(by, filter)
  }

  readonly tasks: Answers<RunListPort>["tasks"] = async ({ thread, ...query }) => {
    await wholeList(this.#all)
    return taskList(this.#all.sql, this.#all.tenant, query, thread === undefined ? undefined : runsOf(thread))
  }

  readonly effects: Answers<RunListPort>["effects"] = async (query) => {
    await this.#all.desks.flush()
    return this.#all.effects.list(query)
  }

  readonly decided: Answers<RunListPort>["decided"] = async (query) => {
    await this.#all.desks.flush()
    return this.#all.decided.list(query)
  }

  readonly asking: Answers<RunListPort>["asking"] = async (query) => {
    await this.#all.desks.flush()
    return this.#all.runs.asking(query)
  }
  readonly waiting: Answers<RunListPort>["waiting"] = async () => {
    await this.#all.desks.flush()
    const [asked, effects] = [this.#all.runs.asked(), this.#all.effects.uncertain()]
    const outside = this.#all.questions.openCount()
    return { asks: asked.n + outside, effects: effects.n, complete: asked.complete && effects.complete }
  }
}
