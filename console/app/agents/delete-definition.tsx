// Deletes an agent or a skill. What others name is removed only when the reader has seen who they are.

import { useState } from "react"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { visible } from "../../../web/chat/wording.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { listAddress, type PageKind } from "./definition-address.ts"
import css from "./agents.module.css"

interface Props {
  readonly api: Api
  readonly kind: PageKind
  readonly name: string
  readonly onClose: () => void
}

interface Use {
  readonly kind: string
  readonly id: string
  readonly step?: string
}

export function DeleteDefinition({ api, kind, name, onClose }: Props) {
  const [uses, setUses] = useState<readonly Use[]>()
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const remove = async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    setFault(undefined)
    try {
      await api.catalog.remove(kind, kind === "agent" ? name : `${name}/SKILL.md`, { force: uses !== undefined })
      if (kind === "skill") await removeRest(api, name)
      go(listAddress(kind), "replace")
    } catch (error) {
      if (error instanceof SluiceError && error.code === "in_use" && uses === undefined) setUses(usesIn(error.problem["used_by"]))
      else setFault(faultOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title={`Delete ${name}`} onClose={onClose}>
      <div className="dlg-l">
        {uses === undefined ? (
          <p>The {kind} leaves the catalog. Runs that have begun keep it, and an earlier revision brings it back.</p>
        ) : (
          <>
            <p className="msg error" role="alert">
              These still use it:
            </p>
            <ul className={css.agUses}>
              {uses.map(({ kind: what, id, step }) => (
                <li key={`${what} ${id} ${step ?? ""}`}>
                  {visible(what)} <b className="mono">{visible(id)}</b>
                  {step === undefined ? "" : `, step ${visible(step)}`}
                </li>
              ))}
            </ul>
          </>
        )}
        <FaultLine fault={fault} />
      </div>
      <div className="dlg-f">
        <button className="btn danger" type="button" aria-disabled={isBusy} onClick={() => void remove()}>
          {uses === undefined ? `Delete ${kind}` : "Delete anyway"}
        </button>
        <button className="btn" type="button" onClick={onClose}>
          Back
        </button>
      </div>
    </Dialog>
  )
}

/** The other files of a skill. */
async function removeRest(api: Api, name: string): Promise<void> {
  const { data } = await api.catalog.list()
  const paths = data.flatMap(({ kind, id, tier, path }) =>
    kind === "skill" && tier === "local" && id.startsWith(`${name}/`) ? [path] : [],
  )
  if (paths.length > 0) await api.catalog.merge({ delete: paths })
}

const usesIn = (value: unknown): readonly Use[] =>
  Array.isArray(value)
    ? value.flatMap((one: Partial<Use>) =>
        typeof one.kind === "string" && typeof one.id === "string"
          ? [{ kind: one.kind, id: one.id, ...(typeof one.step === "string" ? { step: one.step } : {}) }]
          : [],
      )
    : []
