// Shows a scorer: what it says, by which version, and its file.

import { useEffect, useState } from "react"
import type { ScorerRow } from "../../../../src/api/doc/quality.doc.ts"
import { Scorers } from "../../../../src/client/scorers.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { KIND_WORDS } from "../../../../web/quality/scorer-words.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { AskOnce } from "../../settings/parts/ask-once.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf, go } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { titled } from "../../shell/title.ts"
import { QualityTabs } from "../quality-tabs.tsx"
import { ByDay } from "./by-day.tsx"
import { ScorerFile } from "./scorer-file.tsx"
import { Trust } from "./trust.tsx"
import css from "../quality.module.css"

export function ScorerPage({ api, name }: { readonly api: Api; readonly name: string }) {
  const scorers = useAsked(["catalog", "scorers"], () => new Scorers(api.transport).list().all())
  const [isDeleting, setDeleting] = useState(false)
  const mayWrite = api.who.scopes.includes("catalog:write")
  useEffect(() => titled(`${name} · Scorers`), [name])
  return (
    <main id="main" className="page">
      <QualityTabs api={api} tab="scorers" />
      <AskedView what="the scorer" of={scorers}>
        {(rows) => {
          const row = rows.find((one) => one.name === name)
          if (!row)
            return (
              <section className="panel empty-state">
                <h2>There is no scorer “{visible(name)}”</h2>
                <p className="mid">It was deleted, or its file has an error.</p>
                <Link className="btn" href={addressOf("quality", "scorers")}>
                  All scorers
                </Link>
              </section>
            )
          const { kind, description, version, levels, tier } = row
          return (
            <>
              <div className={css.oneHead}>
                <p className="bar">
                  <Link className="link" href={addressOf("quality", "scorers")}>
                    Scorers
                  </Link>
                  <span className="dim">/</span>
                  <b>{name}</b>
                  <span className="tag">{KIND_WORDS[kind]}</span>
                  <span className="dim mono small">version {version}</span>
                  <span className="grow" />
                  {mayWrite && tier === "local" && (
                    <button className="btn danger" type="button" onClick={() => setDeleting(true)}>
                      Delete
                    </button>
                  )}
                </p>
                <p className="mid">{visible(description)}</p>
              </div>
              <ByDay api={api} name={name} />
              <div className={css.two}>
                {tier === "built-in" ? (
                  <section className="panel empty-state">
                    <h2>This scorer is built in</h2>
                    <p className="mid">It has no file. A scorer of yours with the same name takes its place.</p>
                  </section>
                ) : (
                  <ScorerFile api={api} name={name} mayWrite={mayWrite && tier === "local"} />
                )}
                {levels !== undefined && (
                  <div className={css.beside}>
                    <Trust api={api} name={name} />
                    <Levels levels={levels} />
                  </div>
                )}
              </div>
            </>
          )
        }}
      </AskedView>
      {isDeleting && (
        <AskOnce
          title={`Delete the scorer “${visible(name)}”?`}
          act="Delete the scorer"
          onClose={() => setDeleting(false)}
          send={async () => {
            await api.catalog.remove("scorer", name)
            go(addressOf("quality", "scorers"), "replace")
          }}
        >
          <p>The scores that it gave stay with their runs. Nothing is scored by it from now on.</p>
        </AskOnce>
      )}
    </main>
  )
}

function Levels({ levels }: { readonly levels: NonNullable<ScorerRow["levels"]> }) {
  return (
    <section className="panel" aria-labelledby="levels">
      <div className="panel-head">
        <h2 id="levels">Levels</h2>
        <span className="dim small">the judge chooses one</span>
      </div>
      <dl className={css.levels}>
        {levels.map(({ score, text }) => (
          <div key={score}>
            <dt className="num">{score}</dt>
            <dd>{visible(text)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
