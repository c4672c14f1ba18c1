// A tenant's catalog in memory: rows in a map, bodies in MemoryBlobs that a test can damage.

import { Catalog } from "../../src/engine/catalog.ts"
import type { CatalogStore, Change, StoredFile } from "../../src/engine/catalog-entry.ts"
import { inTurn } from "../../src/engine/in-turn.ts"
import { MemoryBlobs } from "../../src/engine/memory-store.ts"
import type { Blobs } from "../../src/ports/blobs.ts"
import type { Bundle } from "../../src/ports/catalog.ts"

export const TOOLS = ["read", "write", "grep", "ask_user", "skill_read", "subagent", "agent_catalog", "agent_write", "flow_write"]

export class MemoryRows implements CatalogStore {
  #revision = 0
  readonly #files = new Map<string, StoredFile>()
  readonly commits: (readonly Change[])[] = []

  revision(): number {
    return this.#revision
  }
  files(): readonly StoredFile[] {
    return [...this.#files.values()]
  }
  commit(changes: readonly Change[]): number {
    this.commits.push(changes)
    for (const change of changes) {
      const key = `${change.kind} ${change.id}`
      if (change.type === "remove") this.#files.delete(key)
      else this.#files.set(key, { kind: change.kind, id: change.id, path: change.path, hash: change.hash, size: change.size })
    }
    return ++this.#revision
  }
}

/** Blobs whose bodies can be lost or replaced behind their hash, as no store of ours would do. */
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

/** A world with a bundle in it; throws when the bundle is refused, so that no test goes on without its files. */
export async function stocked(bundle: Bundle) {
  const w = world()
  const result = await w.catalog.replace(bundle)
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics))
  return w
}
