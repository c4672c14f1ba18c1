// What `npm start` opens on an empty data folder: three runs to act on, a place to drop a folder, and where to go from there.

import { useEffect, useState } from "react"
import { FaultLine } from "../inbox/fault-line.tsx"
import { CopyButton } from "../parts/copy-button.tsx"
import { DropZone } from "../connect/drop-zone.tsx"
import { faultOf } from "../parts/fault.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { Icon, type IconName } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf, go } from "../shell/place.ts"
import { FIRST_PLACE } from "../shell/place-keys.ts"
import { PLACES } from "../shell/places.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { AskingCard, FailingCard, PlainCard } from "./cards.tsx"
import { beginFirstSteps } from "./first-steps.ts"
import { hideFirstRun, useFirstRun, type FirstRun } from "./use-first-run.ts"
import css from "./first-run.module.css"

const NUMBERS = ["No run is", "One run is", "Two runs are", "Three runs are"]

export function FirstRunPage({ api }: { readonly api: Api }) {
  const { found, fault, again } = useFirstRun(api)
  const [refused, setRefused] = useState<string>()
  const isOver = found?.is === "over" || (found === undefined && fault !== undefined)
  useEffect(() => {
    // The list of runs says what is wrong with the server, with a way out.
    if (isOver) go(addressOf(FIRST_PLACE), "replace")
  }, [isOver])
  useEffect(() => titled("First run"), [])
  if (found?.is !== "shown")
    return (
      <main id="main" aria-busy="true">
        <div className={css.fr}>
          <Skeleton words="Loading." />
        </div>
      </main>
    )
  const { first } = found
  const hide = (): void => {
    hideFirstRun(api).then(
      () => go(addressOf(FIRST_PLACE), "replace"),
      (error: unknown) => setRefused(faultOf(error)),
    )
  }
  const count = [first.failing, first.asking, first.ending].filter((one) => one !== undefined).length
  return (
    <main id="main">
      <div className={css.fr}>
        <header className={css.frH}>
          <div className="grow">
            <h1>Sluice runs flows of agents. Every run is a journal that you can pause, fork and prove.</h1>
            <p className="mid">{NUMBERS[count]} here already, made with recorded replies: no key, no account, all of it on your machine.</p>
          </div>
          <button className="btn bare" type="button" onClick={hide}>
            Hide this page
          </button>
        </header>
        <FaultLine fault={refused ?? fault} />
        <section className={css.fr3} aria-label="The first runs">
          <Cards api={api} first={first} again={again} />
        </section>
        <section className={css.fr2}>
          <DropZone isTall onFiles={() => go(addressOf("settings", "connect"))}>
            <Link className="btn" href={`${addressOf("settings", "connect")}?tab=mcp`}>
              MCP server
            </Link>
            <Link className="btn" href={`${addressOf("settings", "connect")}?tab=openapi`}>
              OpenAPI document
            </Link>
          </DropZone>
          <Then />
        </section>
        <p className="dim small">
          Your data is in the folder shown in the terminal.{" "}
          <Link className="link" href={addressOf("runs")}>
            All runs
          </Link>
        </p>
      </div>
    </main>
  )
}

interface CardsProps {
  readonly api: Api
  readonly first: FirstRun
  again(): void
}

function Cards({ api, first: { failing, asking, ending, ask, fork, refused }, again }: CardsProps) {
  useEffect(() => beginFirstSteps(), [])
  // What is not done yet comes next, and has the emphasis.
  const next = failing && fork === undefined ? 1 : asking && ask ? 2 : 3
  return (
    <>
      {failing &&
        (failing.row.status === "failed" ? <FailingCard api={api} told={failing} fork={fork} /> : <PlainCard told={failing} nth={1} />)}
      {asking &&
        (ask ? (
          <AskingCard api={api} told={asking} ask={ask} isNext={next === 2} onDecided={again} />
        ) : (
          <PlainCard told={asking} nth={2} />
        ))}
      {ending && <PlainCard told={ending} nth={3} refused={refused} isNext={next === 3} />}
    </>
  )
}

interface Next {
  readonly icon: IconName
  readonly what: string
  readonly note: string
  readonly verb: string
  readonly to: readonly [string, ...string[]]
}

const SHELL = 'npm run sluice -- run triage --rehearse --task "Search forgets my query."'

const NEXT: readonly Next[] = [
  { icon: "lock", what: "Add a model key", note: "or point at a local model", verb: "Add", to: ["settings", "providers"] },
  { icon: "edit", what: "Write a flow", note: "in the editor, or describe it to the architect", verb: "New flow", to: ["flows"] },
]

function Then() {
  const places = new Set<string>(PLACES.map(({ name }) => name))
  return (
    <section className="panel" aria-label="Then">
      <div className="panel-head">
        <h2>Then</h2>
        <span className="dim">in any order</span>
      </div>
      <ul className={css.next}>
        {NEXT.filter(({ to }) => places.has(to[0])).map(({ icon, what, note, verb, to }) => (
          <li key={what}>
            <Icon name={icon} kind="i dim" />
            <span>
              <b>{what}</b> <span className="dim">{note}</span>
            </span>
            <Link className="btn" href={addressOf(...to)}>
              {verb}
            </Link>
          </li>
        ))}
        <li>
          <Icon name="term" kind="i dim" />
          <b>From your shell</b>
          <CopyButton text={() => SHELL} label="Copy" title="Copy the line" />
          <pre className="code" tabIndex={0}>
            {SHELL}
          </pre>
        </li>
      </ul>
    </section>
  )
}
