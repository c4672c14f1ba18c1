// Runs one round of `sluice dev`: reads the folder, judges it, writes it to the session's draft [F80], and rehearses and tests what the
// change concerns. A round never throws: it reports what is wrong, and the last valid state stays in the draft.

import { readFile } from "node:fs/promises"
import path from "node:path"
import { isConfig, PACKED_FOLDERS } from "../../src/core/flow/catalog-kinds.ts"
import { catalogPath } from "../../src/core/flow/path-id.ts"
import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import type { Bundle } from "../../src/api/catalog.ts"
import type { DraftWritten } from "../../src/api/doc/drafts.doc.ts"
import type { TestReport } from "../../src/api/doc/tests.doc.ts"
import { bundleOf } from "../../local/definition-files.ts"
import { asAuthored } from "../../local/openapi-document.ts"
import { defined } from "../../src/core/defined.ts"
import { messageOf } from "../../src/core/text/fault-text.ts"
import { filesOf, KINDS } from "../project/difference.ts"
import type { FoundDiagnostics } from "../project/places.ts"
import { projectName } from "../project/planned.ts"
import { toolsOf } from "../project/own-tools.ts"
import { configOf, configText, PROJECT_FILE, readConfig } from "../project/project.ts"
import { judge } from "../project/judge.ts"
import { asksServer, keptTools } from "../types/known-tools.ts"
import { wroteTypes } from "../types/typed-project.ts"
import { inDraft } from "./session.ts"
import { affectedFlows, changedPaths, hasRehearsal, hasTests, untestedFlows } from "./affected.ts"

/** What a round tells, in this order. `ms`: since the round began. */
export type RoundNews =
  | {
      readonly type: "checked"
      readonly ms: number
      readonly files: number
      readonly changed: readonly string[]
      readonly valid: boolean
      readonly diagnostics: FoundDiagnostics
      /** Of these, what a person has not been told yet: every error, and warnings that the last round did not have. */
      readonly fresh: FoundDiagnostics
    }

  /** To the session's draft; `revision`: the catalog below it. Without `draft`, to the catalog. */
  | {
      readonly type: "applied"
      readonly ms: number
      readonly revision: number
      readonly draft?: string
      /** Files that were saved and take effect only when the folder is applied: settings, hooks and the like. */
      readonly waiting?: readonly string[]
    }
  | { readonly type: "tested"; readonly ms: number; readonly report: TestReport }
  | {
      readonly type: "rehearsed"
      readonly ms: number
      readonly flow: string
      readonly run: string
      readonly status: string
      readonly error?: string
    }
  | { readonly type: "failed"; readonly ms: number; readonly message: string }
  /** `untested`: of the flows that the save concerns, those without tests and without a rehearsal. */
  | { readonly type: "done"; readonly ms: number; readonly passed: boolean; readonly untested?: readonly string[] }

/** At most so many flows are rehearsed and tested after one save; a checkout of everything names hundreds. */
const MOST_FLOWS = 20
const REHEARSAL_S = 20
/** Kinds that every project has. */
const OWN: readonly string[] = PACKED_FOLDERS

/** The draft that the session writes, and that its starts name. */
export interface SessionDraft {
  readonly name: string
  /** `replace`: the folder is the whole catalog. `merge`: others have files there. */
  readonly mode: "merge" | "replace"
  /** A server that never had this project is given it once, so that its hooks, schedules and console have something to work with. */
  readonly gives?: boolean
  /** The folder's files, as the session's environment has them; by default as they are. */
  readonly read?: (folder: string) => Promise<Bundle>
}

const SESSION: SessionDraft = { name: "dev", mode: "replace" }

export class Rounds {
  readonly #folder: string
  readonly #draft: SessionDraft
  #gives: boolean
  /** Every path that the session has sent. */
  readonly #sent = new Set<string>()
  readonly #client: () => Sluice
  readonly #tell: (told: RoundNews, texts: ReadonlyMap<string, string>) => void
  /** The warnings of the last round, each as one text without its place, which an edit moves. */
  #warned: ReadonlySet<string> = new Set()
  #applied: Bundle | undefined
  #read: Bundle | undefined
  /** What the handlers import, as it was read. */
  #imported: ReadonlyMap<string, string> = new Map()
  /** sluice.yaml as it was read. */
  #config: string | undefined
  /** The last round could not be ended: the next one says how the folder is, even if it is as before. */
  #isFailed = false
  #last: Promise<void> = Promise.resolve()

  constructor(
    folder: string,
    client: () => Sluice,
    tell: (told: RoundNews, texts: ReadonlyMap<string, string>) => void,
    draft: SessionDraft = SESSION,
  ) {
    this.#folder = folder
    this.#draft = draft
    this.#gives = draft.gives === true
    this.#client = client
    this.#tell = tell
  }

  /** Files of the project that its handlers import, wherever they are. */
  get imports(): readonly string[] {
    return [...this.#imported.keys()]
  }

  /** The imported files as they are now; one that is gone has no text. */
  async #parts(): Promise<ReadonlyMap<string, string>> {
    const all = this.imports.map(async (name) => [name, await readFile(path.join(this.#folder, name), "utf8").catch(() => "")] as const)
    return new Map(await Promise.all(all))
  }

  /** One after the other, however they are called. */
  round(): Promise<void> {
    return this.alone(() => this.#round())
  }

  /** Between two rounds, such as a restart of the server that they write to. It must not fail. */
  alone(act: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(act)
    return this.#last
  }

  /** The flow as the session has it. */
  at(flow: string): string {
    return inDraft(flow, this.#draft.name)
  }

  /** A draft that nobody writes goes. */
  renew(): Promise<void> {
    return this.alone(async () => {
      if (this.#applied !== undefined) await this.#write(this.#client(), this.#applied).catch(() => undefined)
    })
  }

  /** The session is over. The draft of a server that does not answer goes by itself. */
  end(): Promise<void> {
    return this.alone(async () => {
      if (this.#applied !== undefined)
        await this.#client()
          .catalog.drafts.delete(this.#draft.name)
          .catch(() => undefined)
    })
  }

  #fresh(found: FoundDiagnostics): FoundDiagnostics {
    const textOf = (path: string, { code, message }: FoundDiagnostics[string][number]): string => JSON.stringify([path, code, message])
    const before = this.#warned
    this.#warned = new Set(Object.entries(found).flatMap(([path, list]) => list.map((one) => textOf(path, one))))
    return Object.fromEntries(
      Object.entries(found).map(([path, list]) => [path, list.filter((one) => one.severity === "error" || !before.has(textOf(path, one)))]),
    )
  }

  async #give(client: Sluice, bundle: Bundle, ms: () => number, tell: (told: RoundNews) => void): Promise<void> {
    const { name } = await configOf(this.#folder)
    const project = projectName(name)
    const options = defined({ project })
    const { drift } = await client.catalog.plan({ mode: "replace", ...bundle }, options)
    if (drift.since === null) tell({ type: "applied", ms: ms(), revision: (await client.catalog.replace(bundle, options)).revision })
    this.#gives = false
  }

  #write(client: Sluice, bundle: Bundle): Promise<DraftWritten> {
    const { name, mode } = this.#draft
    if (mode === "replace") return client.catalog.drafts.put(name, { mode, ...bundle })
    const paths = new Set(filesOf(bundle).keys())
    for (const path of paths) this.#sent.add(path)
    const gone = [...this.#sent].filter((path) => !paths.has(path))
    return client.catalog.drafts.put(name, { mode, ...bundle, ...(gone.length === 0 ? {} : { delete: gone }) })
  }

  async #round(): Promise<void> {
    const began = performance.now()
    const ms = (): number => Math.round(performance.now() - began)
    let texts: ReadonlyMap<string, string> = new Map()
    const tell = (told: RoundNews): void => this.#tell(told, texts)
    try {
      const written = await wholeOf(() => (this.#draft.read ?? bundleOf)(this.#folder), this.#applied)
      const config = await configText(this.#folder)
      const own = filesOf(written)
      const parts = await this.#parts()
      const touched = [
        ...changedPaths(this.#read, written),
        ...[...parts].flatMap(([path, text]) => (this.#imported.get(path) === text ? [] : [path])),
        ...((this.#config ?? config) === config ? [] : [PROJECT_FILE]),
      ]
      if (this.#read !== undefined && touched.length === 0 && !this.#isFailed) return
      const { valid, diagnostics, bundle, imported } = await judge(written, this.#folder)
      texts = new Map([...(await asAuthored(this.#folder, own)), ...imported, [PROJECT_FILE, config]])
      this.#read = written
      this.#imported = imported
      this.#config = config
      this.#isFailed = false
      if (config !== "") await writeTypes(this.#folder, written)
      tell({ type: "checked", ms: ms(), files: own.size, changed: touched, valid, diagnostics, fresh: this.#fresh(diagnostics) })
      if (!valid) return tell({ type: "done", ms: ms(), passed: false })
      // Since the last valid state, so that what was broken in between is tried too.
      const changed = changedPaths(this.#applied, bundle)
      const isFirst = this.#applied === undefined
      const client = this.#client()
      if (this.#gives) await this.#give(client, bundle, ms, tell)
      const { revision } = await this.#write(client, bundle)
      this.#applied = bundle
      if (config !== "") await keepTools(this.#folder, written, client)
      const waiting = isFirst ? [] : changed.filter(waits)
      tell({ type: "applied", ms: ms(), revision, draft: this.#draft.name, ...(waiting.length > 0 ? { waiting } : {}) })
      let passed = true
      const affected = affectedFlows(bundle, changed)
      const untested = untestedFlows(bundle, affected)
      for (const flow of affected.slice(0, MOST_FLOWS)) {
        if (hasTests(bundle, flow)) {
          const report = await client.flows.test(this.at(flow))
          passed &&= report.failed === 0
          tell({ type: "tested", ms: ms(), report })
        }
        if (!isFirst && hasRehearsal(bundle, flow)) passed = (await this.#rehearse(client, flow, ms, tell)) && passed
      }
      tell({ type: "done", ms: ms(), passed, ...(untested.length === 0 ? {} : { untested }) })
    } catch (error) {
      this.#isFailed = true
      tell({ type: "failed", ms: ms(), message: messageOf(error) })
    }
  }

  /** Nothing is sent, and a run that waits for a person is ended: its question would stay in the inbox after every save. */
  async #rehearse(client: Sluice, flow: string, ms: () => number, tell: (told: RoundNews) => void): Promise<boolean> {
    try {
      const task = `A rehearsal of ${flow}.`
      const run = await client.flows.wait(this.at(flow), { task, rehearse: true, effects: "dry", tags: ["dev"] }, REHEARSAL_S)
      if (run.status === "waiting") await client.runs.cancel(run.id)
      const error = "error" in run && run.error !== undefined ? { error: run.error.message } : {}
      tell({ type: "rehearsed", ms: ms(), flow, run: run.id, status: run.status, ...error })
      return run.status !== "failed"
    } catch (error) {
      // A flow with inputs that must be given cannot be rehearsed without them.
      if (!(error instanceof SluiceError) || error.status !== 422) throw error
      return true
    }
  }
}

/** `sluice.d.ts`. A folder that cannot be written is drafted all the same. */
async function writeTypes(folder: string, written: Bundle): Promise<void> {
  await wroteTypes(folder, written, await ownTools(folder)).catch(() => undefined)
}
async function ownTools(folder: string): Promise<readonly string[]> {
  const { value } = await readConfig(folder)
  return toolsOf(folder, value.tools)
}

/** What only the server knows, and the types with it. */
async function keepTools(folder: string, written: Bundle, client: Sluice): Promise<void> {
  const own = await ownTools(folder)
  if (!asksServer(written, own)) return
  try {
    if (await keptTools(folder, written, own, client)) await wroteTypes(folder, written, own)
  } catch {
    // A key without tools:call, or a folder that cannot be written.
  }
}

/** A draft has definitions and tools; everything else that configures the tenant takes effect with an apply [F80]. */
function waits(path: string): boolean {
  const place = catalogPath(path)
  return place.ok && place.value.kind !== "tool" && isConfig(place.value.kind)
}

/** What is gone from the folder is gone from the server, also with its whole kind; a kind that the folder never had is not the folder's. */
async function wholeOf(read: () => Promise<Bundle>, before: Bundle | undefined): Promise<Bundle> {
  const found = await read().catch((error: unknown) => {
    if (error instanceof Error && error.message.includes("has none of the folders")) return {}
    throw error
  })
  return {
    ...Object.fromEntries(KINDS.flatMap((kind) => (OWN.includes(kind) || before?.[kind] !== undefined ? [[kind, {}] as const] : []))),
    ...found,
  }
}
