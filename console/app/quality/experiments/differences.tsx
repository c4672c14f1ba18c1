// The differences to the first variant: a dot, and whiskers as long as what is not known. A filled dot is decided, an empty one is not. Behind the
// plot is its table.

import type { CSSProperties } from "react"
import type { ExperimentShown } from "../../../../src/api/doc/experiments.doc.ts"
import { percentOf, POINTS, rulingOf, scaleOf, signed, type Measured, type Ruling } from "../../../../web/quality/experiment-words.ts"
import { classes } from "../../parts/classes.ts"
import { useTables } from "../../parts/plots-as-tables.ts"
import css from "./experiment.module.css"

type Compared = NonNullable<ExperimentShown["compared"]>

interface Line {
  readonly key: string
  readonly name: string
  /** In points or percent. */
  readonly measured: Measured
  readonly ruling: Ruling
  readonly isCounted: boolean
}

interface Group {
  readonly key: string
  readonly title: string
  readonly about: string
  readonly lines: readonly Line[]
}

export function Differences({ experiment, compared }: { readonly experiment: ExperimentShown; readonly compared: Compared }) {
  const [isTable, turn] = useTables()
  const { variants, same } = experiment
  const base = variants[0]
  const scores: Group[] = compared.map((one) => ({
    key: one.variant,
    title: one.variant,
    about: rowsOf(one, experiment.left_out.length),
    lines: Object.entries(one.scores).map(([name, measured]) => ({
      key: `${one.variant} ${name}`,
      name,
      measured: inPoints(measured),
      ruling: rulingOf(measured),
      isCounted: true,
    })),
  }))
  const meanOf = (sum: number | null | undefined): number | null =>
    sum === null || sum === undefined || (base?.trials ?? 0) === 0 ? null : sum / (base?.trials ?? 1)
  const costs = compared.flatMap((one): readonly Line[] =>
    (
      [
        ["USD", percentOf(pair(one.usd), same, meanOf(base?.usd))],
        ["time", percentOf(pair(one.ms), same, meanOf(base?.ms))],
      ] as const
    ).flatMap(([what, measured]) =>
      measured === undefined
        ? []
        : [{ key: `${one.variant} ${what}`, name: `${one.variant} ${what}`, measured, ruling: rulingOf(measured, true), isCounted: false }],
    ),
  )
  return (
    <section className="panel" aria-labelledby="differences">
      <div className="panel-head">
        <h2 id="differences">Difference to {base?.name ?? "the first"}</h2>
        <span className="grow" />
        <span className={css.legend} aria-hidden="true">
          <i className={css.better} /> better <i className={css.worse} /> worse <i className={css.open} /> not decided
        </span>
        <button className="btn bare" type="button" aria-pressed={isTable} onClick={turn}>
          Table <kbd>T</kbd>
        </button>
      </div>
      {isTable ? (
        <DifferenceTable
          lines={[
            ...scores.flatMap((group) => group.lines.map((line) => ({ ...line, name: `${group.title}, ${line.name}, points` }))),
            ...costs.map((line) => ({ ...line, name: `${line.name}, percent` })),
          ]}
        />
      ) : (
        <div className={css.plot}>
          <Part what="Scores, in points" groups={scores} />
          {costs.length > 0 && <Part what="Cost and time, in percent" groups={[{ key: "", title: "", about: "", lines: costs }]} />}
        </div>
      )}
    </section>
  )
}

const pair = ({ interval, ...rest }: Compared[number]["usd"]): Measured => ({
  ...rest,
  interval: interval === null ? null : [interval[0], interval[1]],
})

const inPoints = ({ difference, interval, ...rest }: Compared[number]["usd"]): Measured => ({
  ...rest,
  difference: difference === null ? null : difference * POINTS,
  interval: interval === null ? null : [interval[0] * POINTS, interval[1] * POINTS],
})

function rowsOf({ scores }: Compared[number], out: number): string {
  const n = Object.values(scores)[0]?.n ?? 0
  return `${n} rows${out === 0 ? "" : `, ${out} left out`}`
}

function Part({ what, groups }: { readonly what: string; readonly groups: readonly Group[] }) {
  const values = groups.flatMap(({ lines }) =>
    lines.flatMap(({ measured: { difference, interval } }) => [difference ?? 0, ...(interval ?? [])]),
  )
  const end = scaleOf(values)
  return (
    <section className={css.part} aria-label={what}>
      <div className={classes(css.row, css.head)}>
        <span>{what}</span>
        <span className={css.axis} aria-hidden="true">
          {[-end, -end / 2, 0, end / 2, end].map((at) => (
            <span key={at} style={{ "--x": (at + end) / (2 * end) } as CSSProperties}>
              {at === 0 ? "as now" : signed(at)}
            </span>
          ))}
        </span>
        <span className="num">Difference (95 %)</span>
        <span className={classes("num", css.counts)}>Better, worse</span>
      </div>
      {groups.map(({ key, title, about, lines }) => (
        <div key={key}>
          {title !== "" && (
            <p className={css.variant}>
              <b>{title}</b> <span className="mid">{about}</span>
            </p>
          )}
          {lines.map((line) => (
            <Whisker key={line.key} line={line} end={end} />
          ))}
        </div>
      ))}
    </section>
  )
}

function Whisker({ line: { name, measured, ruling, isCounted }, end }: { readonly line: Line; readonly end: number }) {
  const { difference, interval, better, worse } = measured
  const at = (value: number): number => (Math.max(-end, Math.min(end, value)) + end) / (2 * end)
  const words = interval === null ? "no interval: too few rows" : `${signed(interval[0])} to ${signed(interval[1])}`
  return (
    <div className={css.row} data-line={name} data-ruling={ruling}>
      <span>{name}</span>
      <span
        className={css.strip}
        role="img"
        aria-label={`${name}: ${difference === null ? "no difference known" : signed(difference)}, ${words}, ${SAID[ruling]}`}
      >
        <i className={css.zero} />
        {interval !== null && (
          <i className={classes(css.whisker, css[ruling])} style={{ "--a": at(interval[0]), "--b": at(interval[1]) } as CSSProperties} />
        )}
        {difference !== null && <i className={classes(css.dot, css[ruling])} style={{ "--x": at(difference) } as CSSProperties} />}
      </span>
      <span className="num">
        <b className={css[ruling]}>{difference === null ? "–" : signed(difference)}</b> <span className="dim">({words})</span>
      </span>
      <span className={classes("num dim", css.counts)}>{isCounted ? `${better} and ${worse}` : ""}</span>
    </div>
  )
}

const SAID: Readonly<Record<Ruling, string>> = { better: "better", worse: "worse", open: "not decided" }

function DifferenceTable({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <div className={css.table} tabIndex={0} role="group" aria-label="Differences as a table">
      <table className="tbl">
        <caption className="vh">Differences to the first variant</caption>
        <thead>
          <tr>
            <th scope="col">Variant and measure</th>
            {["Difference", "From", "To", "Better", "Worse"].map((head) => (
              <th key={head} scope="col" className="num">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ key, name, measured: { difference, interval, better, worse }, isCounted }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              <td className="num">{difference === null ? "–" : signed(difference)}</td>
              <td className="num">{interval === null ? "–" : signed(interval[0])}</td>
              <td className="num">{interval === null ? "–" : signed(interval[1])}</td>
              <td className="num">{isCounted ? better : "–"}</td>
              <td className="num">{isCounted ? worse : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
