// Reads one page of the tenant's answered interactions [Q2, H5]: newest first, each read from its run.

import { isoTime } from "../../../core/text/iso-time.ts"
import type { InteractionView } from "../../../core/run/views/view.ts"
import type { TenantServices } from "../../../ports/services.ts"
import type { QuestionView } from "../../../ports/tenant/questions.ts"
import type { AskingRun, DecidedLine, RunListPort } from "../../../ports/tenant/run-list.ts"

type Answered = QuestionView | (InteractionView & AskingRun & { readonly flow: string })
type Query = Parameters<RunListPort["decided"]>[0]

/** A page of answered interactions; undefined: the cursor is not from this list. */
export async function answeredPage(
  tenant: Pick<TenantServices, "questions" | "run"> & { readonly runList: Pick<RunListPort, "decided"> },
  query: Query,
): Promise<{ readonly data: readonly Answered[]; readonly next_cursor: string | null } | undefined> {
  const found = await tenant.runList.decided(query)
  if ("badCursor" in found) return undefined
  const runs = [...new Set(found.data.flatMap(({ run }) => (run === null ? [] : [run])))]
  const said = new Map(await Promise.all(runs.map(async (run) => [run, (await tenant.run(run).interactions("answered")) ?? []] as const)))
  const shown = async ({ run, id, flow, at, about }: DecidedLine): Promise<Answered[]> => {
    const decided = isoTime(at)
    if (run === null) {
      const question = await tenant.questions.find(id)
      return question ? [{ ...question, decided }] : []
    }
    // A run that has just been deleted has none.
    return (said.get(run) ?? []).flatMap((one) => (one.id === id ? [{ ...one, decided, flow, ...about }] : []))
  }
  return { data: (await Promise.all(found.data.map(shown))).flat(), next_cursor: found.next_cursor }
}
