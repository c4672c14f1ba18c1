// The rows of a dataset. One that is opened shows all that it is run with, and what is expected.

import { useState, type RefObject } from "react"
import type { DatasetRowShown } from "../../../../src/api/doc/datasets.doc.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { rowTitle } from "../../../../web/quality/row-title.ts"
import { classes } from "../../parts/classes.ts"
import { Code } from "../../parts/code.tsx"
import { Icon } from "../../shell/icons.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import css from "../quality.module.css"

interface Props {
  readonly rows: readonly DatasetRowShown[]
  readonly table: RefObject<HTMLTableElement | null>
  readonly onDelete: ((id: string) => void) | undefined
}

export function RowTable({ rows, table, onDelete }: Props) {
  const [open, setOpen] = useState<string>()
  return (
    <section className="panel" aria-label="Rows">
      <table className={classes("tbl", css.list)} ref={table}>
        <thead>
          <tr>
            <th scope="col">Row</th>
            <th scope="col" className={css.wide}>
              Expects
            </th>
            <th scope="col" className={css.narrow}>
              Made of
            </th>
            <th scope="col" className={css.act}>
              <span className="vh">Delete</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} data-row={row.id}>
              <th scope="row">
                <button
                  className={css.open}
                  type="button"
                  aria-expanded={open === row.id}
                  onClick={() => setOpen(open === row.id ? undefined : row.id)}
                >
                  {visible(rowTitle(row))}
                </button>{" "}
                {row.untrusted === true && <span className="tag waiting">text from outside</span>}
                {open === row.id && <Code value={contents(row)} label="The row" />}
              </th>
              <td className={classes("mid", css.wide)}>
                {row.expect === undefined && row.criteria === undefined
                  ? "–"
                  : visible(row.criteria ?? JSON.stringify(row.expect).slice(0, 160))}
              </td>
              <td>
                {row.runs[0] === undefined ? (
                  <span className="dim">by hand</span>
                ) : (
                  <Link className="link" href={addressOf("runs", row.runs[0])}>
                    {row.runs.length === 1 ? "a run" : `${row.runs.length} runs`}
                  </Link>
                )}
              </td>
              <td className={css.act}>
                {onDelete && (
                  <button
                    className="btn bare square"
                    type="button"
                    aria-label={`Delete the row ${visible(rowTitle(row)).slice(0, 60)}`}
                    title="Delete"
                    onClick={() => onDelete(row.id)}
                  >
                    <Icon name="x" kind="i-s" />
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const contents = ({ id: _id, created: _created, runs: _runs, untrusted: _untrusted, ...rest }: DatasetRowShown): object => rest
