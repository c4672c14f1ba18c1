// The newest revisions: who changed what, and what became of the flow's runs since.

import type { Revision } from "../../../src/api/doc/catalog.doc.ts"
import { ACTIONS } from "../../../web/flow/revision-words.ts"
import type { ChangeEffect } from "../../../web/overview/changes.ts"
import { touchedBy } from "../../../web/overview/touched.ts"
import { classes } from "../parts/classes.ts"
import { fullTime, timeOfDay } from "../parts/figures.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import css from "./overview.module.css"
import type { Change } from "./use-overview.ts"

export type Told = Change & { readonly effect: ChangeEffect | undefined }

const LOOKS: Readonly<Record<ChangeEffect["kind"], string>> = { worse: "failed", better: "succeeded", same: "dim", few: "dim" }

export function WhatChanged({ changes, now }: { readonly changes: readonly Told[]; readonly now: number }) {
  return (
    <section className="panel" aria-labelledby="what-changed">
      <div className={css.head}>
        <h2 id="what-changed">What changed</h2>
        <span className="dim">7 days</span>
      </div>
      {changes.length === 0 && <p className={classes("mid", css.empty)}>Nothing changed in 7 days.</p>}
      <ul className={css.rows}>
        {changes.map(({ revision, flow, effect }) => (
          <li key={revision.revision}>
            <Link className={css.change} href={hrefOf(revision, flow)}>
              <span className="dim nowrap" title={fullTime(revision.at)}>
                {timeOfDay(Date.parse(revision.at), now)}
              </span>
              <span className={css.two}>
                <span className="cut">
                  <b>{nameOf(revision)}</b> <span className="dim">r{revision.revision}</span>
                </span>
                <span className="dim cut">{changeWords(revision)}</span>
              </span>
              <span className={classes("nowrap", effect && css.effect, effect && LOOKS[effect.kind])}>{effect?.words}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function hrefOf({ revision, changes }: Revision, flow: string | undefined): string {
  if (flow !== undefined) return `${addressOf("flows", flow)}?tab=revisions&from=${revision - 1}&to=${revision}`
  const agent = touchedBy(changes).find(({ kind }) => kind === "agent")
  return agent ? addressOf("agents", agent.name) : addressOf("flows")
}

function nameOf({ changes, changed }: Revision): string {
  const names = touchedBy(changes)
  const [first] = names
  if (!first) return `${changed} files`
  return names.length === 1 ? first.name : `${first.name} and ${names.length - 1} more`
}

/** "Ana: rolled back to r11" */
export function changeWords({ action, by, target, forced }: Revision): string {
  const did = `${target === undefined ? (ACTIONS[action] ?? action) : `Rolled back to r${target}`}${forced ? ", past the gate" : ""}`
  return by === null ? did : `${by}: ${did.slice(0, 1).toLowerCase()}${did.slice(1)}`
}
