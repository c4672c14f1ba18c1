// KV as the Worker uses it: a read may be as old as a minute, also of a key that was not there.

import type { Border } from "./border.ts"

const STALE_MS = 60_000

interface Version {
  readonly at: number
  readonly value: Uint8Array | undefined
  readonly until: number
}

export class Store {
  readonly #versions = new Map<string, Version[]>()
  readonly #border: Border

  constructor(border: Border) {
    this.#border = border
  }

  get(key: string, options?: string | { type?: string }): Promise<unknown> {
    return this.#border.ask("KV", `get ${key}`, () => {
      const value = this.#read(key)
      if (value === undefined) return null
      const type = typeof options === "string" ? options : (options?.type ?? "text")
      if (type === "arrayBuffer") return value.slice().buffer
      const text = new TextDecoder().decode(value)
      return type === "json" ? (JSON.parse(text) as unknown) : text
    })
  }

  put(key: string, value: unknown, options: { expirationTtl?: number } = {}): Promise<void> {
    const bytes = typeof value === "string" ? new TextEncoder().encode(value) : new Uint8Array(value as Uint8Array).slice()
    return this.#border.ask("KV", `put ${key}`, () => this.#write(key, bytes, options.expirationTtl))
  }

  delete(key: string): Promise<void> {
    return this.#border.ask("KV", `delete ${key}`, () => this.#write(key, undefined))
  }

  /** Keys that a reader may still see, for the world. */
  keys(): string[] {
    return [...this.#versions].filter(([, versions]) => versions.at(-1)?.value !== undefined).map(([key]) => key)
  }

  #write(key: string, value: Uint8Array | undefined, ttl?: number): void {
    const { now } = this.#border.timeline
    const versions = this.#versions.get(key) ?? []
    versions.push({ at: now, value, until: ttl === undefined ? Number.POSITIVE_INFINITY : now + ttl * 1_000 })
    this.#versions.set(key, versions.slice(-4))
  }

  #read(key: string): Uint8Array | undefined {
    const { now } = this.#border.timeline
    const versions = this.#versions.get(key) ?? []
    const latest = versions.at(-1)
    if (!latest) return undefined
    if (now - latest.at < STALE_MS && this.#border.faults.of("stale read")) {
      const before = versions.at(-2)
      return before !== undefined && before.until > now ? before.value : undefined
    }
    return latest.until > now ? latest.value : undefined
  }
}
