// Whether the catalog has changed the step that a run failed at since the run was pinned: then the latest revision is what most often mends it.

import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"
import type { ShownRun } from "./use-run.ts"

export interface Mended {
  readonly revision: number
  readonly step: string
}

export interface Latest {
  /** The newest revision of the catalog. */
  readonly latest: number | undefined
  readonly mended: Mended | undefined
}

/** Asks once for each run, and only of one that failed at a step what a fork there would change. */
export function useMended(api: Api, { view, story }: ShownRun, isAsked = true): Latest {
  const step = story.ended === undefined ? undefined : story.error?.step
  const pinned = view.pinned["revision"]
  const { value } = useAsked(["run", "mended", view.id, step, isAsked], async (): Promise<Latest> => {
    if (!isAsked) return NOTHING
    const { revision: latest } = await api.catalog.list()
    if (step === undefined || latest === pinned) return { latest, mended: undefined }
    // A revision that the run cannot go on with is no help, whatever it changes; nor is one that this session may not use.
    const check = await api.runs.checkFork(view.id, { from: { step }, patch: { revision: latest } }).catch(() => undefined)
    return { latest, mended: check?.changed.includes(step) === true ? { revision: latest, step } : undefined }
  })
  return value ?? NOTHING
}

const NOTHING: Latest = { latest: undefined, mended: undefined }
