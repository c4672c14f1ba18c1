// Effects [K31–K35]: what staged runs kept, calls whose outcome nobody knows, and what can be taken back. The address names the one that is
// open: /console/inbox/effects/RUN, …/RUN/KEY and …/RUN/undo; `?view=all` is the table of all runs.

import { useEffect, useRef, useState } from "react"
import type { EffectShown } from "../../../src/api/doc/run/effects.doc.ts"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { titleOf } from "../../../web/inbox/ask.ts"
import { saidAs } from "../inbox/asking.ts"
import { InboxTabs } from "../inbox/inbox-tabs.tsx"
import { decideAsk, resolveEffect, useWaiting } from "../inbox/asks.ts"
import { SMALL } from "../parts/use-media.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go, goQuery, useQuery } from "../shell/place.ts"
import type { PlaceProps } from "../shell/place-props.ts"
import { titled } from "../shell/title.ts"
import { Commit } from "./commit.tsx"
import { OpenList, UNDO, type OpenEntry } from "./open-list.tsx"
import { OpenTable } from "./open-table.tsx"
import { Uncertain } from "./uncertain.tsx"
import { Undo } from "./undo.tsx"
import { useUndoable } from "./use-undoable.ts"
import { classes } from "../parts/classes.ts"
import css from "../inbox/inbox.module.css"
import fxCss from "./effects.module.css"

export function EffectsPage({ api, rest: [run, key] }: PlaceProps) {
  const waiting = useWaiting(api)
  const { asks, effects } = waiting
  const isAll = useQuery().get("view") === "all"
  const undoable = useUndoable(api)
  const entries: OpenEntry[] = [
    ...(asks ?? []).flatMap((ask): OpenEntry[] =>
      ask.run !== null && ask.kind === "effects" ? [{ kind: "commit", run: ask.run, ask }] : [],
    ),
    ...effects.flatMap((effect): OpenEntry[] => (effect.state === "uncertain" ? [{ kind: "uncertain", run: effect.run, effect }] : [])),
    ...undoable.map((row): OpenEntry => ({ kind: "undo", run: row.run, row })),
  ]
  const [said, setSaid] = useState("")
  const first = entries[0]
  useEffect(() => {
    if (run === undefined && !isAll && first !== undefined && !matchMedia(SMALL).matches) go(entryAddress(first), "replace")
  }, [run, isAll, first])
  useEffect(() => titled("Effects · Inbox"), [])
  useKeys("effects", { all: () => goQuery({ view: isAll ? undefined : "all" }, "push") })
  const at = entries.findIndex((entry) => run !== undefined && entryAddress(entry) === addressAt(run, key))
  const around = {
    at,
    of: entries.length,
    previous: addressOfEntry(entries[at - 1]),
    next: at < 0 ? undefined : addressOfEntry(entries[at + 1]),
  }
  // What another person has decided stays until the reader goes on.
  const last = useRef<OpenEntry | undefined>(undefined)
  if (at >= 0) last.current = entries[at]
  const before = last.current
  const open = at >= 0 ? entries[at] : run !== undefined && before && entryAddress(before) === addressAt(run, key) ? before : undefined
  const onward = (words: string): void => {
    setSaid(words)
    go(around.next ?? around.previous ?? addressOf("inbox", "effects"), "replace")
  }
  const decided = (ask: Asked, isMine: boolean): void => {
    decideAsk({ ask, at: isMine ? Date.now() : undefined })
    onward(isMine ? `${saidAs(ask).said}.` : `Someone answered first: ${titleOf(ask)}.`)
  }
  const resolved = (effect: EffectShown): void => {
    resolveEffect(effect)
    onward(`${effect.tool}: ${effect.state}.`)
  }
  const isEmpty = asks !== undefined && entries.length === 0 && run === undefined
  return (
    <main id="main" className={classes("page", css.inbox)} data-pane={run === undefined && !isAll ? "list" : undefined}>
      <InboxTabs api={api} waiting={waiting} tab="effects">
        <button className="btn" type="button" aria-pressed={isAll} onClick={() => goQuery({ view: isAll ? undefined : "all" }, "push")}>
          All open <kbd>V</kbd>
        </button>
      </InboxTabs>
      <p className="vh" role="status">
        {said}
      </p>
      {isAll ? (
        <OpenTable effects={effects} asks={asks ?? []} />
      ) : (
        <>
          {run !== undefined && (
            <Link className={classes("btn bare", css.back)} href={addressOf("inbox", "effects")}>
              <Icon name="left" kind="i-s" />
              Effects
            </Link>
          )}
          {!isEmpty && <OpenList entries={entries} open={open} fault={waiting.fault} said={said} />}
          {open?.kind === "commit" && (
            <Commit key={`${open.run} ${open.ask.id}`} api={api} ask={open.ask} around={around} onDecided={decided} />
          )}
          {open?.kind === "uncertain" && (
            <Uncertain key={`${open.run} ${open.effect.key}`} api={api} effect={open.effect} around={around} onResolved={resolved} />
          )}
          {run !== undefined && key === UNDO && <Undo key={run} api={api} run={run} around={around} />}
          {open === undefined && key !== UNDO && <Nothing isEmpty={isEmpty} isNamed={run !== undefined} />}
        </>
      )}
    </main>
  )
}

const addressAt = (run: string, key: string | undefined): string => addressOf("inbox", "effects", run, ...(key === undefined ? [] : [key]))
export function entryAddress(entry: OpenEntry): string {
  return addressAt(entry.run, entry.kind === "commit" ? undefined : entry.kind === "undo" ? UNDO : entry.effect.key)
}
const addressOfEntry = (entry: OpenEntry | undefined): string | undefined => entry && entryAddress(entry)

function Nothing({ isEmpty, isNamed }: { readonly isEmpty: boolean; readonly isNamed: boolean }) {
  if (!isEmpty && !isNamed) return <section className={classes("panel", css.one, "empty-state")} aria-busy="true" />
  return (
    <section className={classes("panel", isEmpty ? fxCss.all : css.one, "empty-state")}>
      <h2>{isNamed ? "This is decided" : "Nothing is open"}</h2>
      <p className="mid">Held effects come here to be committed or discarded, and calls whose answer was lost, to be settled.</p>
    </section>
  )
}
