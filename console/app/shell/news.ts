// What happens in the tenant [H15]: one stream for the whole console, open while somebody listens and the page is looked at. It goes on after
// the last event that was heard; where it cannot, it says so, and lists are read anew.

import { useSyncExternalStore } from "react"
import type { FeedEvent } from "../../../src/api/doc/feed.doc.ts"
import { listen, type FeedLine } from "../../../src/client/feed.ts"
import { isFinal } from "../../../src/client/follow.ts"
import { pause } from "../../../src/client/transport.ts"
import type { Api } from "./session.ts"

/** A page out of sight keeps its stream for this long. Over HTTP/1.1 a browser has six connections for all tabs of a host. */
const HIDDEN_MS = location.protocol === "https:" ? 300_000 : 10_000
/** A line that breaks for a moment is not worth a word. */
const QUIET_MS = 1_200
/** After the client gives up, it begins again. */
const AGAIN_MS = 5_000

/** `off`: not open yet, or closed because nobody looks. `refused`: the server gives no stream to this page. */
export type NewsLine = "off" | "open" | "lost" | "refused"

class News {
  readonly #api: Api
  readonly #listeners = new Set<(event: FeedEvent) => void>()
  readonly #watchers = new Set<() => void>()
  #line: NewsLine = "off"
  #last: string | undefined
  #stop: AbortController | undefined
  #hidden: ReturnType<typeof setTimeout> | undefined
  #quiet: ReturnType<typeof setTimeout> | undefined

  constructor(api: Api) {
    this.#api = api
  }

  readonly line = (): NewsLine => this.#line

  readonly onLine = (changed: () => void): (() => void) => {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  hear(heard: (event: FeedEvent) => void): () => void {
    this.#listeners.add(heard)
    if (this.#listeners.size === 1) {
      document.addEventListener("visibilitychange", this.#seen)
      addEventListener("offline", this.#again)
      this.#seen()
    }
    return () => {
      this.#listeners.delete(heard)
      if (this.#listeners.size > 0) return
      document.removeEventListener("visibilitychange", this.#seen)
      removeEventListener("offline", this.#again)
      this.#close()
    }
  }

  readonly #seen = (): void => {
    clearTimeout(this.#hidden)
    if (document.visibilityState === "hidden") this.#hidden = setTimeout(() => this.#close(), HIDDEN_MS)
    else if (this.#stop === undefined) this.#open()
  }

  /** A browser without a network may leave a stream that nothing comes from. */
  readonly #again = (): void => {
    if (this.#stop === undefined) return
    this.#stop.abort()
    this.#lose()
    this.#open()
  }

  #open(): void {
    this.#stop = new AbortController()
    void this.#follow(this.#stop.signal)
  }

  #close(): void {
    clearTimeout(this.#hidden)
    clearTimeout(this.#quiet)
    this.#quiet = undefined
    this.#stop?.abort()
    this.#stop = undefined
    this.#become("off")
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const onLine = (line: FeedLine): void => {
      if (signal.aborted) return
      if (line.state === "open") this.#become("open")
      else if (line.isFull) this.#become("refused")
      else this.#lose()
    }
    while (!signal.aborted) {
      try {
        const after = this.#last === undefined ? {} : { after: this.#last }
        for await (const event of listen(this.#api.transport, { ...after, signal, onLine })) {
          this.#last = event.id
          for (const heard of this.#listeners) heard(event)
        }
      } catch (error) {
        if (signal.aborted) return
        if (isFinal(error)) return this.#become("refused")
      }
      await pause(AGAIN_MS, signal).catch(() => undefined)
    }
  }

  #lose(): void {
    this.#quiet ??= setTimeout(() => this.#become("lost"), QUIET_MS)
  }

  #become(line: NewsLine): void {
    clearTimeout(this.#quiet)
    this.#quiet = undefined
    if (line === this.#line) return
    this.#line = line
    for (const changed of this.#watchers) changed()
  }
}

const all = new WeakMap<Api, News>()

export function newsOf(api: Api): News {
  const news = all.get(api) ?? new News(api)
  all.set(api, news)
  return news
}

export function useNewsLine(api: Api): NewsLine {
  const news = newsOf(api)
  return useSyncExternalStore(news.onLine, news.line)
}
