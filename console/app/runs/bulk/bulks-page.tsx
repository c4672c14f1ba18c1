// Says what was done with many runs at once, of the last week.

import { useEffect, useMemo } from "react"
import { BulkClient } from "../../../../src/client/bulk.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { age, fullTime } from "../../parts/figures.ts"
import { useAsked } from "../../parts/asked.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { titled } from "../../shell/title.ts"
import { titleOfBulk, WordOfBulk } from "./bulk-words.tsx"

export function BulksPage({ api }: { readonly api: Api }) {
  const client = useMemo(() => new BulkClient(api.transport), [api])
  const bulks = useAsked(["bulk", "list"], () => client.list().all())
  useEffect(() => titled("Bulk actions"), [])
  const now = Date.now()
  return (
    <main id="main">
      <div className="page">
        <div className="page-head">
          <Link className="link" href={addressOf("runs")}>
            Runs
          </Link>
          <span className="dim">/</span>
          <h1>Bulk actions</h1>
        </div>
        <section className="panel" aria-label="Bulk actions">
          <AskedView what="the bulk actions" of={bulks}>
            {(rows) =>
              rows.length === 0 ? (
                <div className="empty-state">
                  <p className="mid">
                    Select runs in the list to cancel, fork, delete or run many of them again. What was done is kept here for a week.
                  </p>
                </div>
              ) : (
                <table className="tbl">
                  <thead>
                    <tr>
                      <th scope="col">Action</th>
                      <th scope="col">Status</th>
                      <th scope="col">By</th>
                      <th scope="col" className="num">
                        Done
                      </th>
                      <th scope="col" className="num">
                        Age
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => (
                      <tr key={row.id}>
                        <td>
                          <Link className="link" href={addressOf("runs", "bulk", row.id)}>
                            {titleOfBulk(row)}
                          </Link>
                        </td>
                        <td>
                          <WordOfBulk row={row} />
                        </td>
                        <td>{row.by}</td>
                        <td className="num">
                          {row.done.toLocaleString()}
                          {row.failed > 0 && `, ${row.failed.toLocaleString()} failed`}
                        </td>
                        <td className="num dim" title={fullTime(row.created)}>
                          {age(Date.parse(row.created), now)}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )
            }
          </AskedView>
        </section>
      </div>
    </main>
  )
}
