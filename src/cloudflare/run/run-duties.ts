// Sends the messages of a run [J14]: its status to the tenant, cancels to orphaned children, conversations to the sticky sessions, the
// unused lease to the tenant's daily budget, the end of the run to its parent, and traces to a collector.

import { stood } from "../../core/run/stood.ts"
import { PACE } from "../../core/run/shown-status.ts"
import { WATCHDOG_MS } from "../../engine/run/conduct/next-alarm.ts"
import { isHandedUp } from "../../core/run/effects/outside.ts"
import { openRows } from "../../core/run/effects/ledger.ts"
import { rememberedOf } from "../../core/run/protocol/given-answers.ts"
import { asksOf, asksWord, CHILD_INTERACTION } from "../../core/run/steps/child-questions.ts"
import { reportOf } from "../../core/run/steps/children.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import type { RunDesk } from "../../ports/tenant/catalog.ts"
import type { AwakeRun } from "./awake-run.ts"
import { learnDesks, reportOver } from "../desks/known-desks.ts"
import { portOf } from "../platform/port-of.ts"
import type { RunBatches } from "./batch/run-batches.ts"
import { Duties } from "./duties.ts"
import { FamilyPause } from "./family/family-pause.ts"
import { areOver, askParent, cancelAll, discardAll, standsStill, tellParent, tellStill } from "./family/run-family.ts"
import { fault } from "./run-fault.ts"
import type { RunResources } from "./run-resources.ts"
import { rowOf, withGiven } from "./run-row.ts"
import { LANES } from "./run-telemetry.ts"
import { later } from "../../ports/timers.ts"

/** A run that its tenant's list has already reports its start after so long, unless it has more to say by then. */
const REPORT_MS = 1_000

/** An orphan is one call; the platform allows 1,000 in an invocation. */
const AT_ONCE = 200
const CANCELED = "orphans_canceled"
const UNENDED = "unended_children"
const BELOW = "below"

/** The status of a run that has only begun. */
const AS_LISTED = "running  0 "

export class RunDuties {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #duties: Duties
  readonly #family: FamilyPause
  readonly #batches: Pick<RunBatches, "leave">
  /** How many of the run's orphans are canceled; undefined: not read yet. */
  #canceled: number | undefined
  /** Cancels of children that were orphaned while starting; an earlier cancel may have arrived before the start. */
  readonly #orphanCancels = new Map<string, () => Promise<void>>()
  /** [R6] Every run below this one is over. */
  #isBelowOver = false
  #times = 0
  #asks = ""
  /** What its parent was told last of whether it waits for a batch; undefined: nothing. */
  #stands: boolean | undefined
  #status = ""
  /** Takes this run's reports, as long as this object remembers. */
  #desk: number | undefined
  /** Cancels the report of the start, which waits. */
  #first: (() => void) | undefined

  constructor(resources: RunResources, self: AwakeRun, batches: Pick<RunBatches, "leave">) {
    const { env, kv, alarm, events, later } = resources
    this.#resources = resources
    this.#self = self
    this.#batches = batches
    this.#duties = new Duties({
      later,
      arrived: () => events.delivered(),
      failed: (word, e) => {
        fault(word, e)
        alarm.settle()
      },
    })
    // [J12] As long as a message is on its way, or has failed.
    alarm.share("messages", () => (this.#duties.areOwed ? Date.now() + WATCHDOG_MS : undefined))
    this.#family = new FamilyPause(env, kv, () => self.conductor?.run)
  }

  /** The tenant's list has this run already, as it begins. The report of its start waits in memory alone: if the object dies, its alarm
   *  sends it. */
  isListed(tenant: string, desk: RunDesk | undefined): void {
    this.#desk = desk?.number
    if (desk) learnDesks(tenant, desk.of, Date.now())
    if (this.#first !== undefined || this.#status !== "") return
    this.#first = later(() => {
      this.#first = undefined
      const run = this.#self.conductor?.run
      if (run) this.tell(run)
    }, REPORT_MS)
  }

  /** Whether this life of the object has told anyone. Until then it does not know what is owed. */
  get hasTold(): boolean {
    return this.#status !== ""
  }

  /** Whether any message has not arrived yet. */
  get areOwed(): boolean {
    return this.#duties.areOwed
  }

  /** Resolves when each message on its way has arrived or failed. */
  settled(): Promise<void> {
    return this.#duties.settled()
  }

  /** Sends all messages that are due. A message that does not arrive is sent again at the next alarm, which is set in this turn. */
  tell(run: Run): void {
    this.#tell(run)
    this.#resources.alarm.settle()
  }

  #tell(run: Run): void {
    const { env, sessions, containers } = this.#resources
    const duties = this.#duties
    const { tenant } = this.#self
    // A start whose commit has failed may be in memory for a while: nobody hears of it.
    if (tenant === undefined || run.seq === 0) return
    duties.begin()
    this.#tellStatus(tenant, run)
    this.#family.tell(duties, tenant, run)
    this.#tellOrphans(tenant, run)
    this.#tellBelow(tenant, run)
    for (const [word, cancel] of this.#orphanCancels) duties.tell(word, cancel)
    if (sessions.unsaved(run) > 0) duties.tell(`sessions ${run.transcripts.length}`, () => sessions.save(tenant, run))
    const lease = run.budget.lease ?? run.budget.lifted
    if (lease && isOver(run)) duties.tell("lease", () => portOf(env, tenant, "dayBudget").close(run.id, lease.until, lease.spent))
    if (isOver(run) && containers.any()) duties.tell("sandboxes", () => containers.destroy(tenant))
    this.#tellAsks(tenant, run)
    this.#tellStill(tenant, run)
    // [R37] Its batches are canceled.
    if (isOver(run) && run.pins?.batch !== undefined) duties.tell("batches", () => this.#batches.leave())
    const report = run.parent && reportOf(run)
    if (report)
      duties.tell("parent", async () => {
        // What became of its questions comes first: afterwards the parent listens no more.
        const last = asksOf(run)
        if (last) await askParent(env, tenant, run, last)
        const taken = await tellParent(env, tenant, run, { report, isBelow: this.hasBelow(run) })
        if (!taken) this.#self.conductor?.tell({ type: "discard", reason: "the parent run no longer waits for this run" })
      })
    const session = run.drafts === true && run.status === "succeeded" ? this.#self.identity()?.staging : undefined
    if (session !== undefined) duties.tell("proof", async () => this.#proved(tenant, session, run.id))
    // [K32] What a person did not choose, of children however deep.
    const { below } = run.outside
    if (isOver(run) && below.length > 0 && !isHandedUp(run, run.status)) duties.tell("effects below", () => discardAll(env, tenant, below))
    this.#tellOperators(tenant, run)
  }

  /** Its work waits for forks and tests, and a deletion waits for no proof. Few runs have one, and it needs what starts runs. */
  async #proved(tenant: string, session: string, run: string): Promise<void> {
    if (this.#self.isLeaving) return
    const { env, later } = this.#resources
    await (await import("../authoring/repair-proof.ts")).proveRepair({ env, later }, tenant, session, run)
  }

  #tellStatus(tenant: string, run: Run): void {
    const { env, bodies, bytes, events, telemetry } = this.#resources
    const duties = this.#duties
    // A status may repeat: running, waiting, running. The open questions count too, because the list and the inbox show them [W6]. So do
    // the files that were put, which the tenant's storage counts [H6].
    const put = run.put?.reduce((sum, { size }) => sum + size, 0) ?? 0
    // Open effects are listed by the tenant, also after the end of the run [K31].
    const open = run.outside.seen
      ? openRows(run)
          .map(({ key, state }) => `${state} ${key}`)
          .join()
      : ""
    const late = bodies.late(Date.now())
    const isBelow = (stood(run.start) || run.fork !== undefined) && this.hasBelow(run)
    const status = `${isBelow ? "below " : ""}${run.reason === PACE ? "running" : run.status}${run.reason === CHILD_INTERACTION ? ` ${run.reason}` : ""} ${run.pending.join()} ${put} ${open}${late}`
    if (this.#first !== undefined && status === AS_LISTED) return
    this.#first?.()
    this.#first = undefined
    if (this.#status !== status) duties.again("status")
    this.#status = status
    // A run that is being deleted is no longer listed.
    if (this.#self.isLeaving) return
    duties.tell("status", async () => {
      const own = rowOf(run)
      const lined = isBelow ? { ...own, lined: { below: true as const } } : own
      const [row, remembered] = [bodies.withBodies(bytes.withBytes(lined)), rememberedOf(run)]
      // [P2] Few runs have something to remember, and the others' reports leave at once.
      const report = remembered.length === 0 ? row : await withGiven(row, remembered)
      const noted = await reportOver(env, tenant, this.#desk, report)
      // [N3] The tenant is deleted, so its run is deleted too.
      if (noted === "gone") await events.erase()
      else {
        bodies.told(row)
        events.retention(noted.retention)
        if (noted.traces === true && telemetry.wanted()) this.#tellOperators(tenant, run)
      }
    })
  }

  /** [P5] */
  #tellAsks(tenant: string, run: Run): void {
    if (!run.parent || isOver(run) || (run.asked === 0 && run.asks === undefined)) return
    const { env, alarm } = this.#resources
    const duties = this.#duties
    const asks = asksWord(run)
    if (this.#asks !== asks) duties.again("asks")
    this.#asks = asks
    duties.tell("asks", async () => {
      const now = this.#self.conductor?.run
      const said = now && asksOf(now)
      if (!said || (await askParent(env, tenant, now, said))) return alarm.drop("questions")
      // The parent has no room now. The message itself has arrived.
      duties.again("asks")
      alarm.watch("questions")
    })
  }

  /** [R33] Whether anything goes on in it without a reply from a batch. A new life of the object says it again, once a model was asked. */
  #tellStill(tenant: string, run: Run): void {
    if (!run.batch || !run.parent || isOver(run)) return
    const stands = standsStill(run)
    if (this.#stands === undefined && !stands && !Object.values(run.steps).some(({ attempts, children }) => attempts > 0 || children))
      return
    if (this.#stands !== stands) this.#duties.again("still")
    this.#stands = stands
    this.#duties.tell("still", async () => {
      const now = this.#self.conductor?.run
      if (now && !isOver(now)) await tellStill(this.#resources.env, tenant, now)
    })
  }

  /** A part of them at a time, so that no invocation makes more calls than the platform allows. What is done is stored, if there are several
   *  parts. */
  #tellOrphans(tenant: string, run: Run): void {
    const { env, marks, alarm } = this.#resources
    if (run.orphans.length === 0) return
    this.#canceled ??= Number(marks.get(CANCELED) ?? 0)
    const to = Math.min(run.orphans.length, this.#canceled + AT_ONCE)
    const orphans = run.orphans.slice(this.#canceled, to)
    if (orphans.length === 0) return
    this.#duties.tell(`orphans ${to}`, async () => {
      await cancelAll(env, tenant, run.id, orphans)
      this.#canceled = Math.max(this.#canceled ?? 0, to)
      const all = this.#self.conductor?.ahead.orphans.length ?? to
      if (all > AT_ONCE) marks.put(CANCELED, to)
      if (all > to) alarm.want("orphans", Date.now())
      const now = this.#self.conductor?.run
      if (now) this.#tellBelow(tenant, now)
    })
  }

  /** [R6] The run has ended, and as far as it knows not all below it have. */
  hasBelow(run: Run): boolean {
    if (!isOver(run) || this.#isBelowOver || !mayHold(run)) return false
    return run.orphans.length > 0 || this.#unended().length > 0
  }

  /** Children that had ended when runs below them had not. */
  #unended(): readonly string[] {
    const kept = this.#resources.kv.get(UNENDED)
    return typeof kept === "string" ? JSON.parse(kept) : []
  }

  /** [R6] A child has told its end. `isBelow`: runs below it have not ended. */
  childEnded(child: string, isBelow: boolean): void {
    const unended = this.#unended()
    if (isBelow && !unended.includes(child)) this.#resources.kv.put(UNENDED, JSON.stringify([...unended, child]))
    const run = this.#self.conductor?.run
    if (run === undefined || !this.hasBelow(run)) return
    this.#duties.again(BELOW)
    this.tell(run)
  }

  /** Asks the runs below until all are over, and then tells the parent and the tenant once more. */
  #tellBelow(tenant: string, run: Run): void {
    if (!this.hasBelow(run) || (this.#canceled ?? 0) < run.orphans.length) return
    const { env, alarm } = this.#resources
    const below = [...new Set([...run.orphans, ...this.#unended()])]
    this.#duties.tell(BELOW, async () => {
      if (!(await areOver(env, tenant, run.id, below))) {
        this.#duties.again(BELOW)
        return alarm.watch(BELOW)
      }
      alarm.drop(BELOW)
      this.#isBelowOver = true
      this.#duties.again("parent")
      const now = this.#self.conductor?.run
      if (now) this.tell(now)
    })
  }

  #tellOperators(tenant: string, run: Run): void {
    const { alarm, telemetry } = this.#resources
    telemetry.measure(tenant, run)
    // A deletion waits for all other messages, but not for a trace collector.
    if (this.#self.isLeaving) return
    for (const lane of LANES) {
      const due = telemetry.due(run, lane)
      if (due !== undefined && due <= Date.now()) this.#duties.tell(telemetry.word(lane), () => telemetry.export(lane))
      else alarm.want(lane, due)
    }
  }

  /** Each call sends a new cancel, because the child may have begun after the previous one. */
  cancelOrphan(tenant: string, parent: string, child: string): void {
    const word = `orphan ${child} ${this.#times++}`
    const cancel = async (): Promise<void> => {
      await cancelAll(this.#resources.env, tenant, parent, [child])
      this.#orphanCancels.delete(word)
    }
    this.#orphanCancels.set(word, cancel)
    this.#duties.tell(word, cancel)
  }

  forget(): void {
    this.#first?.()
    this.#first = undefined
    this.#duties.forget()
    this.#orphanCancels.clear()
    this.#stands = undefined
    this.#canceled = undefined
  }
}

/** [R6, R15] Whether the run, or one above it, may hold a key. */
const mayHold = ({ start, parent, fork }: Run): boolean => stood(start) || parent !== undefined || fork !== undefined
