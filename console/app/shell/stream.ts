// Follows what happens in the tenant [H15]: one stream for the whole console, open while the page is looked at. It goes on after the last event that was
// heard. It shows nothing by itself: it says what in the cache is to be asked anew.

import { useEffect, useSyncExternalStore } from "react"
import type { FeedEvent } from "../../../src/api/doc/run/feed.doc.ts"
import { listen, type FeedLine } from "../../../src/client/feed.ts"
import { isFinal } from "../../../src/client/follow.ts"
import { pause } from "../../../src/client/transport/transport.ts"
import { askAnew, askAllAnew } from "./ask-anew.ts"
import type { Api } from "./session.ts"
import { Asking, topicsOf } from "./topics.ts"

/** A page out of sight keeps a stream for this long. Over HTTP/1.1 a browser has six connections for all tabs of a host. */
export const HIDDEN_MS = 10_000
/** A line that breaks for a moment is not worth a word. */
const QUIET_MS = 1_200
/** After the client gives up, it begins again. */
const AGAIN_MS = 5_000

/** `off`: not open yet, or closed because nobody looks. `refused`: the server gives no stream to this page. */
export type StreamLine = "off" | "open" | "lost" | "refused"

let line: StreamLine = "off"
const watchers = new Set<() => void>()
const listeners = new Set<(event: FeedEvent) => void>()

function become(next: StreamLine): void {
  if (next === line) return
  line = next
  for (const changed of watchers) changed()
}

/** Tells each event, before anything is asked anew. */
export function hear(heard: (event: FeedEvent) => void): () => void {
  listeners.add(heard)
  return () => listeners.delete(heard)
}

export const useStreamLine = (): StreamLine =>
  useSyncExternalStore(
    (changed) => {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    () => line,
  )

/** For as long as somebody is signed in. */
export function useStream(api: Api | null | undefined): void {
  useEffect(() => (api ? open(api) : undefined), [api])
}

function open(api: Api): () => void {
  const asking = new Asking()
  let last: string | undefined
  let stop: AbortController | undefined
  let hidden: ReturnType<typeof setTimeout> | undefined
  let quiet: ReturnType<typeof setTimeout> | undefined
  const said = (next: StreamLine): void => {
    clearTimeout(quiet)
    quiet = undefined
    become(next)
  }
  const lose = (): void => {
    quiet ??= setTimeout(() => said("lost"), QUIET_MS)
  }
  const heard = (event: FeedEvent): void => {
    last = event.id
    for (const each of listeners) each(event)
    // What happened before the stream began may not be known.
    if (event.type === "stream.began" || event.type === "stream.gap") askAllAnew()
    else for (const topic of topicsOf(event, asking)) askAnew(topic)
  }
  const follow = async (signal: AbortSignal): Promise<void> => {
    const onLine = (now: FeedLine): void => {
      if (signal.aborted) return
      if (now.state === "open") said("open")
      else if (now.isFull) said("refused")
      else lose()
    }
    while (!signal.aborted) {
      try {
        for await (const event of listen(api.transport, { ...(last === undefined ? {} : { after: last }), signal, onLine })) heard(event)
      } catch (error) {
        if (signal.aborted) return
        if (isFinal(error)) return said("refused")
      }
      await pause(AGAIN_MS, signal).catch(() => undefined)
    }
  }
  const begin = (): void => {
    stop = new AbortController()
    void follow(stop.signal)
  }
  const close = (): void => {
    clearTimeout(hidden)
    stop?.abort()
    stop = undefined
    said("off")
  }
  const seen = (): void => {
    clearTimeout(hidden)
    if (document.visibilityState === "hidden") hidden = setTimeout(close, HIDDEN_MS)
    else if (stop === undefined) begin()
  }
  /** A browser without a network may leave a stream that nothing comes from. */
  const again = (): void => {
    if (stop === undefined) return
    stop.abort()
    lose()
    begin()
  }
  document.addEventListener("visibilitychange", seen)
  addEventListener("offline", again)
  seen()
  return () => {
    document.removeEventListener("visibilitychange", seen)
    removeEventListener("offline", again)
    close()
  }
}
