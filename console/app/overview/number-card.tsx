// Shows one number of the overview: now, what is usual by now, and its line through the day. The whole of it is a link to what it counts.

import type { Overview } from "../../../src/api/doc/overview.doc.ts"
import { endOf, type NumberLine as Line } from "../../../web/overview/lines.ts"
import type { NumberName } from "../../../web/overview/verdict.ts"
import { classes } from "../parts/classes.ts"
import { duration, money } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { NumberLine } from "./number-line.tsx"
import css from "./overview.module.css"

interface Props {
  readonly name: NumberName
  readonly label: string
  readonly judged: NonNullable<Overview["numbers"]>[NumberName] | undefined
  readonly href: string
  readonly line: Line | undefined
  /** The names below the line. */
  readonly ends: readonly [string, string, string]
  readonly limit: number | undefined
}

export function NumberCard({ name, label, judged, href, line, ends, limit }: Props) {
  const { value = null, usual = null, unusual = null } = judged ?? {}
  const end = name === "usd" && line ? endOf(line) : null
  return (
    <Link className={classes(css.number, unusual === true && css.odd)} href={href}>
      <span className={css.name}>
        {label}
        {unusual !== null && (
          <span className={css.mark}>
            <Icon name={unusual ? "warn" : "check"} kind="i-s" />
            {unusual ? "unusual" : "usual"}
          </span>
        )}
      </span>
      <span className={css.now}>
        <b className={css.value}>{value === null ? "–" : shown(name, value)}</b>
        <span className="dim">
          {end !== null && limit !== undefined
            ? `about ${money(end)} of ${money(limit)} by midnight`
            : usual === null
              ? "not enough days yet"
              : `usual ${rangeOf(name, usual)}`}
        </span>
      </span>
      {line && <NumberLine line={line} isShare={name === "success"} limit={name === "usd" ? limit : undefined} ends={ends} />}
    </Link>
  )
}

function rangeOf(name: NumberName, [lowest, highest]: readonly [number, number, ...never[]]): string {
  const [from, to] = [shown(name, lowest), shown(name, highest)]
  return name === "success" ? `${from.replace("%", "")}–${to}` : `${from}–${to}`
}

export function shown(name: NumberName, value: number): string {
  if (name === "success") return `${Math.round(value * 1_000) / 10}%`
  if (name === "usd") return value === 0 ? "$0" : money(value)
  return name === "p95" ? duration(value) : Math.round(value).toLocaleString("en-US")
}
