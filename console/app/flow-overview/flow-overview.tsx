// The page of a flow: /console/flows/NAME/overview. Did the last revision make it worse, where do its runs go, what is slow, dear and refused, and what
// starts them. `?span=day` for 24 hours instead of 14 days. The editor is /console/flows/NAME.

import { useEffect } from "react"
import { AskedView } from "../parts/asked-view.tsx"
import { classes } from "../parts/classes.ts"
import { Opened } from "../parts/dialog.tsx"
import { later } from "../parts/later.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go, goQuery, useQuery } from "../shell/place.ts"
import { useMay, type Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { runsOf } from "./runs-of.ts"
import { FlowBody } from "./flow-body.tsx"
import { HowRunsStart } from "./how-runs-start.tsx"
import css from "./flow-overview.module.css"
import { useFlowOverview, type FlowSeen, type DaySpan } from "./use-flow-overview.ts"

const NewRun = later(async () => (await import("../runs/new-run.tsx")).NewRun)

export function FlowOverview({ api, flow }: { readonly api: Api; readonly flow: string }) {
  const query = useQuery()
  const span: DaySpan = query.get("span") === "day" ? "day" : "weeks"
  const asked = useFlowOverview(api, flow, span)
  const seen = asked.value
  const [newest] = seen?.revisions ?? []
  const edit = addressOf("flows", flow)
  const compare = newest && `${edit}?tab=revisions&from=${newest.revision - 1}&to=${newest.revision}`
  const mayRun = useMay("runs:write")
  const start = (): void => goQuery({ new: "1", flow }, "push")
  useEffect(() => titled(flow), [flow])
  useKeys("flowPage", {
    edit: () => go(edit),
    new: () => (mayRun ? start() : false),
    compare: () => (compare === undefined ? false : go(compare)),
  })
  return (
    <main id="main" className="page" aria-busy={(seen === undefined && asked.fault === undefined) || undefined}>
      <div className="page-head">
        <div className={css.title}>
          <div className="bar">
            <Link className="link" href={addressOf("flows")}>
              Flows
            </Link>
            <span className="dim">/</span>
            <h1 tabIndex={-1}>{flow}</h1>
            {newest && <span className="tag">r{newest.revision} live</span>}
          </div>
          {seen?.graph && seen.graph.start.description !== "" && <p className="mid">{seen.graph.start.description}</p>}
        </div>
        <span className="grow" />
        <div className="bar">
          <Link className="btn" href={edit}>
            Edit <kbd>E</kbd>
          </Link>
          {compare !== undefined && newest && newest.revision > 1 && (
            <Link className="btn" href={compare}>
              Compare r{newest.revision - 1} and r{newest.revision} <kbd>C</kbd>
            </Link>
          )}
          {mayRun && (
            <button className="btn first" type="button" onClick={start}>
              <Icon name="plus" />
              New run <kbd>N</kbd>
            </button>
          )}
        </div>
      </div>
      <div className={css.tabs}>
        <nav className={css.places} aria-label="Flow">
          {placesOf(flow, seen).map(([label, href, count]) => (
            <Link key={label} href={href} aria-current={label === "Overview" ? "page" : undefined}>
              {label} {count !== undefined && <b>{count.toLocaleString("en-US")}</b>}
            </Link>
          ))}
        </nav>
        <span className="grow" />
        <div className="bar" role="group" aria-label="Range">
          {SPANS.map(([name, label]) => (
            <button
              key={name}
              className="chip"
              type="button"
              aria-pressed={name === span}
              onClick={() => goQuery({ span: name === "day" ? name : undefined })}
            >
              {label}
            </button>
          ))}
        </div>
      </div>
      <AskedView what="the numbers of this flow" of={asked}>
        {(value) => (isQuiet(value) ? <NoRun api={api} flow={flow} seen={value} /> : <FlowBody api={api} flow={flow} seen={value} />)}
      </AskedView>
      {query.get("new") !== null && (
        <Opened title="New run" onClose={() => goQuery({ new: undefined, flow: undefined })}>
          <NewRun api={api} onClose={() => goQuery({ new: undefined, flow: undefined })} />
        </Opened>
      )}
    </main>
  )
}

const SPANS = [
  ["day", "24 h"],
  ["weeks", "14 days"],
] as const satisfies readonly (readonly [DaySpan, string])[]

function placesOf(
  flow: string,
  seen: FlowSeen | undefined,
): readonly (readonly [label: string, href: string, count?: number | undefined])[] {
  const at = addressOf("flows", flow)
  return [
    ["Overview", addressOf("flows", flow, "overview")],
    ["Runs", runsOf(flow), seen?.measures.total.began],
    ["Failures", `${addressOf("runs", "failures")}?flow=${encodeURIComponent(flow)}`, seen?.failures],
    ["Edit", at],
    ["Tests", `${at}?tab=tests`, seen?.tests],
    ["Revisions", `${at}?tab=revisions`, seen?.revisions.length],
  ]
}

const isQuiet = ({ measures: { total } }: FlowSeen): boolean =>
  total.began + [total.runs, total.children].reduce((sum, one) => sum + one.succeeded + one.failed + one.canceled, 0) === 0

function NoRun({ api, flow, seen }: { readonly api: Api; readonly flow: string; readonly seen: FlowSeen }) {
  const block = seen.graph?.start.block
  return (
    <>
      <section className={classes("panel", css.none)} aria-label="No runs">
        <h2>No run of {flow} in this time</h2>
        <p className="mid">Time, cost and steps appear here once it has run. Rehearse it first: no model is asked and nothing leaves.</p>
        <p className="bar">
          <Link className="btn first" href={addressOf("flows", flow)}>
            Rehearse
          </Link>
          <Link className="btn" href={addressOf("settings", "hooks")}>
            Add a hook
          </Link>
          <Link className="btn" href={addressOf("settings", "schedules")}>
            Add a schedule
          </Link>
        </p>
      </section>
      {block && (
        <div className={css.under}>
          <HowRunsStart api={api} flow={flow} block={block} />
        </div>
      )}
    </>
  )
}
