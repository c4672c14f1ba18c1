// The rows that a variant made worse, each with both scores and why; a row opens the comparison of its two trials.

import { useEffect, useRef, useState } from "react"
import type { ExperimentRowShown, ExperimentShown } from "../../../../src/api/doc/experiments.doc.ts"
import { ScoresClient } from "../../../../src/client/scores.ts"
import { Paged } from "../../../../src/client/transport/paged.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { rowTitle } from "../../../../web/quality/row-title.ts"
import { scoreWords } from "../../../../web/quality/score-words.ts"
import { worseScores } from "../../../../web/quality/worse-scores.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { classes } from "../../parts/classes.ts"
import { useKeys } from "../../shell/keys.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { moveIn } from "../move-in.ts"
import qualityCss from "../quality.module.css"

interface Props {
  readonly api: Api
  readonly experiment: ExperimentShown
  readonly compared: NonNullable<ExperimentShown["compared"]>
}

const MOST = 50

export function WorseRows({ api, experiment: { id, variants, rows: count }, compared }: Props) {
  const [variant, setVariant] = useState(compared[0]?.variant ?? "")
  const table = useRef<HTMLTableElement>(null)
  const asked = useAsked(["experiments", id, "worse", variant], async () => ({
    variant,
    rows: (await new Paged<ExperimentRowShown>(api.transport, `/v1/experiments/${id}/rows`, { worse: variant, limit: MOST }).page()).data,
  }))
  const first = variants[0]?.name ?? ""
  const turn = (): void => {
    const at = compared.findIndex((one) => one.variant === variant)
    setVariant(compared[(at + 1) % compared.length]?.variant ?? variant)
  }
  useKeys("experiment", { variant: turn })
  useKeys("list", { next: () => moveIn(table, 1), previous: () => moveIn(table, -1) })
  useEffect(() => {
    if (!compared.some((one) => one.variant === variant)) setVariant(compared[0]?.variant ?? "")
  }, [compared, variant])
  return (
    <section className="panel" aria-labelledby="got-worse">
      <div className="panel-head">
        <h2 id="got-worse">Rows that got worse with {variant}</h2>
        <span className="grow" />
        {compared.length > 1 && (
          <div className="pick" role="group" aria-label="Variant">
            {compared.map((one) => (
              <button key={one.variant} type="button" aria-pressed={one.variant === variant} onClick={() => setVariant(one.variant)}>
                {one.variant}
              </button>
            ))}
          </div>
        )}
      </div>
      <AskedView what="the rows" of={asked.value?.variant === variant ? asked : { ...asked, value: undefined }}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p className="empty-state mid">None of {count} rows got worse.</p>
          ) : (
            <table className={classes("tbl", qualityCss.list)} ref={table}>
              <thead>
                <tr>
                  <th scope="col">Row</th>
                  <th scope="col" className={qualityCss.narrow}>
                    Scorer
                  </th>
                  <th scope="col" className={classes("num", qualityCss.score)}>
                    {first}
                  </th>
                  <th scope="col" className={classes("num", qualityCss.score)}>
                    {variant}
                  </th>
                  <th scope="col" className={qualityCss.wide}>
                    Why
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.flatMap((row) =>
                  worseScores(row.trials, first, variant).map(({ scorer, before, after, runs }) => (
                    <Row key={`${row.row} ${scorer}`} api={api} row={row} scorer={scorer} before={before} after={after} runs={runs} />
                  )),
                )}
              </tbody>
            </table>
          )
        }
      </AskedView>
    </section>
  )
}

interface RowProps {
  readonly api: Api
  readonly row: ExperimentRowShown
  readonly scorer: string
  readonly before: number
  readonly after: number
  readonly runs: readonly [string | undefined, string | undefined]
}

function Row({ api, row: { row, run }, scorer, before, after, runs: [one, other] }: RowProps) {
  const about = useAsked(["once", "trial", other ?? run ?? row], async () => {
    const from = other ?? run
    return from === undefined ? undefined : (await api.runs.get(from)).task
  })
  const why = useAsked(["once", "why", other ?? "", scorer], async () =>
    other === undefined
      ? undefined
      : (await new ScoresClient(api.transport).of(other)).scores.find((score) => score.scorer === scorer)?.reason,
  )
  const title = rowTitle({ id: row, ...(about.value === undefined ? {} : { task: about.value }) })
  return (
    <tr data-row={row}>
      <th scope="row">
        {one !== undefined && other !== undefined ? (
          <Link className="link" href={addressOf("runs", one, "compare", other)}>
            {visible(title)}
          </Link>
        ) : (
          visible(title)
        )}
      </th>
      <td>{scorer}</td>
      <td className="num">{scoreWords(before)}</td>
      <td className={classes("num", qualityCss.bad)}>▼ {scoreWords(after)}</td>
      <td className={classes("mid", qualityCss.wide)}>{visible(why.value ?? "")}</td>
    </tr>
  )
}
