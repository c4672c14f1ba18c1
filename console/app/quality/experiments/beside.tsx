// Beside the differences: what each variant came to by itself, and what the figures rest on.

import type { ExperimentShown } from "../../../../src/api/doc/experiments.doc.ts"
import { scoreWords } from "../../../../web/quality/score-words.ts"
import { duration, usd } from "../../parts/figures.ts"
import css from "./experiment.module.css"

export function VariantTable({ experiment: { variants, scorers } }: { readonly experiment: ExperimentShown }) {
  const first = scorers[0] ?? ""
  return (
    <section className="panel" aria-label="Variants">
      <table className="tbl">
        <thead>
          <tr>
            <th scope="col">Variant</th>
            <th scope="col" className="num">
              {first}
            </th>
            <th scope="col" className="num">
              USD
            </th>
            <th scope="col" className="num">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {variants.map(({ name, trials = 0, scores, usd: cost, ms, failed = 0 }) => (
            <tr key={name}>
              <th scope="row">
                <b>{name}</b> {failed > 0 && <span className="tag error">{failed} failed</span>}
              </th>
              <td className="num">{scoreWords(scores?.[first]?.mean)}</td>
              <td className="num">{usd(cost === null || cost === undefined || trials === 0 ? undefined : cost / trials)}</td>
              <td className="num">{ms === undefined || trials === 0 ? "–" : duration(ms / trials)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={css.note}>Cost and time of a trial, from where the variants part.</p>
    </section>
  )
}

export function Trusted({ experiment: { rows, same, left_out: out, variants, seed, repeats } }: { readonly experiment: ExperimentShown }) {
  const sum = (which: "recorded" | "live"): number => variants.reduce((all, { reads }) => all + (reads?.[which] ?? 0), 0)
  return (
    <section className="panel" aria-labelledby="rests">
      <div className="panel-head">
        <h2 id="rests">What it rests on</h2>
      </div>
      <dl className={css.facts}>
        <dt>Rows</dt>
        <dd>
          {rows}; {rows - same} differ{out.length > 0 && `, ${out.length} left out`}
          {repeats > 1 && `, each tried ${repeats} times`}
        </dd>
        <dt>Reads</dt>
        <dd>
          {sum("recorded")} recorded, {sum("live")} live
        </dd>
        <dt>Writes</dt>
        <dd>kept and dropped: nothing left</dd>
        <dt>Chance</dt>
        <dd>
          <span className="mono small" title={seed}>
            seed {seed.slice(0, 8)}…
          </span>
          , the same on every machine
        </dd>
      </dl>
      {out.length > 0 && (
        <details className={css.note}>
          <summary>Rows that are left out</summary>
          <ul>
            {out.slice(0, 50).map(({ row, why }) => (
              <li key={row}>
                <span className="mono">{row.slice(0, 12)}</span>: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}
