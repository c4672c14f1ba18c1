// Says what the overview shows before there is a run.

import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { classes } from "../parts/classes.ts"
import css from "./overview.module.css"

export function NoRuns() {
  return (
    <section className={classes("panel", css.none)} aria-label="No runs yet">
      <h2>No runs yet</h2>
      <p className="mid">
        Sluice runs flows of agents; each run is a journal that you can pause, fork and prove. This page fills with the first run.
        Rehearsals are not counted.
      </p>
      <p className="bar">
        <Link className="btn first" href={`${addressOf("runs")}?new=1`}>
          Start a run
        </Link>
        <Link className="btn" href={addressOf("settings", "providers")}>
          Connect a model
        </Link>
      </p>
    </section>
  )
}
