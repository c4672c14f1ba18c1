// /console/flows/new?architect: a flow that is said rather than written. It opens in its editor once it is accepted.

import { useEffect } from "react"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { ArchitectPane } from "./architect-pane.tsx"
import { classes } from "../parts/classes.ts"
import css from "../flow-tests/flow-tests.module.css"

const nothing = (): void => undefined

export function NewByArchitect({ api }: { readonly api: Api }) {
  useEffect(() => titled("New flow"), [])
  return (
    <main id="main" className={classes("page", css.newArch)}>
      <p className="bar">
        <Link className="link" href={addressOf("flows")}>
          Flows
        </Link>
        <span className="dim">/</span>
      </p>
      <h1>A new flow, by the architect</h1>
      <section className="panel">
        <ArchitectPane api={api} flow="new" text="" saved={undefined} onText={nothing} onSaved={nothing} />
      </section>
    </main>
  )
}
