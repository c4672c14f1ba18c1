// Says what starts the runs of a flow, each way with its share, and what holds its changes: tests and the gate.

import { percent } from "../../../web/overview/changes.ts"
import { triggerOf, type Row } from "../runs/row.ts"
import { CronWords } from "../parts/cron-words.tsx"
import { counted, shortTime } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import css from "./flow-overview.module.css"
import type { FlowSeen } from "./use-flow-overview.ts"

export function StartedBy({ seen: { triggers, hooks, schedules, measures } }: { readonly seen: FlowSeen }) {
  const { keys } = measures.total
  const all = triggers.reduce((sum, { count }) => sum + count, 0)
  const isNothing = hooks.length + schedules.length + keys.length + all === 0
  return (
    <section className="panel" aria-labelledby="started-by">
      <div className={css.head}>
        <h2 id="started-by">Started by</h2>
        <span className="grow" />
        <Link className="link" href={addressOf("settings", "hooks")}>
          Add
        </Link>
      </div>
      {isNothing && <p className={css.empty}>No hook, schedule or API key has started it in this time.</p>}
      {all > 0 && (
        <ul className={css.lines} aria-label="Share of each way">
          {triggers.map(({ key, count }) => {
            const { icon, words } = triggerOf({ trigger: { kind: key as Row["trigger"]["kind"] } })
            return (
              <li key={key} className={css.way}>
                <Icon name={icon} kind="i-s" />
                <span className={css.two}>
                  <span>{words}</span>
                  <span className={css.track} aria-hidden="true">
                    <i style={{ width: `${(count / all) * 100}%` }} />
                  </span>
                </span>
                <span className="num">
                  {percent(count / all)}% <span className="dim">{counted(count, "run")}</span>
                </span>
              </li>
            )
          })}
        </ul>
      )}
      <ul className={css.lines}>
        {hooks.map(({ id, name, kind, enabled, filter }) => (
          <li key={id} className={css.way}>
            <Icon name="bolt" kind="i-s" />
            <span className={css.two}>
              <b className="cut">{name ?? `${kind} hook`}</b>
              <span className="dim cut">{filter ?? "every delivery"}</span>
            </span>
            <span className="dim">{enabled ? "" : "off"}</span>
          </li>
        ))}
        {schedules.map(({ id, name, cron, next, enabled }) => (
          <li key={id} className={css.way}>
            <Icon name="clock" kind="i-s" />
            <span className={css.two}>
              <b className="cut">{name ?? <CronWords cron={cron} isAlone />}</b>
              <span className="dim cut">{next === null ? "does not run again" : `next ${shortTime(next)}`}</span>
            </span>
            <span className="dim">{enabled ? "" : "off"}</span>
          </li>
        ))}
        {keys.map(({ name, runs }) => (
          <li key={name} className={css.way}>
            <Icon name="person" kind="i-s" />
            <span className={css.two}>
              <b className="cut">{name}</b>
              <span className="dim cut">API key</span>
            </span>
            <span className="dim num">{counted(runs.succeeded + runs.failed + runs.canceled, "run")}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function TestsAndGate({ flow, seen: { tests, failingTests, revisions } }: { readonly flow: string; readonly seen: FlowSeen }) {
  const forced = revisions.find((one) => one.forced)
  return (
    <section className="panel" aria-labelledby="tests-and-gate">
      <div className={css.head}>
        <h2 id="tests-and-gate">Tests and gate</h2>
        <span className="grow" />
        <Link className="link" href={`${addressOf("flows", flow)}?tab=tests`}>
          Open
        </Link>
      </div>
      <ul className={css.lines}>
        <li className={css.way}>
          <Icon name="flask" kind="i-s" />
          <span className={css.two}>
            <b>{tests === undefined || tests === 0 ? "No tests" : counted(tests, "test")}</b>
            <span className="dim">
              {tests === undefined || tests === 0
                ? "Save a run as a test to hold what must not change."
                : failingTests === 0
                  ? "None failed in their last run."
                  : `${failingTests} failed in their last run.`}
            </span>
          </span>
          <Icon name={failingTests > 0 ? "failed" : "check"} kind="i-s" />
        </li>
        <li className={css.way}>
          <Icon name="shield" kind="i-s" />
          <span className={css.two}>
            <b>Gate</b>
            <span className="dim">
              {forced
                ? `r${forced.revision} bypassed the gate${forced.by === null ? "" : ` by ${forced.by}`}.`
                : "None of the revisions shown bypassed it."}
            </span>
          </span>
          {forced && <Icon name="warn" kind="i-s" />}
        </li>
      </ul>
    </section>
  )
}
