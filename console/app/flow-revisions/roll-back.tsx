// Before a rollback: each file that it changes, and the hooks, schedules and flows that would no longer start.

import { useState } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { brokenIn } from "../flow-tests/gate.tsx"
import { FaultLine } from "../inbox/fault-line.tsx"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { counted } from "../parts/figures.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { useAsked } from "../parts/asked.ts"
import { Icon } from "../shell/icons.tsx"
import type { Api } from "../shell/session.ts"
import { backTo, type Back } from "./back-to.ts"
import type { Touch } from "../../../web/flow/revision-words.ts"
import css from "../flow-tests/flow-tests.module.css"

interface Props {
  readonly api: Api
  readonly target: number
  readonly now: number
  readonly own: Touch
  /** The editor has text that is not saved. */
  readonly isDraft: boolean
  readonly onDone: () => void
  readonly onClose: () => void
}

const WORDS = { added: "comes back", changed: "changes", removed: "goes" } as const

export function RollBack({ api, target, now, own, isDraft, onDone, onClose }: Props) {
  const [isWhole, setWhole] = useState(false)
  const { value, fault } = useAsked(
    ["once", "way back", target, now, isWhole],
    async () => ({
      isWhole,
      back: await backTo(api, target, now, isWhole ? () => true : own),
    }),
    { isFresh: true },
  )
  const [refused, setRefused] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const back = value?.isWhole === isWhole ? value.back : undefined
  const isOff = isBusy || back === undefined || back.changes.length === 0
  const roll = (): void => {
    if (isOff || back === undefined) return
    setBusy(true)
    setRefused(undefined)
    const done = isWhole ? api.catalog.rollback(target) : api.catalog.merge(back.files, { ifRevision: now })
    done.then(onDone, (error: unknown) => {
      setBusy(false)
      setRefused(faultOf(error))
    })
  }
  return (
    <Dialog title={`Roll back to r${target}?`} onClose={onClose}>
      <div className="dlg-l">
        <fieldset className={css.pickRun}>
          <legend className="vh">What to roll back</legend>
          <label className="check">
            <input type="radio" name="what" checked={!isWhole} onChange={() => setWhole(false)} />
            <span>This flow with its tests, rehearsal and code</span>
          </label>
          <label className="check">
            <input type="radio" name="what" checked={isWhole} onChange={() => setWhole(true)} />
            <span>Everything: every flow, agent and skill</span>
          </label>
        </fieldset>
        <FaultLine fault={refused ?? fault} />
        {back === undefined ? fault === undefined && <Skeleton words="Checking what would change" /> : <What back={back} />}
        {isDraft && <p className="msg waiting">Your unsaved changes stay in the editor.</p>}
        <p className="dim small">
          It is written as r{now + 1}. Nothing of the history is lost, and runs under way go on with what they began with.
        </p>
      </div>
      <div className="dlg-f">
        <button className="btn first" type="button" aria-disabled={isOff} onClick={roll}>
          {isBusy ? "Rolling back" : `Roll back to r${target}`}
        </button>
        <button className="btn" type="button" onClick={onClose}>
          Back
        </button>
      </div>
    </Dialog>
  )
}

const SHOWN = 30

function What({ back: { changes, breaks, held, unknown } }: { readonly back: Back }) {
  if (changes.length === 0) return <p>Nothing would change.</p>
  return (
    <>
      <section className={css.blk}>
        <h3>{counted(changes.length, "file")}</h3>
        <ul>
          {changes.slice(0, SHOWN).map(({ path, status }) => (
            <li key={path}>
              <span className="mono">{visible(path)}</span> <span className="dim">{WORDS[status]}</span>
            </li>
          ))}
          {changes.length > SHOWN && <li className="dim">and {changes.length - SHOWN} more</li>}
        </ul>
      </section>
      {unknown !== undefined && <p className="msg waiting">{unknown}</p>}
      {breaks.length > 0 && (
        <section className={css.blk}>
          <h3>What would stop working</h3>
          <ul>
            {breaks.map(({ kind, id, name, flow, why }) => (
              <li key={`${kind} ${id}`} className="msg failed">
                <Icon name="failed" kind="i-s" />
                <span>
                  The {kind} {visible(name ?? id)} of {visible(flow)}: {visible(why)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {unknown === undefined && breaks.length === 0 && <p className="small">All hooks and schedules keep working.</p>}
      {held && <p className="msg waiting">The gate would hold it back: {brokenIn(held).join("; ")}.</p>}
    </>
  )
}
