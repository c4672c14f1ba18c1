// Where a run comes from and what has come from it, as a small tree. This run is filled.

import { useRef, useState } from "react"
import { isAgain, type KinPlace } from "../../../../web/run/fork-tree.ts"
import { classes } from "../../parts/classes.ts"
import { money } from "../../parts/figures.ts"
import { lookOf, StatusMark } from "../../parts/status.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import type { ShownRun } from "../use-run.ts"
import css from "./fork-tree.module.css"
import { useFamily, type KinRun } from "./use-family.ts"

/** In px. */
const BOX = { width: 190, height: 44, right: 60, below: 12, edge: 14 } as const

type Place = KinPlace<KinRun>

export function ForkTree({ api, shown }: { readonly api: Api; readonly shown: ShownRun }) {
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set())
  const box = useRef<HTMLElement>(null)
  const { tree, fault } = useFamily(api, shown.view, whole)
  const open = (id: string): void => {
    setWhole(new Set([...whole, id]))
    // The button is gone; the tree goes on with the keys.
    box.current?.focus()
  }
  if (fault !== undefined)
    return (
      <p className="msg error" role="alert">
        {fault}
      </p>
    )
  if (tree === undefined) return <p className={classes("dim late", css.note)}>Reading its forks.</p>
  const xOf = ({ column }: Place): number => BOX.edge + column * (BOX.width + BOX.right)
  const yOf = ({ row }: Place): number => BOX.edge + row * (BOX.height + BOX.below)
  const byKey = new Map(tree.places.map((place) => [place.key, place]))
  const size = {
    width: tree.columns * (BOX.width + BOX.right) - BOX.right + 2 * BOX.edge,
    height: tree.rows * (BOX.height + BOX.below) - BOX.below + 2 * BOX.edge,
  }
  return (
    <nav className={css.tree} ref={box} aria-label="Forks" tabIndex={0}>
      <div className={css.all} style={size}>
        <svg className={css.lines} {...size} aria-hidden="true">
          {tree.places.map((place) => {
            const source = place.parent === undefined ? undefined : byKey.get(place.parent)
            if (!source) return null
            const [x, y] = [xOf(source) + BOX.width, yOf(source) + BOX.height / 2]
            const [toX, toY] = [xOf(place), yOf(place) + BOX.height / 2]
            const middle = (x + toX) / 2
            return <path key={place.key} d={`M${x},${y} C${middle},${y} ${middle},${toY} ${toX},${toY}`} />
          })}
        </svg>
        <ul>
          {tree.places.map((place) => (
            <li key={place.key} className={css.at} style={{ left: xOf(place), top: yOf(place), width: BOX.width, height: BOX.height }}>
              {place.kin !== undefined ? (
                <KinBox kin={place.kin} shown={shown} />
              ) : (
                <button className={css.more} type="button" onClick={() => open(place.parent ?? "")}>
                  {place.more} more
                </button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </nav>
  )
}

function KinBox({ kin, shown }: { readonly kin: KinRun; readonly shown: ShownRun }) {
  const isSelf = kin.id === shown.view.id
  const inside = (
    <>
      <StatusMark status={kin.status} kind="i-s" />
      <span className={css.words}>
        <b className="cut">
          {nameOf(kin, shown)}
          {kin.revision !== undefined && `, r${kin.revision}`}
        </b>
        <span className="cut mid">
          {isSelf ? "this run, " : ""}
          {lookOf(kin.status).word.toLowerCase()}
          {kin.step !== undefined && ` at ${kin.step}`}
          {kin.usd !== null && kin.usd > 0 && `, ${money(kin.usd)}`}
        </span>
      </span>
    </>
  )
  if (isSelf)
    return (
      <span className={classes(css.kin, css.self)} aria-current="true">
        {inside}
      </span>
    )
  return (
    <Link className={css.kin} href={addressOf("runs", kin.id)} title={kin.id}>
      {inside}
    </Link>
  )
}

function nameOf(kin: KinRun, { view, story }: ShownRun): string {
  if (kin.trigger === "test") return "test"
  const { fork } = kin
  if (fork === undefined) return `${kin.id.slice(0, 12)}…`
  if (isAgain(kin)) return "again"
  // Of its own journal and of what it has kept, this run knows the steps.
  const isKnown = fork.run === view.id || kin.id === view.id
  const step = isKnown ? stepAfter(story, fork.seq) : undefined
  return step === undefined ? `fork at event ${fork.seq}` : `fork at ${step}`
}

/** The step that was open then, or opened next. */
function stepAfter({ steps }: ShownRun["story"], seq: number): string | undefined {
  const passes = [...steps.values()].flatMap((step) => step.passes)
  const open = passes.find((pass) => pass.seq <= seq && (pass.endSeq ?? Infinity) > seq)
  return (open ?? passes.filter((pass) => pass.seq > seq).toSorted((a, b) => a.seq - b.seq)[0])?.step
}
