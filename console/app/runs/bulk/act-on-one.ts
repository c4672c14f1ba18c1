// Says what a bulk would do with one run alone is done at once, and answered by the run that it began.

import type { Fork } from "../../../../src/api/run/forks.ts"
import type { BulkAction } from "../../../../web/runs/parts.ts"
import type { Api } from "../../shell/session.ts"
import type { Row } from "../row.ts"

interface How {
  readonly effects?: "live" | "staged" | "dry"
  readonly revision?: number | undefined
}

/** undefined: none began. */
export async function actOnOne(api: Api, action: BulkAction, { id, error }: Row, { effects, revision }: How): Promise<string | undefined> {
  const leaving = effects === undefined ? {} : { effects }
  switch (action) {
    case "cancel":
      await api.runs.cancel(id)
      return undefined
    case "delete":
      await api.runs.delete(id)
      return undefined
    case "again":
      return (await api.runs.again(id, leaving)).id
    case "fork": {
      const wish: Fork = {
        from: error?.step === undefined ? {} : { step: error.step },
        ...(revision === undefined ? {} : { patch: { revision } }),
        ...leaving,
      }
      return (await api.runs.fork(id, wish)).id
    }
  }
}
