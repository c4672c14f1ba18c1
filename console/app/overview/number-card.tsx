// Shows one number of the overview: now, and what is usual by now. The whole of it is a link to what it counts.

import type { Overview } from "../../../src/api/doc/overview.doc.ts"
import type { NumberName } from "../../../web/overview/verdict.ts"
import { classes } from "../parts/classes.ts"
import { duration, money } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import css from "./overview.module.css"

interface Props {
  readonly name: NumberName
  readonly label: string
  readonly judged: NonNullable<Overview["numbers"]>[NumberName] | undefined
  readonly href: string
}

export function NumberCard({ name, label, judged, href }: Props) {
  const { value = null, usual = null, unusual = null } = judged ?? {}
  return (
    <Link className={classes(css.number, unusual === true && css.odd)} href={href}>
      <span className={css.name}>
        {label}
        {unusual !== null && (
          <span className={css.mark}>
            {unusual && <Icon name="warn" kind="i-s" />}
            {unusual ? "unusual" : "usual"}
          </span>
        )}
      </span>
      <b className={css.value}>{value === null ? "–" : shown(name, value)}</b>
      <span className="dim">
        {usual === null ? "no usual range yet" : `usual by now ${shown(name, usual[0])}–${shown(name, usual[1])}`}
      </span>
    </Link>
  )
}

function shown(name: NumberName, value: number): string {
  if (name === "success") return `${Math.round(value * 1_000) / 10} %`
  if (name === "usd") return money(value)
  return name === "p95" ? duration(value) : Math.round(value).toLocaleString()
}
