// All runs of a group, or its newest, each forked where it failed with the newest revision. Asked once, with the count.

import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import { Dialog } from "../parts/dialog.tsx"
import { counted } from "../parts/figures.ts"
import { useAsked } from "../parts/asked.ts"
import { Icon } from "../shell/icons.tsx"
import type { Api } from "../shell/session.ts"
import { BulkDialog } from "../runs/bulk/bulk-dialog.tsx"
import { MAX_FORKED, runsOfGroup } from "./runs-of-group.ts"

interface Props {
  readonly api: Api
  readonly group: FailureGroup
  readonly isAll: boolean
  readonly onClose: () => void
}

export function ForkGroup({ api, group, isAll, onClose }: Props) {
  const all = useAsked(["once", "runs of group", group.key], () => runsOfGroup(api, group), { isFresh: true })
  const runs = isAll ? all.value : all.value?.slice(0, 1)
  if (runs === undefined || runs.length === 0)
    return (
      <Dialog title="Fork the runs of the group?" onClose={onClose}>
        <div className="dlg-l">
          {all.fault !== undefined ? (
            <p className="msg error words" role="alert">
              <Icon name="failed" kind="i-s" />
              <span>The runs of the group could not be read. {all.fault}</span>
            </p>
          ) : (
            <p className="mid" role="status">
              {runs === undefined ? "Reading the runs of the group" : "The group's runs have been deleted."}
            </p>
          )}
        </div>
        <div className="dlg-f">
          <button className="btn" type="button" onClick={onClose}>
            Back
          </button>
        </div>
      </Dialog>
    )
  const missing = isAll ? group.count - runs.length : 0
  return (
    <BulkDialog
      api={api}
      action="fork"
      selection={{ ids: new Set(runs.map(({ id }) => id)) }}
      rows={runs}
      note={
        missing > 0
          ? `The group counts ${counted(group.count, "run")}; ${missing.toLocaleString()} of them ${missing === 1 ? "is" : "are"} deleted, or older than the newest ${MAX_FORKED.toLocaleString()}.`
          : undefined
      }
      onClose={() => onClose()}
    />
  )
}
