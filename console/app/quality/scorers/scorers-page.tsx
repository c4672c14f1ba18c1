// The scorers: what decides, what a high score means, and by whom each is brought.

import { useEffect, useRef, useState } from "react"
import type { ScorerRow } from "../../../../src/api/doc/quality.doc.ts"
import { Scorers } from "../../../../src/client/scorers.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { KIND_WORDS } from "../../../../web/quality/scorer-words.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { classes } from "../../parts/classes.ts"
import { useKeys } from "../../shell/keys.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { titled } from "../../shell/title.ts"
import { QualityTabs } from "../quality-tabs.tsx"
import { moveIn } from "../move-in.ts"
import { NewScorer } from "./new-scorer.tsx"
import { ScoringLine } from "./scoring-line.tsx"
import { TrustCell } from "./trust.tsx"
import css from "../quality.module.css"

export function ScorersPage({ api }: { readonly api: Api }) {
  const scorers = useAsked(["catalog", "scorers"], () => new Scorers(api.transport).list().all())
  const [isNew, setNew] = useState(false)
  const table = useRef<HTMLTableElement>(null)
  const mayWrite = api.who.scopes.includes("catalog:write")
  useEffect(() => titled("Scorers"), [])
  useKeys("list", {
    next: () => moveIn(table, 1),
    previous: () => moveIn(table, -1),
    new: () => (mayWrite ? setNew(true) : false),
  })
  return (
    <main id="main" className="page">
      <QualityTabs api={api} tab="scorers">
        <ScoringLine api={api} />
        <span className="grow" />
        {mayWrite && (
          <button className="btn first" type="button" onClick={() => setNew(true)}>
            New scorer <kbd>N</kbd>
          </button>
        )}
      </QualityTabs>
      <AskedView what="the scorers" of={scorers}>
        {(rows) => (
          <section className="panel" aria-label="Scorers">
            <table className={classes("tbl", css.list)} ref={table}>
              <thead>
                <tr>
                  <th scope="col">Scorer</th>
                  <th scope="col" className={css.wide}>
                    Levels
                  </th>
                  <th scope="col" className={classes(css.trust, css.wide)}>
                    Agrees with people, 0 to 1
                  </th>
                  <th scope="col" className={classes(css.wide, css.id)}>
                    Version
                  </th>
                </tr>
              </thead>
              <tbody>
                {inOrder(rows).map((row) => (
                  <Row key={row.name} api={api} row={row} />
                ))}
              </tbody>
            </table>
          </section>
        )}
      </AskedView>
      {isNew && <NewScorer api={api} onClose={() => setNew(false)} />}
    </main>
  )
}

const inOrder = (rows: readonly ScorerRow[]): readonly ScorerRow[] =>
  rows.toSorted((a, b) => Number(a.tier === "built-in") - Number(b.tier === "built-in") || (a.name < b.name ? -1 : 1))

interface RowProps {
  readonly api: Api
  readonly row: ScorerRow
}

function Row({ api, row: { name, kind, description, levels, version, tier } }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <Link className="link" href={addressOf("quality", "scorers", name)}>
          {name}
        </Link>{" "}
        <span className="tag">{KIND_WORDS[kind]}</span> {tier === "package" && <span className="tag">from a package</span>}
        <p className="mid">{visible(description)}</p>
      </th>
      <td className={classes("mid", css.wide)}>
        {levels === undefined ? "–" : levels.map(({ score, text }) => `${score}: ${visible(text)}`).join("; ")}
      </td>
      <td className={classes(css.trust, css.wide)}>
        {levels === undefined ? <span className="dim">–</span> : <TrustCell api={api} name={name} />}
      </td>
      <td className={classes("mono dim", css.wide)}>{version}</td>
    </tr>
  )
}
