// Shows how fast each model is asked and what waits: what is set, what was learned, the last minute.

import type { PacingNow } from "../../../../src/api/doc/settings.doc.ts"
import { settingsOver } from "../../../../src/client/settings.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { classes } from "../../parts/classes.ts"
import { duration, fullTime } from "../../parts/figures.ts"
import type { SectionProps } from "../section-props.ts"
import cardTable from "../../parts/card-table.module.css"

type Row = PacingNow["data"][number]

export function Pace({ api }: Pick<SectionProps, "api">) {
  const loaded = useAsked(["settings", "pace"], () => settingsOver(api.transport).pacingNow(), { isFresh: true })
  return (
    <AskedView what="how fast models are asked" of={loaded}>
      {({ data }) => (data.length === 0 ? null : <Table rows={data} />)}
    </AskedView>
  )
}

function Table({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <section className="panel" aria-label="Limits of models">
      <table className={classes("tbl", cardTable.cards)}>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Allowed a minute</th>
            <th scope="col">In the last minute</th>
            <th scope="col" className="num">
              Waiting
            </th>
            <th scope="col" className="num">
              Longest wait
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.model}>
              <th scope="row">{row.model}</th>
              <td data-label="Allowed a minute">
                {row.stopped_until === undefined ? allowed(row) : `stopped by its provider until ${fullTime(row.stopped_until)}`}
              </td>
              <td data-label="In the last minute">{used(row)}</td>
              <td className="num" data-label="Waiting">
                {row.waiting.toLocaleString()}
              </td>
              <td className="num" data-label="Longest wait">
                {row.longest_ms === 0 ? "–" : duration(row.longest_ms)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const NOUNS = [
  ["rpm", "requests"],
  ["tpm", "tokens"],
  ["itpm", "input tokens"],
  ["otpm", "output tokens"],
] as const

/** The stricter of what is set and what was learned counts. */
function allowed({ set, learned }: Row): string {
  const said = NOUNS.flatMap(([kind, noun]) => {
    const least = Math.min(set[kind] ?? Number.POSITIVE_INFINITY, learned[kind] ?? Number.POSITIVE_INFINITY)
    return Number.isFinite(least) ? [`${least.toLocaleString()} ${noun}${least === set[kind] ? "" : ", learned"}`] : []
  })
  return said.length === 0 ? "no limit" : said.join("; ")
}

const used = ({ used: { requests, input, output } }: Row): string =>
  `${requests.toLocaleString()} requests, ${(input + output).toLocaleString()} tokens`
