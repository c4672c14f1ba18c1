// Reads the family of a run: its sources, and the forks of each of them and of itself.

import { useMemo } from "react"
import type { RunRow } from "../../../../src/api/doc/run/runs.doc.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { MOST_KIN, treeOf, type Kin, type Tree } from "../../../../web/run/fork-tree.ts"
import { useAsked } from "../../parts/asked.ts"
import type { Api } from "../../shell/session.ts"

export interface KinRun extends Kin {
  readonly status: string
  readonly revision: number | undefined
  readonly usd: number | null
  readonly trigger: string
  /** Where it failed. */
  readonly step: string | undefined
}

/** Sources above it that are read, and forks of each. */
const [MOST_SOURCES, MOST_FORKS] = [5, 100]

/** The first forks of a run: whether there are any. */
export const useForks = (api: Api, run: string) =>
  useAsked(["run", "forks", run], async () => (await api.runs.list({ fork_of: run, limit: MOST_KIN + 1 }).page()).data)

export interface Family {
  readonly tree: Tree<KinRun> | undefined
  readonly fault: string | undefined
}

/** `whole`: runs of which all forks are drawn. */
export function useFamily(api: Api, view: RunView, whole: ReadonlySet<string>): Family {
  const { value, fault } = useAsked(["run", "family", view.id, view.status], async () => {
    const path = [kinOf(view)]
    for (let source = view.fork?.run; source !== undefined && path.length <= MOST_SOURCES;) {
      // A source may be deleted.
      const one: RunView | undefined = await api.runs.get(source).catch(() => undefined)
      if (one) path.unshift(kinOf(one))
      source = one?.fork?.run
    }
    const forks = await Promise.all(
      path.map(async ({ id }) => [id, (await api.runs.list({ fork_of: id, limit: MOST_FORKS }).page()).data.map(kinOfRow)] as const),
    )
    return { path, forks: new Map(forks) }
  })
  const tree = useMemo(() => value && treeOf(value.path, value.forks, whole), [value, whole])
  return { tree, fault }
}

function kinOf({ id, status, fork, pinned, usage, trigger, error }: RunView): KinRun {
  const revision = typeof pinned["revision"] === "number" ? pinned["revision"] : undefined
  return { id, status, ...(fork ? { fork } : {}), revision, usd: usage.usd, trigger: trigger.kind, step: error?.step }
}

function kinOfRow({ id, status, fork, revision, usage, trigger, now }: RunRow): KinRun {
  return {
    id,
    status,
    ...(fork ? { fork } : {}),
    revision,
    usd: usage.usd,
    trigger: trigger.kind,
    step: status === "failed" ? now?.step : undefined,
  }
}
