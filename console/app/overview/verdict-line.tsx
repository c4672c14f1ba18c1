// The verdict: one sentence that can be false, and what mends it.

import type { DayVerdict } from "../../../web/overview/verdict.ts"
import { classes } from "../parts/classes.ts"
import { Icon, type IconName } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go } from "../shell/place.ts"
import css from "./overview.module.css"
import type { Change } from "./use-overview.ts"

interface Props {
  readonly verdict: DayVerdict
  /** Since when it is so. */
  readonly change: Change | undefined
}

const ICONS: Readonly<Record<DayVerdict["kind"], IconName>> = { normal: "check", unusual: "warn", unknown: "clock" }

export function VerdictLine({ verdict: { kind, title, reason }, change }: Props) {
  const revision = change?.revision.revision
  const compare = change?.flow === undefined || revision === undefined ? undefined : revisionsOf(change.flow, revision)
  useKeys("overview", { compare: () => (compare === undefined ? false : go(compare)) })
  return (
    <section className={classes(css.verdict, css[kind])} aria-label="Verdict">
      <Icon name={ICONS[kind]} />
      <div className="grow">
        <h2>{title}</h2>
        <p className="mid">{reason}</p>
      </div>
      {compare !== undefined && revision !== undefined && (
        <div className="bar">
          <Link className="btn" href={compare}>
            Compare r{revision - 1} and r{revision} <kbd>C</kbd>
          </Link>
          <Link className="btn first" href={compare}>
            Roll back to r{revision - 1}
          </Link>
        </div>
      )}
    </section>
  )
}

const revisionsOf = (flow: string, revision: number): string =>
  `${addressOf("flows", flow)}?tab=revisions&from=${revision - 1}&to=${revision}`
