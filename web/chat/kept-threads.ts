// Stores a page's threads across reloads: in the tab's storage, or in the browser's if the page wants that. The chat also works with a full
// or disabled storage.

import type { ChatAddress } from "./chat-door.ts"
import type { Keep, StoredThread } from "./chat-thread.ts"
import { textOf } from "./ui-message.ts"

export interface ThreadRow {
  readonly thread: string
  readonly title: string
}

/** Threads that are kept of a flow, the newest. */
const MAX_THREADS = 20
/** Characters of a thread's title. */
const MAX_TITLE = 60

export class KeptThreads {
  readonly #storage: Storage | undefined
  readonly #name: string

  constructor(storage: Storage | undefined, { server, flow }: Pick<ChatAddress, "server" | "flow">) {
    this.#storage = storage
    this.#name = `sluice-chat ${server} ${flow}`
  }

  /** Newest first. */
  rows(): ThreadRow[] {
    const rows = this.#read(this.#name)
    return Array.isArray(rows) ? (rows as ThreadRow[]) : []
  }

  of(thread: string): Keep {
    const name = `${this.#name} ${thread}`
    return {
      load: () => this.#read(name) as StoredThread | undefined,
      save: (kept) => {
        this.#write(name, kept)
        const first = kept.messages.find(({ role }) => role === "user")
        if (first) this.#note({ thread, title: textOf(first).slice(0, MAX_TITLE) })
      },
    }
  }

  #note(row: ThreadRow): void {
    const rows = [row, ...this.rows().filter(({ thread }) => thread !== row.thread)]
    for (const { thread } of rows.slice(MAX_THREADS)) this.#remove(`${this.#name} ${thread}`)
    this.#write(this.#name, rows.slice(0, MAX_THREADS))
  }

  #read(name: string): unknown {
    try {
      return JSON.parse(this.#storage?.getItem(name) ?? "null") ?? undefined
    } catch {
      return undefined
    }
  }

  #write(name: string, value: unknown): void {
    try {
      this.#storage?.setItem(name, JSON.stringify(value))
    } catch {
      this.#remove(name)
    }
  }

  #remove(name: string): void {
    try {
      this.#storage?.removeItem(name)
    } catch {
      // A storage that is closed has nothing to remove.
    }
  }
}
