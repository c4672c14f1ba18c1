// What names an agent or a skill: steps of flows, and agents.

import type { Used } from "../../../src/api/doc/used.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { classes } from "../parts/classes.ts"
import css from "./agents.module.css"

export function UsesList({ used }: { readonly used: Pick<Used, "uses" | "used"> }) {
  if (used.used === 0)
    return (
      <section className="panel empty-state">
        <h2>Nothing uses it</h2>
        <p className="mid">Use it in a step of a flow, or list it in an agent.</p>
      </section>
    )
  return (
    <section className="panel" aria-label="Used by">
      <table className="tbl">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">What</th>
            <th scope="col">Step</th>
          </tr>
        </thead>
        <tbody>
          {used.uses.map(({ kind, id, step }) => (
            <tr key={`${kind} ${id} ${step ?? ""}`}>
              <th scope="row">
                <Link className="link" href={kind === "flow" ? addressOf("flows", id) : addressOf("agents", id)}>
                  {visible(id)}
                </Link>
              </th>
              <td className="mid">{kind}</td>
              <td className="mono">{step === undefined ? "–" : visible(step)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {used.used > used.uses.length && (
        <p className={classes("dim", css.agMore)}>And {(used.used - used.uses.length).toLocaleString()} more.</p>
      )}
    </section>
  )
}
