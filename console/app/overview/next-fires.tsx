// The schedules that run next, and how they ran last.

import { classes } from "../parts/classes.ts"
import { CronWords } from "../parts/cron-words.tsx"
import { fullTime, timeOfDay } from "../parts/figures.ts"
import { Status } from "../parts/status.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import css from "./overview.module.css"
import type { Fire } from "./use-overview.ts"

export function NextFires({ fires, now }: { readonly fires: readonly Fire[]; readonly now: number }) {
  return (
    <section className="panel" aria-labelledby="next-schedules">
      <div className={css.head}>
        <h2 id="next-schedules">Next schedules</h2>
        <span className="grow" />
        <Link className="link" href={addressOf("settings", "schedules")}>
          All
        </Link>
      </div>
      {fires.length === 0 && <p className={classes("mid", css.empty)}>No schedule runs by itself.</p>}
      <ul className={css.rows}>
        {fires.map(({ schedule: { id, name, flow, cron, next, last }, status }) => (
          <li key={id}>
            <Link className={css.change} href={addressOf("flows", flow)}>
              <b className="num nowrap" title={next === null ? undefined : fullTime(next)}>
                {next === null ? "–" : timeOfDay(next, now)}
              </b>
              <span className={css.two}>
                <b className="cut">{flow}</b>
                <span className="dim cut">{name ?? <CronWords cron={cron} isAlone />}</span>
              </span>
              <span className="dim nowrap">{last === null ? "not run yet" : status === undefined ? "" : <Status status={status} />}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
