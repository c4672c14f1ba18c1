// What stands between a save and the catalog: somebody else's version. And between a removal and it: who names the flow.

import { useState } from "react"
import type { Definition } from "../../../src/api/doc/catalog.doc.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { CodeDiff } from "../code/code-editor.tsx"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { Icon } from "../shell/icons.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { forgetDraft } from "./kept-drafts.ts"
import type { FlowDraft } from "./use-draft.ts"

interface ConflictProps {
  readonly draft: FlowDraft
  readonly theirs: Definition | null
  readonly language: "yaml" | "text"
}

/** Both versions, and neither is lost until one is chosen. */
export function Conflict({ draft, theirs, language }: ConflictProps) {
  return (
    <Dialog
      title={theirs === null ? "Deleted while you were editing" : "Saved by someone else while you were editing"}
      isWide
      onClose={draft.stay}
    >
      <div className="dlg-l">
        <p className="mid">
          {theirs === null
            ? "This file has been deleted. Saving creates it again."
            : "Your version is not saved. Below is the saved version, with what yours would change."}
        </p>
        {theirs !== null && (
          <CodeDiff label="The saved version, and yours" before={theirs.content} after={draft.text} language={language} />
        )}
      </div>
      <div className="dlg-f">
        <button className="btn first" type="button" onClick={() => draft.save(theirs)}>
          {theirs === null ? "Save anyway" : "Overwrite with mine"}
        </button>
        {theirs !== null && (
          <button className="btn" type="button" onClick={() => draft.take(theirs)}>
            Use the saved version
          </button>
        )}
        <button className="btn bare" type="button" onClick={draft.stay}>
          Keep editing
        </button>
      </div>
    </Dialog>
  )
}

/** A text that was never saved is nowhere else. */
export function DiscardFlow({ flow, onClose }: { readonly flow: string; readonly onClose: () => void }) {
  const discard = (): void => {
    forgetDraft("flow", flow)
    go(addressOf("flows"), "replace")
  }
  return (
    <Dialog title={`Discard ${flow}`} onClose={onClose}>
      <div className="dlg-l">
        <p className="mid">This flow was never saved. Its text exists only here and cannot be recovered.</p>
      </div>
      <div className="dlg-f">
        <button className="btn danger" type="button" onClick={discard}>
          Discard the flow
        </button>
        <button className="btn bare" type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  )
}

interface Use {
  readonly kind: string
  readonly id: string
  readonly step?: string
}

export function RemoveFlow({ api, flow, onClose }: { readonly api: Api; readonly flow: string; readonly onClose: () => void }) {
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const [uses, setUses] = useState<readonly Use[]>()
  const remove = (): void => {
    if (isBusy) return
    setBusy(true)
    setFault(undefined)
    api.catalog.remove("flow", flow, { force: uses !== undefined }).then(
      () => {
        forgetDraft("flow", flow)
        go(addressOf("flows"))
      },
      (error: unknown) => {
        setBusy(false)
        if (error instanceof SluiceError && error.code === "in_use") setUses(usesOf(error))
        else setFault(faultOf(error))
      },
    )
  }
  return (
    <Dialog title={`Delete ${flow}`} onClose={onClose}>
      <div className="dlg-l">
        {uses === undefined ? (
          <p className="mid">
            Its rehearsal, tests and code are deleted too. Runs in progress keep the version they began with, and you can restore it from an
            earlier revision.
          </p>
        ) : (
          <>
            <p className="note waiting" role="alert">
              <Icon name="warn" />
              <span>These still use it. Nothing is deleted yet.</span>
            </p>
            <ul className="uses">
              {uses.map(({ kind, id, step }) => (
                <li key={`${kind} ${id} ${step ?? ""}`}>
                  <span className="dim">{kind}</span> <b className="wrap">{id}</b>
                  {step !== undefined && <span className="dim"> step {step}</span>}
                </li>
              ))}
            </ul>
          </>
        )}
        {fault !== undefined && (
          <p className="msg error" role="alert">
            <span>{fault}</span>
          </p>
        )}
      </div>
      <div className="dlg-f">
        <button className="btn danger" type="button" aria-disabled={isBusy} onClick={remove}>
          {isBusy ? "Deleting" : uses === undefined ? "Delete the flow" : "Delete anyway"}
        </button>
        <button className="btn bare" type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  )
}

function usesOf({ problem }: SluiceError): readonly Use[] {
  const list = problem["used_by"]
  return Array.isArray(list) ? (list as readonly Use[]) : []
}
