// Pins an earlier run's definitions again, to replay it [K22]: the same definitions, every model rehearsed.

import type { Pins } from "../../../core/run/event-parts.ts"
import type { Blobs } from "../../../ports/blobs.ts"
import type { Pinned, PlayTexts } from "../../../ports/tenant/authoring/trials.ts"
import { loadDefinitions } from "../definitions.ts"
import { REHEARSAL_MODEL } from "./model-choice.ts"
import { needsOf } from "./startable.ts"

interface Deps {
  readonly blobs: Blobs
  keep(text: string): Promise<string>
}

/** Throws `DefinitionsLost`. */
export async function replayed(pins: Pins, { own, others }: PlayTexts, { blobs, keep }: Deps): Promise<Pinned> {
  const { rehearsal: _file, rehearsals: _files, models, fallbacks: _others, scorers, ...rest } = pins
  const { flow } = await loadDefinitions(pins, blobs)
  const rehearsals: Record<string, string> = {}
  for (const [place, text] of Object.entries(others)) rehearsals[place] = await keep(text)
  const asked = Object.keys(models).filter((name) => !name.startsWith("@"))
  return {
    ok: true,
    pins: {
      ...rest,
      models: Object.fromEntries(asked.map((name) => [name, REHEARSAL_MODEL])),
      ...(own === undefined ? {} : { rehearsal: await keep(own) }),
      ...(scorers === undefined ? {} : { scorers: rehearsedJudges(scorers) }),
      ...(pins.flows === undefined && scorers === undefined ? {} : { rehearsals }),
    },
    flow: { id: flow.id, autonomous: flow.autonomous, ...needsOf(flow), task_required: false },
    rehearsed: true,
  }
}

/** [V27] Their judges say what is scripted. */
const rehearsedJudges = (scorers: NonNullable<Pins["scorers"]>): NonNullable<Pins["scorers"]> =>
  Object.fromEntries(
    Object.entries(scorers).map(([name, { judge, ...scorer }]) => {
      if (!judge) return [name, scorer]
      const { fallbacks: _others, ...own } = judge
      return [name, { ...scorer, judge: { ...own, model: REHEARSAL_MODEL } }]
    }),
  )
