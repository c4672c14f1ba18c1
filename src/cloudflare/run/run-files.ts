// Reads and puts the files of a run for callers [F55]. A queued run has its files in its start, and no journal yet.

import { defined } from "../../core/defined.ts"
import type { StartFile } from "../../core/run/event-parts.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import { cleanBody } from "../../engine/run/keep-files.ts"
import { FileRefused, StagedWorkspace, type WorkspaceIndex } from "../../engine/run/call/staged-workspace.ts"
import { heldIndex } from "../../engine/run/begin/start-files.ts"
import type { Answers, RunRooms } from "../../ports/objects.ts"
import type { PutResult, PutSaid } from "../../ports/run.ts"
import type { FileEntry } from "../../ports/workspace.ts"
import { clock } from "../platform/clock.ts"
import { portOf } from "../platform/port-of.ts"
import type { AwakeRun } from "./awake-run.ts"
import type { HeldStart } from "./held-start.ts"
import type { RunResources } from "./run-resources.ts"
import type { RunStart } from "./run-start.ts"

export class RunFiles implements Answers<RunRooms["files"]> {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #held: HeldStart
  readonly #starts: RunStart

  constructor(resources: RunResources, self: AwakeRun, held: HeldStart, starts: RunStart) {
    this.#resources = resources
    this.#self = self
    this.#held = held
    this.#starts = starts
  }

  async files(): Promise<FileEntry[] | undefined> {
    const run = await this.#starts.run()
    if (!run) return undefined
    return [...this.#index(run).list("")]
  }

  async file(path: string): Promise<{ entry: FileEntry; body: Uint8Array } | undefined> {
    const run = await this.#starts.run()
    const entry = run && this.#index(run).stat(path)
    const body = entry && (await this.#starts.blobs?.get(entry.hash))
    return entry && body ? { entry, body } : undefined
  }

  /** The run may have ended while the body was stored: nothing names it, so the tenant's sweep is told. */
  async #unowned(hash: string): Promise<void> {
    const { tenant } = this.#self
    if (tenant !== undefined) await portOf(this.#resources.env, tenant, "bodies").leave([hash])
  }

  #index(run: Run): WorkspaceIndex {
    return run.seq === 0 ? heldIndex(run.given ?? [], run.started) : this.#resources.journal
  }

  /** [F55] The body is stored first; the path names it in the commit that admits the file. */
  async putFile(path: string, body: Uint8Array, { by, type, tainted }: PutSaid): Promise<PutResult> {
    const run = await this.#starts.run()
    const blobs = this.#starts.blobs
    if (!run || !blobs) return { ok: false, code: "not_found" }
    // What is refused is not stored: no event would ever name the body.
    if (isOver(run)) return { ok: false, code: "run_over" }
    const { bytes } = this.#resources
    const staged = new StagedWorkspace({ index: this.#index(run), blobs: bytes.metered(blobs), now: () => clock.now() })
    const clean = await cleanBody(body, await this.#starts.redactor())
    const wrote = await staged.write(path, clean).catch((e: unknown) => {
      // A fault of the storage is not the request's: it is thrown, and the client may try again.
      if (e instanceof FileRefused) return e.message
      throw e
    })
    if (typeof wrote === "string") return { ok: false, code: "invalid", why: wrote }
    const entry = await staged.stat(path)
    if (!entry) throw new Error("a file that was just written cannot be found")
    const { hash, size } = entry
    const mark = defined({ tainted })
    const file: StartFile = { path, hash, size, ...defined({ type }), ...mark }
    const done = { ok: true, entry: { ...entry, ...mark }, created: wrote.created } as const
    // It may have begun while the body was stored.
    if (this.#held.put(file)) return done
    const conductor = await this.#self.awake()
    if (!conductor) return { ok: false, code: "not_found" }
    const outcome = conductor.tell({ type: "file", file, by }, { files: [{ path, base: null, hash, size, ...mark }] })
    if (outcome.ok) return done
    await this.#unowned(hash)
    const { error } = outcome
    if (error.code === "definitions_lost") return { ok: false, ...error }
    if (error.code === "busy") return { ok: false, code: "busy", why: error.why }
    return { ok: false, code: error.code === "too_many" ? "too_many" : "run_over" }
  }
}
