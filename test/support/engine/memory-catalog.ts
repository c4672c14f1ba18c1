// A tenant's catalog in memory: rows in a map, bodies in MemoryBlobs that a test can damage.

import { Catalog } from "../../../src/engine/catalog/catalog.ts"
import type { Act, CatalogStore, Change, PathChange, CatalogRevision, StoredFile } from "../../../src/engine/catalog/catalog-entry.ts"
import { inTurn } from "../../../src/engine/in-turn.ts"
import { MemoryBlobs } from "../../../src/engine/run/memory-store.ts"
import type { Blobs } from "../../../src/ports/blobs.ts"
import type { Bundle } from "../../../src/ports/tenant/catalog.ts"

export const TOOLS = ["read", "write", "grep", "ask_user", "skill_read", "subagent", "agent_catalog", "agent_write", "flow_write"]

export class MemoryRows implements CatalogStore {
  readonly #files = new Map<string, StoredFile>()
  readonly #revisions: CatalogRevision[] = []
  readonly #changes: (PathChange & { revision: number })[] = []
  readonly commits: (readonly Change[])[] = []
  /** How many history rows were read. */
  looked = 0

  revision(): number {
    return this.#revisions.length
  }
  files(): readonly StoredFile[] {
    return [...this.#files.values()]
  }
  commit(changes: readonly Change[], act: Act, also?: () => void): number {
    this.commits.push(changes)
    const revision = this.revision() + 1
    const done = new Map<string, PathChange & { revision: number }>()
    for (const change of changes) {
      const key = `${change.kind} ${change.id}`
      const row = this.#files.get(key)
      const { kind, id, path } = change
      const before = done.get(path)?.before ?? (row && { hash: row.hash, size: row.size })
      const after = change.type === "put" ? { hash: change.hash, size: change.size } : undefined
      if (after) this.#files.set(key, { kind, id, path, ...after })
      else this.#files.delete(key)
      if (before?.hash === after?.hash) done.delete(path)
      else done.set(path, { revision, kind, id, path, ...(before ? { before } : {}), ...(after ? { after } : {}) })
    }
    this.#changes.push(...[...done.values()].sort((a, b) => (a.path < b.path ? -1 : 1)))
    also?.()
    const { project, configures: _configures, ...made } = act
    if (project !== undefined) this.#applied.set(project, revision)
    this.#revisions.push({ ...made, revision, at: 1_800_000_000_000 + revision, changed: done.size })
    return revision
  }
  readonly #applied = new Map<string, number>()
  lastApply(project: string): number | undefined {
    return this.#applied.get(project)
  }
  keepApply(project: string, revision: number): void {
    this.#applied.set(project, revision)
  }
  revisions(below: number, limit: number): readonly CatalogRevision[] {
    return this.#revisions
      .filter((r) => r.revision < below)
      .reverse()
      .slice(0, limit)
  }
  changes(after: number, upTo: number, limit = Number.POSITIVE_INFINITY): readonly (PathChange & { revision: number })[] {
    const rows = this.#changes.filter((c) => c.revision > after && c.revision <= upTo).slice(0, limit)
    this.looked += rows.length
    return rows
  }
}

/** Blobs whose bodies can be lost or replaced under their hash, as no real store would do. */
export class FragileBlobs implements Blobs {
  readonly #under = new MemoryBlobs()
  readonly #damage = new Map<string, Uint8Array | undefined>()
  puts = 0
  gets: string[] = []
  /** Called before each put is stored. */
  beforePut: () => Promise<void> = async () => {}

  async put(body: Uint8Array): Promise<string> {
    this.puts++
    await this.beforePut()
    const hash = await this.#under.put(body)
    this.#damage.delete(hash)
    return hash
  }
  async get(hash: string): Promise<Uint8Array | undefined> {
    this.gets.push(hash)
    return this.#damage.has(hash) ? this.#damage.get(hash) : this.#under.get(hash)
  }
  lose(hash: string): void {
    this.#damage.set(hash, undefined)
  }
  replace(hash: string, body: Uint8Array): void {
    this.#damage.set(hash, body)
  }
}

export const BUILTINS: Readonly<Record<string, string>> = {
  "agents/flow-decision.md": agent("flow-decision"),
  "agents/flow-architect.md": agent("flow-architect", "role: architect\ntools: agent_catalog, agent_write, flow_write\n"),
  "flows/hello.yaml": flow("hello", "  - { id: greet, type: agent, agent: flow-architect }\n"),
  "flows/hello.rehearsal.yaml": "steps:\n  greet:\n    - finish: { status: complete, summary: hello }\n",
  "skills/house-style/SKILL.md": "---\nname: house-style\ndescription: how we write\n---\nPlainly.\n",
  "skills/house-style/words.md": "WORDS",
}

export function agent(name: string, head = "tools: read\n", body = "Do the task.\n\n${{task}}\n"): string {
  return `---\nname: ${name}\ndescription: the agent ${name}\n${head.includes("model:") ? "" : "model: '@fast'\n"}${head}---\n${body}`
}

export function flow(name: string, steps: string, head = ""): string {
  return `name: ${name}\ndescription: the flow ${name}\n${head}steps:\n${steps}`
}

export const step = (id: string, agentName: string, more = ""): string => `  - { id: ${id}, type: agent, agent: ${agentName}${more} }\n`

export function world(builtins: Readonly<Record<string, string>> = BUILTINS) {
  const rows = new MemoryRows()
  const blobs = new FragileBlobs()
  const catalog = new Catalog({ store: rows, blobs, builtins, tools: TOOLS, inTurn: inTurn() })
  return { rows, blobs, catalog }
}

/** A world with a bundle in it; throws when the bundle is refused, so that no test continues without its files. */
export async function stocked(bundle: Bundle) {
  const w = world()
  const result = await w.catalog.replace(bundle)
  if (!result.ok) throw new Error(JSON.stringify(result))
  return w
}
