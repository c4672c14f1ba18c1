// Powers in memory: what the memory, file and media tools reach in a test. Each records what it receives.

import { normalizePath } from "../../../src/core/text/path.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import type { Memory, MemoryEntry, Objects, StoredObject } from "../../../src/ports/tool.ts"

export class FakeMemory implements Memory {
  entries: MemoryEntry[] = []
  searched: unknown[] = []
  keys: (string | undefined)[] = []

  async write(entry: Parameters<Memory["write"]>[0]): Promise<{ id: string; version: number }> {
    this.keys.push(entry.key)
    this.#add(entry.namespace, entry.content, entry.tainted, entry.source)
    return { id: `mem_${this.entries.length}`, version: this.entries.length }
  }
  async append(namespace: string, contents: readonly string[], meta: { tainted: boolean; source?: string; key?: string }): Promise<void> {
    this.keys.push(meta.key)
    for (const content of contents) this.#add(namespace, content, meta.tainted, meta.source)
  }
  async read(namespace: string, limit = 100): Promise<MemoryEntry[]> {
    return this.entries.filter((e) => e.namespace === namespace).slice(-limit)
  }
  async search(query: Parameters<Memory["search"]>[0]): Promise<(MemoryEntry & { score: number })[]> {
    this.searched.push(query)
    return this.entries.filter((e) => e.content.includes(query.query)).map((e) => ({ ...e, score: 1 }))
  }
  async replace(namespace: string, contents: readonly string[], tainted: boolean, source?: string): Promise<void> {
    this.entries = this.entries.filter((e) => e.namespace !== namespace)
    for (const content of contents) this.#add(namespace, content, tainted, source)
  }
  #add(namespace: string, content: string, tainted: boolean, source?: string): void {
    const id = `mem_${this.entries.length + 1}`
    this.entries.push({ id, namespace, content, tainted, ...(source === undefined ? {} : { source }), at: 0 })
  }
}

export class FakeObjects implements Objects {
  files = new Map<string, StoredObject>()
  links: { key: string; ttl: number }[] = []

  async put(key: string, body: Uint8Array | string, meta: { contentType?: string; tainted: boolean } = { tainted: false }): Promise<void> {
    this.files.set(clean(key), { body: typeof body === "string" ? new TextEncoder().encode(body) : body, ...meta })
  }
  async get(key: string): Promise<StoredObject | undefined> {
    return this.files.get(clean(key))
  }
  async list(prefix: string, limit: number, after = ""): Promise<{ key: string; size: number; tainted: boolean }[]> {
    return [...this.files]
      .filter(([key]) => key.startsWith(prefix) && key > after)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([key, file]) => ({ key, size: file.body.length, tainted: file.tainted }))
  }
  async keep(folder: string, name: string, body: Uint8Array, meta: { contentType?: string; tainted: boolean }): Promise<{ key: string }> {
    const key = `${folder}/${(await sha256(body)).slice(0, 32)}/${name}`
    await this.put(key, body, meta)
    return { key }
  }
  async remove(key: string): Promise<boolean> {
    return this.files.delete(clean(key))
  }
  async link(key: string, ttl: number): Promise<{ url: string; expires: number }> {
    this.links.push({ key, ttl })
    return { url: `https://sluice.test/d/${this.links.length}`, expires: ttl * 1000 }
  }
}

function clean(key: string): string {
  const path = normalizePath(key)
  if (!path.ok) throw new Error(path.error)
  return path.value
}
