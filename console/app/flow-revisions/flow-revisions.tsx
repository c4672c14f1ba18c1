// The revisions that touch a flow [F72]: what each changed, the difference between any two of them or to the draft, and the way back. What is
// compared is in the address: `?from=13&to=14`, `to=draft`.

import { useState } from "react"
import type { Revision } from "../../../src/api/doc/catalog.doc.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { age, fullTime } from "../parts/figures.ts"
import { Select } from "../parts/select.tsx"
import { Skeleton } from "../parts/skeleton.tsx"
import { useAsked } from "../parts/asked.ts"
import { useNow } from "../parts/use-now.ts"
import { serverState } from "../shell/server-state.ts"
import { goQuery, useQuery } from "../shell/place.ts"
import type { SideProps } from "../flows/side.ts"
import { pathOf, useFlowFiles } from "../flow-tests/use-flow-files.ts"
import { visible } from "../../../web/chat/wording.ts"
import { plusMinus, whatOf, type Touch } from "../../../web/flow/revision-words.ts"
import { Difference } from "./difference.tsx"
import { RollBack } from "./roll-back.tsx"
import { useFlowHistory } from "./use-history.ts"
import { classes } from "../parts/classes.ts"
import css from "../flow-tests/flow-tests.module.css"

const DRAFT = "draft"
/** Rows that are counted line by line. */
const COUNTED = 20

export function FlowRevisions({ api, flow, text, saved, onText, onSaved }: SideProps) {
  const [turn, setTurn] = useState(0)
  const about = `${turn} ${saved ?? ""}`
  const files = useFlowFiles(api, flow, about)
  const history = useFlowHistory(api, flow, files.value?.path ?? pathOf(flow))
  const [isAll, setAll] = useState(false)
  const [target, setTarget] = useState<number>()
  const query = useQuery()
  const isDraft = saved !== undefined && text !== saved
  if (saved === undefined) return <p className={classes(css.tests, "mid")}>This flow is not saved yet: it has no revisions.</p>
  const now = files.value?.revision
  const { mine, own, touches } = history
  if (files.value === undefined || now === undefined || history.rows === undefined || mine === undefined)
    return (
      <div className={css.tests}>
        <FaultLine fault={files.fault ?? history.fault} />
        {(files.fault ?? history.fault) === undefined && <Skeleton words="Reading the revisions" />}
      </div>
    )
  const known = history.rows
  const rows = isAll ? known : mine
  const newest = rows[0]?.revision ?? now
  const to = query.get("to") === DRAFT ? DRAFT : (numberIn(query.get("to")) ?? (isDraft ? DRAFT : newest))
  const from = numberIn(query.get("from")) ?? (to === DRAFT ? now : Math.max(0, to - 1))
  const choose = (revision: number): void => goQuery({ from: String(Math.max(0, revision - 1)), to: String(revision) })
  const numbers = [...new Set([now, from, ...(to === DRAFT ? [] : [to]), ...rows.flatMap(({ revision }) => [revision, revision - 1])])]
    .filter((number) => number >= 0)
    .toSorted((a, b) => b - a)
  return (
    <div className={css.tests}>
      <h2 className="vh">Revisions</h2>
      <FaultLine fault={history.fault} />
      <ol className={css.rvs}>
        {rows.map((row, at) => (
          <Row
            key={row.revision}
            api={api}
            row={row}
            known={known}
            isLive={row.revision === now}
            isOn={to === row.revision && from === row.revision - 1}
            touches={touches}
            isCounted={at < COUNTED}
            onChoose={() => choose(row.revision)}
          />
        ))}
      </ol>
      {rows.length === 0 && <p className="mid">This flow has not been changed here.</p>}
      <div className="bar">
        {history.more !== undefined && (
          <button className="btn tiny" type="button" onClick={history.more}>
            Older revisions
          </button>
        )}
        <button className="btn bare tiny" type="button" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? "Only revisions of this flow" : "All revisions"}
        </button>
      </div>
      {(rows.length > 0 || isDraft) && (
        <>
          <div className="bar">
            <Choice label="From" value={String(from)} options={numbers} onChoose={(value) => goQuery({ from: value, to: String(to) })} />
            <span>to</span>
            <Choice
              label="To"
              value={String(to)}
              options={numbers}
              isDraft
              onChoose={(value) => goQuery({ from: String(from), to: value })}
            />
            <span className="grow" />
            {from < now && (
              <button className="btn" type="button" onClick={() => setTarget(from)}>
                Roll back to r{from}
              </button>
            )}
          </div>
          <Difference
            key={`${from} ${to} ${about}`}
            api={api}
            flow={flow}
            path={files.value.path}
            touches={touches}
            from={from}
            to={to === DRAFT ? undefined : to}
            draft={text}
            onText={(next) => {
              onText(next)
              goQuery({ from: String(from), to: DRAFT })
            }}
          />
        </>
      )}
      {target !== undefined && (
        <RollBack
          api={api}
          target={target}
          now={now}
          own={own}
          isDraft={isDraft}
          onClose={() => setTarget(undefined)}
          onDone={() => {
            setTarget(undefined)
            goQuery({ from: undefined, to: undefined })
            setTurn((n) => n + 1)
            void serverState.invalidateQueries({ queryKey: ["catalog"] })
            onSaved()
          }}
        />
      )}
    </div>
  )
}

const numberIn = (text: string | null): number | undefined => (text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined)

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly number[]
  readonly isDraft?: boolean
  readonly onChoose: (value: string) => void
}

const Choice = ({ label, value, options, isDraft = false, onChoose }: ChoiceProps) => (
  <span className={css.btForm}>
    <Select
      aria-label={label}
      value={value}
      choices={[
        ...(isDraft ? [{ value: DRAFT, words: "the draft" }] : []),
        ...options.map((number) => ({ value: String(number), words: `r${number}` })),
      ]}
      onChange={onChoose}
    />
  </span>
)

interface RowProps extends Pick<SideProps, "api"> {
  readonly row: Revision
  readonly known: readonly Revision[]
  readonly isLive: boolean
  readonly isOn: boolean
  readonly touches: Touch
  readonly isCounted: boolean
  readonly onChoose: () => void
}

function Row({ api, row, known, isLive, isOn, touches, isCounted, onChoose }: RowProps) {
  const now = useNow(60_000)
  const { revision, by, at, forced } = row
  const own = row.changes.flatMap(({ path }) => (touches(path) ? [path] : []))
  const { value } = useAsked(["once", "revision counts", revision, own, isCounted], async () => {
    const [only, ...others] = own
    if (!isCounted || only === undefined) return undefined
    const { data } = await api.catalog.diff({
      from: Math.max(0, revision - 1),
      to: revision,
      ...(others.length === 0 ? { path: only } : {}),
    })
    return plusMinus(data.flatMap(({ path, diff }) => (touches(path) && diff !== undefined ? [diff] : [])))
  })
  return (
    <li>
      <button className={css.rv} type="button" aria-pressed={isOn} onClick={onChoose}>
        <b>r{revision}</b>
        <span className="cut">
          {visible(whatOf(row, known, touches))}
          {isLive && " · live"}
          {forced === true && " · past the gate"}
        </span>
        <span className={classes(css.pm, "small num")}>
          {value && (
            <>
              <span className="succeeded">+{value.plus}</span> <span className="failed">−{value.minus}</span>
            </>
          )}
        </span>
        <span className="dim small num" title={fullTime(at)}>
          {by === null ? "" : `${visible(by)}, `}
          {age(Date.parse(at), now)}
        </span>
      </button>
    </li>
  )
}
