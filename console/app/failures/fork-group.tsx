// All runs of a group, or its newest, each forked where it failed, with the definitions of now. Asked once, with the count; one request for each run, one after the
// other, under a key of its own: what is tried again does not begin twice.

import { useEffect, useRef, useState } from "react"
import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import type { Fork } from "../../../src/api/forks.ts"
import { visible } from "../../../web/chat/wording.ts"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { counted } from "../parts/figures.ts"
import { useAsked } from "../parts/asked.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { MAX_FORKED, runsOfGroup } from "./runs-of-group.ts"
import { classes } from "../parts/classes.ts"
import css from "./failures.module.css"

interface Props {
  readonly api: Api
  readonly group: FailureGroup
  readonly revision: number
  readonly isAll: boolean
  readonly onClose: () => void
}

interface Outcome {
  /** The fork. */
  readonly id?: string
  readonly fault?: string
}

export function ForkGroup({ api, group, revision, isAll, onClose }: Props) {
  // What the group is when the reader is asked stays so while the dialog is open.
  const [{ step, count, runs: latest }] = useState(group)
  const all = useAsked(["once", "runs of group", group.key, isAll], async () => (isAll ? runsOfGroup(api, group) : latest.slice(0, 1)), {
    isFresh: true,
  })
  const runs = all.value ?? []
  const missing = isAll ? count - runs.length : 0
  const [batch] = useState(() => crypto.randomUUID())
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const [isBusy, setBusy] = useState(false)
  const stopped = useRef(false)
  useEffect(() => {
    stopped.current = false
    return () => {
      stopped.current = true
    }
  }, [])
  const wish: Fork = { from: step === undefined ? {} : { step }, patch: { revision }, effects: "staged" }
  const [newest = ""] = latest
  const check = useAsked(["once", "fork of group", newest, revision], () => api.runs.checkFork(newest, wish), { isFresh: true })
  const open = runs.filter((run) => outcomes.get(run)?.id === undefined)
  const isAsked = outcomes.size > 0
  const start = async (): Promise<void> => {
    if (isBusy || open.length === 0) return
    setBusy(true)
    stopped.current = false
    for (const run of open) {
      if (stopped.current) break
      const outcome = await api.runs.fork(run, wish, { idempotencyKey: `${batch}-${run}` }).then(
        ({ id }): Outcome => ({ id }),
        (error: unknown): Outcome => ({ fault: faultOf(error) }),
      )
      setOutcomes((before) => new Map(before).set(run, outcome))
    }
    setBusy(false)
  }
  const close = (): void => {
    stopped.current = true
    if (!isBusy) onClose()
  }
  const done = runs.length - open.length
  const failed = [...outcomes.values()].filter(({ fault }) => fault !== undefined).length
  return (
    <Dialog title={`Fork ${all.value === undefined ? "the group" : counted(runs.length, "run")} with r${revision}?`} onClose={close}>
      <div className={classes("dlg-l", css.fFork)}>
        <p className="mid">
          Each goes on {step === undefined ? "from its beginning" : `at ${visible(step)}`} as a run of its own; the failed ones stay as they
          are. Calls that change something outside are kept until you decide, run by run.
        </p>
        {all.value !== undefined && missing > 0 && (
          <p className="mid">
            The group counts {counted(count, "run")}; {missing.toLocaleString()} of them {missing === 1 ? "is" : "are"} deleted, or older
            than one press reaches: the newest {MAX_FORKED}.
          </p>
        )}
        {all.fault !== undefined && (
          <p className="msg error words" role="alert">
            <Icon name="failed" kind="i-s" />
            <span>The runs of the group could not be read. {visible(all.fault)}</span>
          </p>
        )}
        {check.value && (
          <p className="mid">
            The newest keeps {counted(check.value.kept.length, "step")}, which cost nothing, and asks{" "}
            {counted(check.value.asked.length, "step")} again.
          </p>
        )}
        {check.fault !== undefined && !isAsked && (
          <p className="msg error words" role="status">
            <Icon name="failed" kind="i-s" />
            <span>The newest cannot be forked so: {visible(check.fault)}</span>
          </p>
        )}
        <ul className={css.fRuns}>
          {runs.map((run) => {
            const outcome = outcomes.get(run)
            return (
              <li key={run}>
                <Icon
                  name={outcome?.id === undefined ? "failed" : "fork"}
                  kind={outcome?.id === undefined ? "i-s failed" : "i-s complete"}
                />
                <Link className="link id" href={addressOf("runs", outcome?.id ?? run)}>
                  {outcome?.id ?? run}
                </Link>
                {outcome?.id !== undefined && <span className="dim cut">fork of {run}</span>}
                {outcome?.fault !== undefined && <span className="error words">{visible(outcome.fault)}</span>}
              </li>
            )
          })}
        </ul>
        <p className="small mid" role="status">
          {all.value === undefined && all.fault === undefined
            ? "Reading the runs of the group"
            : isBusy
              ? `Forking ${Math.min(done + failed + 1, runs.length)} of ${runs.length}`
              : isAsked
                ? `${counted(done, "fork")} began${open.length > 0 ? `, ${counted(open.length, "run")} did not` : ""}.`
                : ""}
        </p>
      </div>
      <div className="dlg-f">
        {open.length > 0 && (
          <button className="btn first" type="button" aria-disabled={isBusy} onClick={() => void start()}>
            {isBusy
              ? "Forking"
              : isAsked
                ? `Try ${counted(open.length, "run")} again`
                : `Fork ${counted(runs.length, "run")} with r${revision}`}
          </button>
        )}
        <button className="btn" type="button" onClick={close}>
          {isBusy ? "Stop" : isAsked ? "Close" : "Back"}
        </button>
      </div>
    </Dialog>
  )
}
