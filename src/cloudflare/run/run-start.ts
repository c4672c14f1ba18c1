// How a run begins: at once, or held until there is room [H6]. A repeated start returns the existing run.

import type { Run } from "../../core/run/state.ts"
import { NO_SECRETS, type Redactor } from "../../core/secrets/redact.ts"
import { runView, type RunView } from "../../core/run/views/view.ts"
import type { Conductor } from "../../engine/run/conductor.ts"
import { DefinitionsLost } from "../../engine/catalog/definitions.ts"
import { startChanges } from "../../engine/run/start-files.ts"
import type { Blobs } from "../../ports/blobs.ts"
import { r2Blobs } from "../blobs/blobs-r2.ts"
import type { StartRequest } from "../../ports/run.ts"
import type { AwakeRun } from "./awake-run.ts"
import { openVault } from "../clients/secrets.ts"
import { clock } from "../platform/clock.ts"
import { portOf } from "../clients/port-of.ts"
import type { HeldStart } from "./held-start.ts"
import type { RunResources } from "./run-resources.ts"
import { sha256 } from "../platform/sha256.ts"
import { sessionOfThread } from "../../core/run/thread.ts"
import { rowOf } from "./run-row.ts"
import { startedOf } from "./run-started.ts"

export class RunStart {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #held: HeldStart

  constructor(resources: RunResources, self: AwakeRun, held: HeldStart) {
    this.#resources = resources
    this.#self = self
    this.#held = held
  }

  /** `waits`: the caller is answered when the run has ended, or by what is stored then. So the start may share the commit of what follows from
   *  it: until the answer, the caller knows of no run. */
  async start(asked: StartRequest, waits = false): Promise<RunView> {
    const { env, journal } = this.#resources
    const [self, held] = [this.#self, this.#held]
    const said = {
      task: asked.task,
      inputs: asked.inputs,
      ...(asked.thread === undefined ? {} : { thread: asked.thread }),
      ...(asked.tags ? { tags: asked.tags } : {}),
      ...(asked.payload ? { payload: asked.payload } : {}),
      ...(asked.conversation ? { conversation: asked.conversation } : {}),
    }
    const request = threaded({ ...asked, ...(await self.clean(said, asked.tenant)) })
    if (request.cannot !== undefined && (await self.awake()) === undefined) return this.#refuse(request, request.cannot)
    if (request.held === true && (await self.awake()) === undefined) return this.#hold(request)
    const made = (await self.awake()) ?? (await self.conduct(request))
    // Another start may have arrived while the definitions were loading; the first one stays.
    self.take(made)
    const { tenant, run } = request
    try {
      // The start includes the first slice of the tenant's daily budget, so that no call waits for it [B4].
      const wanted = request.daily === true && journal.last() === 0
      const lease = wanted ? await portOf(env, tenant, "dayBudget").lease(run, "start", {}) : undefined
      // [H5] A held start may have been paused or resumed during these reads.
      const kept = held.read()
      if (journal.last() === 0) {
        const started = startedOf(request)
        self.began(started)
        this.#conductor().tell(
          { type: "start", started, ...(lease ? { lease } : {}), ...(kept?.paused ? { paused: true } : {}) },
          { files: startChanges(request), mayWait: waits && lease === undefined && kept === undefined },
        )
      }
    } catch (e) {
      // A start that could not be written did not happen, so callers must not find a run here.
      if (journal.last() === 0) self.drop()
      throw e
    }
    return runView(waits ? this.#conductor().ahead : this.#conductor().run)
  }

  /** Stores a start that waited for the commit of what follows. Throws if it cannot be stored: then no run is here. */
  store(): void {
    const { journal } = this.#resources
    const { conductor } = this.#self
    if (!conductor || journal.last() > 0) return
    try {
      conductor.save()
      if (journal.last() === 0) throw new Error("the start of the run could not be stored")
    } catch (e) {
      this.#self.drop()
      throw e
    }
  }

  #conductor(): Conductor {
    const { conductor } = this.#self
    if (!conductor) throw new Error("the run was erased while it began")
    return conductor
  }

  /** Begins the held start. false: no start is held, and no run has begun here. Safe to repeat. */
  async release(): Promise<boolean> {
    const [self, held] = [this.#self, this.#held]
    const kept = held.read()
    if (!kept) return this.#resources.journal.last() > 0
    const { held: _held, at: _at, paused: _paused, ...request } = kept
    await this.start(request).catch((e: unknown) => {
      if (!(e instanceof DefinitionsLost)) throw e
      const stranded = self.strand(request.flow, e.message)
      self.drop()
      self.take(stranded)
      stranded.tell({ type: "start", started: startedOf(request) })
    })
    held.forget()
    return true
  }

  /** Also of a run that has not begun. */
  get blobs(): Blobs | undefined {
    const tenant = this.#tenant()
    return tenant === undefined ? undefined : r2Blobs(this.#resources.env, tenant, this.#resources.later)
  }

  /** What takes the tenant's secrets out of a body, also for a run that has not begun. */
  async redactor(): Promise<Redactor> {
    const tenant = this.#tenant()
    return tenant === undefined ? NO_SECRETS : (await openVault(this.#resources.env, tenant, clock.now)()).redactor
  }

  #tenant(): string | undefined {
    return this.#self.tenant ?? this.#held.read()?.tenant
  }

  /** The run as it is, or as it will begin; undefined: there is no run. */
  async run(): Promise<Run | undefined> {
    return (await this.#self.awake())?.run ?? (await this.#held.run())
  }

  /** [W8] Records a run that cannot start. The next request folds it from its journal. */
  #refuse(request: StartRequest, why: string): RunView {
    const refused = this.#self.refuse(request.tenant, request.flow, why)
    this.#self.take(refused)
    try {
      refused.tell({ type: "start", started: startedOf(request) })
      return runView(refused.run)
    } finally {
      this.#self.drop()
    }
  }

  /** Stores the start and reports it to the tenant. */
  async #hold(request: StartRequest): Promise<RunView> {
    const { env, events } = this.#resources
    this.#held.keep(request)
    const run = await this.#held.run()
    if (!run) throw new Error("a run that was just held is not there")
    const noted = await portOf(env, request.tenant, "runs").note(rowOf(run))
    if (noted === "gone") await events.erase()
    return runView(run)
  }
}

/** [J25] A start with a thread and no session has the thread's session. The fields keep their order [J3]. */
function threaded(request: StartRequest): StartRequest {
  if (request.thread === undefined || request.session !== undefined) return request
  const session = sessionOfThread(request.thread, sha256)
  return Object.fromEntries(
    Object.entries(request).flatMap((entry) => (entry[0] === "thread" ? [entry, ["session", session]] : [entry])),
  ) as unknown as StartRequest
}
