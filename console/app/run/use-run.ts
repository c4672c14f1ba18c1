// The feed of a run for as long as its page is open, and the moment that the page shows.

import { useEffect, useMemo, useSyncExternalStore } from "react"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { chainOf } from "../../../web/run/layout.ts"
import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import type { Api } from "../shell/session.ts"
import { RunFeed, type Snapshot } from "./feed.ts"
import { type StepOutline, type RunOutline } from "../../../src/core/run/views/outline.ts"
import { outlineOf } from "../../../src/core/run/views/read-outline.ts"

/** Runs that were looked at last stand at once when they are come back to. */
const KEPT = 3
const feeds = new WeakMap<Api, Map<string, RunFeed>>()

function feedOf(api: Api, run: string): RunFeed {
  const kept = feeds.get(api) ?? new Map<string, RunFeed>()
  feeds.set(api, kept)
  const feed = kept.get(run) ?? new RunFeed(api, run)
  kept.delete(run)
  kept.set(run, feed)
  for (const [oldest] of [...kept].slice(0, -KEPT)) kept.delete(oldest)
  return feed
}

export function useFeed(api: Api, run: string): { readonly feed: RunFeed; readonly live: Snapshot } {
  const feed = useMemo(() => feedOf(api, run), [api, run])
  useEffect(() => {
    feed.start()
    return () => feed.stop()
  }, [feed])
  return { feed, live: useSyncExternalStore(feed.listen, feed.snapshot) }
}

export interface ShownRun {
  readonly view: RunView
  readonly graph: GraphView
  readonly story: RunOutline
  readonly events: readonly RunEvent[]
  /** undefined: as it is now. */
  readonly at: number | undefined
  readonly last: number
  /** Changes whenever the story has. */
  readonly version: string
}

/** `at`: as it was after that event. The journal that is here is told up to there. */
export function useShown({ view, graph, story, events, version }: Snapshot, at: number | undefined): ShownRun | undefined {
  const isPast = at !== undefined && at < story.seq
  const told = isPast ? at : undefined
  const past = useMemo(() => (told === undefined ? undefined : outlineOf(events, told)), [told, events])
  const order = view === undefined ? undefined : Object.keys(view.steps).join("\n")
  const drawn = useMemo(() => graph ?? chainOf((order ?? "").split("\n").filter((id) => id !== "")), [graph, order])
  return useMemo(
    () =>
      view && {
        view,
        graph: drawn,
        story: past ?? story,
        events,
        at: told,
        last: story.seq,
        version: told === undefined ? String(version) : `at ${told}`,
      },
    [view, drawn, past, story, events, told, version],
  )
}

/** A step that has not been opened yet is to come. */
export const stepIn = (story: RunOutline, id: string): StepOutline =>
  story.steps.get(id) ?? { id, type: "", status: "pending", passes: [], skips: 0 }
