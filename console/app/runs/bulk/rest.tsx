// What a bulk has left: the runs that it was stopped before, and those of its own that failed. Each is asked about as any bulk.

import { useState } from "react"
import type { BulkRow } from "../../../../src/api/doc/run/bulk.doc.ts"
import { BulkClient } from "../../../../src/client/bulk.ts"
import type { BulkAction } from "../../../../web/runs/parts.ts"
import { allOf } from "../../../../web/runs/selection.ts"
import { faultOf } from "../../parts/fault.ts"
import { counted } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import type { Api } from "../../shell/session.ts"
import type { Row } from "../row.ts"
import { BulkDialog } from "./bulk-dialog.tsx"

/** Limit of a bulk whose runs are named [R42]. */
const MOST = 1_000

interface Left {
  readonly action: BulkAction
  readonly ids: readonly string[]
  readonly rows: readonly Row[]
}

interface Props {
  readonly api: Api
  readonly row: BulkRow
  /** Of the runs that it has started. */
  readonly failed: number
}

export function RestOfBulk({ api, row: { id, action, status, count, done, skipped, failed: undone }, failed }: Props) {
  const [left, setLeft] = useState<Left>()
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const waiting = count - done - skipped - undone
  const read = (what: () => Promise<Left>): void => {
    if (isBusy) return
    setBusy(true)
    setFault(undefined)
    what()
      .then(setLeft, (error: unknown) => setFault(faultOf(error)))
      .finally(() => setBusy(false))
  }
  const rest = async (): Promise<Left> => {
    const ids = []
    for await (const item of new BulkClient(api.transport).items(id, "waiting")) if (ids.push(item.run) === MOST) break
    return { action, ids, rows: [] }
  }
  const again = async (): Promise<Left> => {
    const rows = []
    for await (const run of api.runs.list({ tag: id, status: "failed" })) if (rows.push(run) === MOST) break
    return { action: "fork", ids: rows.map((run) => run.id), rows }
  }
  return (
    <>
      {status === "stopped" && waiting > 0 && (
        <button className="btn" type="button" aria-disabled={isBusy} onClick={() => read(rest)}>
          Continue with the rest
        </button>
      )}
      {status !== "running" && failed > 0 && (
        <button className="btn" type="button" aria-disabled={isBusy} onClick={() => read(again)}>
          <Icon name="fork" kind="i-s" />
          Fork the {failed.toLocaleString()} again
        </button>
      )}
      {fault !== undefined && (
        <span className="msg error" role="alert">
          {fault}
        </span>
      )}
      {left && (
        <BulkDialog
          api={api}
          action={left.action}
          selection={allOf(left.ids)}
          rows={left.rows}
          note={left.ids.length === MOST ? `The first ${counted(MOST, "run")} of them; come back here for more.` : undefined}
          onClose={() => setLeft(undefined)}
        />
      )}
    </>
  )
}
