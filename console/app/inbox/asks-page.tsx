// What waits for a person, and beside it the one that is open. The address names it: /console/inbox/RUN/QUESTION.

import { useEffect, useRef, useState } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { faultOf } from "../parts/fault.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { PlaceProps } from "../shell/place-props.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { useAnswered } from "./answered.ts"
import { AskDetail, readAsk } from "./ask-detail.tsx"
import { AskList, askAddress } from "./ask-list.tsx"
import { saidAs, titleOf } from "./asking.ts"
import { InboxTabs } from "./inbox-tabs.tsx"
import { decideAsk, useWaiting } from "./asks.ts"
import { classes } from "../parts/classes.ts"
import css from "./inbox.module.css"

const isWide = (): boolean => matchMedia("(min-width: 768px)").matches

export function AsksPage({ api, rest: [run, id] }: PlaceProps) {
  const waiting = useWaiting(api)
  const { asks } = waiting
  const answered = useAnswered(api, waiting.decided)
  const named = run === undefined || id === undefined ? undefined : { run: run === "asked" ? null : run, id }
  const listed = named && asks?.find((ask) => ask.run === named.run && ask.id === named.id)
  const last = useRef<Asked | undefined>(undefined)
  if (listed) last.current = listed
  const before = last.current
  const kept = named && before?.run === named.run && before.id === named.id ? before : undefined
  const found = useAsk(api, asks !== undefined && listed === undefined && kept === undefined ? named : undefined)
  const open = listed ?? kept ?? found.ask
  const [said, setSaid] = useState("")
  const first = asks?.[0]
  useEffect(() => {
    if (named === undefined && first !== undefined && isWide()) go(askAddress(first), "replace")
  }, [named, first])
  useEffect(() => titled(open === undefined ? "Inbox" : `${titleOf(open)} · Inbox`), [open])
  const at = open && asks ? asks.findIndex((ask) => ask.run === open.run && ask.id === open.id) : -1
  const addressAt = (place: number): string | undefined => {
    const ask = asks?.[place]
    return ask && askAddress(ask)
  }
  const around = { at, of: asks?.length ?? 0, previous: addressAt(at - 1), next: addressAt(at + 1) }
  // On a small screen what is open has the page to itself, and begins at its top.
  useEffect(() => {
    if (id !== undefined && !isWide()) scrollTo(0, 0)
  }, [id])
  const decided = (ask: Asked, isMine: boolean): void => {
    decideAsk({ ask, at: isMine ? Date.now() : undefined })
    if (!isMine) return
    setSaid(`${saidAs(ask).said}.`)
    go(around.next ?? around.previous ?? addressOf("inbox"), "replace")
  }
  return (
    <main id="main" className={classes("page", css.inbox)} data-pane={named === undefined ? "list" : undefined}>
      <InboxTabs waiting={waiting} tab="asks" />
      <p className="vh" role="status">
        {said}
      </p>
      {named !== undefined && (
        <Link className={classes("btn bare", css.back)} href={addressOf("inbox")}>
          <Icon name="left" kind="i-s" />
          Inbox
        </Link>
      )}
      <AskList waiting={waiting} answered={answered} open={open} />
      {open !== undefined ? (
        <AskDetail
          key={`${open.run} ${open.id}`}
          api={api}
          ask={open}
          around={around}
          isGone={asks !== undefined && listed === undefined}
          onDecided={decided}
        />
      ) : (
        <Nothing isEmpty={asks?.length === 0 && named === undefined} fault={found.fault} />
      )}
    </main>
  )
}

function Nothing({ isEmpty, fault }: { readonly isEmpty: boolean; readonly fault: string | undefined }) {
  if (fault !== undefined)
    return (
      <section className={classes("panel", css.one, "empty-state")} role="alert">
        <p>{fault}</p>
        <Link className="btn" href={addressOf("inbox")}>
          Show what waits
        </Link>
      </section>
    )
  if (!isEmpty) return <section className={classes("panel", css.one, "empty-state")} aria-busy="true" />
  return (
    <section className={classes("panel", css.one, "empty-state")}>
      <h2>Nothing waits for you</h2>
      <p className="mid">Questions of agents, calls that need an approval and used-up budgets come here, from every run.</p>
    </section>
  )
}

/** A question of an address that the list does not have. */
function useAsk(
  api: Api,
  named: { readonly run: string | null; readonly id: string } | undefined,
): { readonly ask: Asked | undefined; readonly fault: string | undefined } {
  const [state, setState] = useState<{ readonly of?: string; readonly ask?: Asked; readonly fault?: string }>({})
  const name = named && `${named.run} ${named.id}`
  const { run, id } = named ?? {}
  useEffect(() => {
    if (name === undefined || run === undefined || id === undefined) return
    let isOver = false
    readAsk(api, { run, id })
      .then((ask) => !isOver && setState({ of: name, ask }))
      .catch((error: unknown) => !isOver && setState({ of: name, fault: faultOf(error) }))
    return () => {
      isOver = true
    }
  }, [api, name, run, id])
  return state.of === name ? { ask: state.ask, fault: state.fault } : { ask: undefined, fault: undefined }
}
