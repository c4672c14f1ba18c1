// The feed of a run for as long as its page is open, and the moment that the page shows.

import { useEffect, useMemo, useState, useSyncExternalStore } from "react"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { chainOf } from "../../../web/run/layout.ts"
import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import type { Api } from "../shell/session.ts"
import { RunFeed, type Snapshot } from "./feed.ts"
import { type StepOutline, type RunOutline } from "../../../src/core/run/views/outline.ts"
import { outlineOf } from "../../../src/core/run/views/read-outline.ts"

export function useFeed(api: Api, run: string): { readonly feed: RunFeed; readonly live: Snapshot } {
  const [feed, setFeed] = useState(() => new RunFeed(api, run))
  useEffect(() => {
    // An effect that runs again finds its feed stopped.
    const mine = new RunFeed(api, run)
    setFeed(mine)
    mine.start()
    return () => mine.stop()
  }, [api, run])
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
