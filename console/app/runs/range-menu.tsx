// The range of the list: from one of the usual spans, or from two times.

import { useState } from "react"
import { momentOf, rangeWords } from "../../../web/runs/moment.ts"
import { Dialog } from "../parts/dialog.tsx"
import { Menu } from "../parts/menu.tsx"
import { Icon } from "../shell/icons.tsx"

interface Props {
  readonly since: string | undefined
  readonly until: string | undefined
  readonly onChange: (since: string | undefined, until: string | undefined) => void
}

const SPANS = ["1h", "24h", "7d", "30d"] as const

export function RangeMenu({ since, until, onChange }: Props) {
  const [isChoosing, setChoosing] = useState(false)
  const words = rangeWords(since, until)
  return (
    <>
      <Menu
        title="Began"
        items={[
          ...SPANS.map((span) => ({ label: rangeWords(span, undefined), icon: "clock" as const, act: () => onChange(span, undefined) })),
          { label: "Any time", icon: "x", act: () => onChange(undefined, undefined) },
          { label: "From … to …", icon: "edit", note: "choose both times", act: () => setChoosing(true) },
        ]}
      >
        <Icon name="clock" kind="i-s" />
        <span className="vh">Time range: </span>
        {words}
      </Menu>
      {isChoosing && <ChooseRange since={since} until={until} onChange={onChange} onClose={() => setChoosing(false)} />}
    </>
  )
}

function ChooseRange({ since, until, onChange, onClose }: Props & { readonly onClose: () => void }) {
  const [from, setFrom] = useState(() => fieldOf(since, "since"))
  const [to, setTo] = useState(() => fieldOf(until, "until"))
  const isWrong = from !== "" && to !== "" && from >= to
  return (
    <Dialog title="Runs that began" onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isWrong) return
          onChange(instantOf(from), instantOf(to))
          onClose()
        }}
      >
        <div className="dlg-l">
          <div className="field">
            <label htmlFor="range-from">From</label>
            <input id="range-from" className="input" type="datetime-local" value={from} onChange={({ target }) => setFrom(target.value)} />
          </div>
          <div className="field">
            <label htmlFor="range-to">To (now if empty)</label>
            <input
              id="range-to"
              className={isWrong ? "input bad" : "input"}
              type="datetime-local"
              value={to}
              aria-invalid={isWrong}
              aria-describedby="range-fault"
              onChange={({ target }) => setTo(target.value)}
            />
          </div>
          <p className="msg error" id="range-fault" role="alert">
            {isWrong ? "The end is before the start." : ""}
          </p>
        </div>
        <div className="dlg-f">
          <button className="btn first" type="submit" aria-disabled={isWrong}>
            Show these runs
          </button>
          <button className="btn" type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** In local time, as the field has it. */
function fieldOf(text: string | undefined, edge: "since" | "until"): string {
  const moment = text === undefined ? undefined : momentOf(text, edge, Date.now())
  if (moment === undefined || !moment.includes("T")) return ""
  const at = new Date(moment)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const instantOf = (field: string): string | undefined => (field === "" ? undefined : new Date(field).toISOString())
