// Where the runs of a flow go: its own graph, each way as wide as the runs that took it, and in each step what went on, failed and waits, on the scale of
// all runs. The table behind it says the same.

import { useMemo, useRef } from "react"
import { runsOfWays } from "../../../web/flow-overview/edge-runs.ts"
import { NODE } from "../../../web/run/places.ts"
import { layoutFor } from "../../../web/run/layout.ts"
import { classes } from "../parts/classes.ts"
import { counted, duration } from "../parts/figures.ts"
import { useTables } from "../parts/plots-as-tables.ts"
import { SMALL, useMedia } from "../parts/use-media.ts"
import { useWidth } from "../parts/use-width.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { go } from "../shell/place.ts"
import css from "./funnel.module.css"
import pageCss from "./flow-overview.module.css"
import { runsOf, stepIn } from "./runs-of.ts"
import { stepsOf, type StepSeen } from "./steps.ts"
import type { FlowSeen } from "./use-flow-overview.ts"

interface Props {
  readonly flow: string
  readonly seen: FlowSeen
}

const WIDEST = 18
const TALL = 400
const PAD = 10

export function Funnel({ flow, seen }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const isSmall = useMedia(SMALL)
  const [isOwnTable, turn] = useTables()
  const steps = useMemo(() => stepsOf(seen), [seen])
  const all = Math.max(1, ...steps.map(({ reached }) => reached))
  const isTable = isOwnTable || isSmall || seen.graph === undefined
  return (
    <section className="panel" aria-labelledby="funnel">
      <div className={pageCss.head}>
        <h2 id="funnel">Steps of {counted(all, "run")}</h2>
        <span className="dim">a line is as wide as the runs that took it</span>
        <span className="grow" />
        <ul className={css.legend} aria-hidden="true">
          <li>
            <i className={css.went} /> went on
          </li>
          <li>
            <i className={css.failed} /> failed
          </li>
          <li>
            <i className={css.waits} /> waits
          </li>
        </ul>
        {!isSmall && seen.graph && (
          <button
            className="btn bare square tiny"
            type="button"
            aria-pressed={isTable}
            aria-label="Table: Steps"
            title="Table (T)"
            onClick={turn}
          >
            <Icon name="table" kind="i-s" />
          </button>
        )}
      </div>
      <div ref={box} className={classes(css.graph, isTable && css.hidden)}>
        {seen.graph && width > 0 && !isTable && <Drawn flow={flow} graph={seen.graph} steps={steps} all={all} width={width} />}
      </div>
      <div className={isTable ? pageCss.scroll : "vh"} {...(isTable ? { tabIndex: 0, role: "region", "aria-label": "Steps" } : {})}>
        <StepTable flow={flow} steps={steps} />
      </div>
    </section>
  )
}

interface DrawnProps {
  readonly flow: string
  readonly graph: NonNullable<FlowSeen["graph"]>
  readonly steps: readonly StepSeen[]
  readonly all: number
  readonly width: number
}

function Drawn({ flow, graph, steps, all, width }: DrawnProps) {
  const layout = useMemo(() => layoutFor(graph, { width: width - 2 * PAD, height: TALL }), [graph, width])
  const counts = useMemo(() => {
    const ways = layout.ways.map(({ from, to, isBack }) => ({
      from,
      to,
      kind: isBack ? "back" : (graph.edges.find((edge) => edge.from === from && edge.to === to)?.kind ?? "next"),
    }))
    const forward = ways.filter(({ kind }) => kind !== "back")
    const runs = runsOfWays(forward, steps)
    return ways.map((way) => (way.kind === "back" ? undefined : runs[forward.indexOf(way)]))
  }, [layout, graph, steps])
  const known = new Map(steps.map((step) => [step.step, step]))
  const size = { width: layout.width + 2 * PAD, height: layout.height + 2 * PAD }
  return (
    <svg
      viewBox={`${-PAD} ${-PAD} ${size.width} ${size.height}`}
      style={{ maxWidth: size.width, minWidth: Math.min(size.width, width) }}
      role="img"
      aria-label="The flow with the runs of each step and way; the table says the same"
    >
      {layout.ways.map(({ id, path, from, to, label, x, y, isBack }, i) => (
        <g key={id}>
          <path
            className={classes(css.way, isBack && css.back)}
            d={path}
            strokeWidth={isBack ? 1 : Math.max(1, ((counts[i] ?? 0) / all) * WIDEST)}
          >
            <title>
              {from} to {to}
              {counts[i] === undefined ? "" : `: ${counted(counts[i], "run")}`}
            </title>
          </path>
          {label !== undefined && (
            <text className={css.label} x={x} y={y} textAnchor="middle" dy="3">
              {label.length > 18 ? `${label.slice(0, 17)}…` : label}
            </text>
          )}
        </g>
      ))}
      {layout.places.map(({ id, x, y }) => (
        <Step key={id} x={x} y={y} all={all} step={known.get(id) ?? NEVER(id)} onOpen={() => go(runsOf(flow))} />
      ))}
    </svg>
  )
}

const NEVER = (step: string): StepSeen => ({
  step,
  about: "",
  reached: 0,
  skipped: 0,
  failed: 0,
  left: 0,
  waits: 0,
  usd: null,
  ms: null,
  isWorse: false,
})

/** Pixels of the bar in a box. */
const BAR = NODE.width - 20

function Step({
  x,
  y,
  all,
  step,
  onOpen,
}: {
  readonly x: number
  readonly y: number
  readonly all: number
  readonly step: StepSeen
  readonly onOpen: () => void
}) {
  const went = Math.max(0, step.reached - step.failed - step.left)
  const parts = [
    [css.went, went],
    [css.failed, step.failed],
    [css.waits, step.waits],
  ] as const
  // What waits has not ended: it is none of those that the others are a share of.
  const whole = Math.max(all, went + step.failed + step.waits)
  let at = 0
  return (
    <g className={classes(css.step, step.isWorse && css.worse)} transform={`translate(${x} ${y})`} onClick={onOpen}>
      <title>{`${step.step}: ${counted(step.reached, "run")}, ${went} went on, ${step.failed} failed, ${step.waits} wait`}</title>
      <rect width={NODE.width} height={NODE.height} rx="6" />
      <text className={css.name} x="10" y="15">
        {step.step.length > 16 ? `${step.step.slice(0, 15)}…` : step.step}
      </text>
      {step.failed > 0 && (
        <text className={css.bad} x={NODE.width - 10} y="15" textAnchor="end">
          × {step.failed}
        </text>
      )}
      <text className={css.about} x="10" y="28">
        {step.reached.toLocaleString("en-US")}
        {step.ms && ` · ${duration(step.ms.p50)}`}
      </text>
      {parts.map(([look, count]) => {
        const from = at
        const length = (count / whole) * BAR
        at += length
        return length > 0 && <rect key={look} className={look} x={10 + from} y="34" width={Math.max(1, length)} height="5" />
      })}
    </g>
  )
}

function StepTable({ flow, steps }: { readonly flow: string; readonly steps: readonly StepSeen[] }) {
  return (
    <table className="tbl">
      <caption className="vh">Steps and their runs</caption>
      <thead>
        <tr>
          <th scope="col">Step</th>
          {["Runs", "Went on", "Failed", "Wait", "Skipped", "p50"].map((name) => (
            <th key={name} scope="col" className={classes("num", name === "Skipped" && pageCss.wide)}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {steps.map(({ step, reached, failed, left, waits, skipped, ms, isWorse }) => (
          <tr key={step}>
            <th scope="row">
              <Link className="link" href={stepIn(flow, step)}>
                {step}
              </Link>
            </th>
            <td className="num">{reached.toLocaleString("en-US")}</td>
            <td className="num">{Math.max(0, reached - failed - left).toLocaleString("en-US")}</td>
            <td className={classes("num", isWorse && pageCss.worse)}>{failed.toLocaleString("en-US")}</td>
            <td className="num">{waits}</td>
            <td className={classes("num", pageCss.wide)}>{skipped.toLocaleString("en-US")}</td>
            <td className="num">{ms === null ? "–" : duration(ms.p50)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
