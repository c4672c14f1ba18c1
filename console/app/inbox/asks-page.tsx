// What waits for a person, and beside it the one that is open. The address names it: /console/inbox/RUN/QUESTION.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { nameOf, titleOf } from "../../../web/inbox/ask.ts"
import { alikeTo } from "../../../web/inbox/ask-groups.ts"
import { useAsked } from "../parts/asked.ts"
import { fullTime } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf, go, useQuery } from "../shell/place.ts"
import type { PlaceProps } from "../shell/place-props.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { useAnswered } from "./answered.ts"
import { AskDetail, readAsk } from "./ask-detail.tsx"
import { AskList, askAddress } from "./ask-list.tsx"
import { AlikeBanner } from "./alike/alike-banner.tsx"
import { AlikeDialog } from "./alike/alike-dialog.tsx"
import { saidAs } from "./asking.ts"
import { InboxTabs } from "./inbox-tabs.tsx"
import { decideAsk, isSame, useWaiting } from "./asks.ts"
import { SignalDetail } from "./signals/signal-detail.tsx"
import { SIGNAL, signalAddress } from "./signals/signal-rows.tsx"
import { useSignals } from "./signals/signals.ts"
import { SnoozeMenu } from "./snooze/snooze-menu.tsx"
import { snooze } from "./snooze/snoozed.ts"
import { useInboxRows } from "./use-inbox-rows.ts"
import { classes } from "../parts/classes.ts"
import css from "./inbox.module.css"

const isWide = (): boolean => matchMedia("(min-width: 768px)").matches

export function AsksPage({ api, rest: [run, id] }: PlaceProps) {
  const waiting = useWaiting(api)
  const { asks } = waiting
  const shown = useInboxRows(asks, api.who.by)
  const { order } = shown
  const signals = useSignals(api)
  const answered = useAnswered(api, waiting.decided)
  const search = useQuery()
  const suffix = search.size === 0 ? "" : `?${search.toString()}`
  const awaited = run === SIGNAL ? signals.find(({ row }) => row.id === id) : undefined
  const named = run === undefined || id === undefined || run === SIGNAL ? undefined : { run: run === "asked" ? null : run, id }
  const listed = named && asks?.find((ask) => ask.run === named.run && ask.id === named.id)
  const last = useRef<Asked | undefined>(undefined)
  if (listed) last.current = listed
  const before = last.current
  const kept = named && before?.run === named.run && before.id === named.id ? before : undefined
  const found = useAsk(api, asks !== undefined && listed === undefined && kept === undefined ? named : undefined)
  const open = listed ?? kept ?? found.ask
  const [said, setSaid] = useState("")
  const [alike, setAlike] = useState<readonly Asked[]>()
  const first = order[0]
  useEffect(() => {
    if (run === undefined && first !== undefined && isWide()) go(askAddress(first) + suffix, "replace")
  }, [run, first, suffix])
  useEffect(() => titled(open === undefined ? "Inbox" : `${titleOf(open)} · Inbox`), [open])
  const addresses = useMemo(
    () => [...order.map((ask) => askAddress(ask) + suffix), ...signals.map(({ row }) => signalAddress(row.id))],
    [order, signals, suffix],
  )
  const at =
    awaited === undefined ? order.findIndex((ask) => open !== undefined && isSame(ask, open)) : order.length + signals.indexOf(awaited)
  // Counted as the two heads of the list count.
  const counted = awaited === undefined ? { at, of: order.length } : { at: at - order.length, of: signals.length }
  const place = { ...counted, previous: addresses[at - 1], next: addresses[at + 1] }
  // On a small screen what is open has the page to itself, and begins at its top.
  useLayoutEffect(() => {
    if (id !== undefined && !isWide()) scrollTo(0, 0)
  }, [id])
  const decided = (ask: Asked, isMine: boolean): void => {
    decideAsk({ ask, at: isMine ? Date.now() : undefined })
    if (!isMine) return
    setSaid(`${saidAs(ask).said}.`)
    go(place.next ?? place.previous ?? addressOf("inbox") + suffix, "replace")
  }
  const decidedAlike = (ask: Asked, isMine: boolean): void => decideAsk({ ask, at: isMine ? Date.now() : undefined })
  const closeAlike = (): void => {
    setAlike(undefined)
    // What was open may be decided.
    if (listed === undefined) go(first === undefined ? addressOf("inbox") + suffix : askAddress(first) + suffix, "replace")
  }
  const others = listed === undefined ? [] : alikeTo(listed, order)
  const snoozes = (ask: Asked) => (
    <SnoozeMenu
      ask={ask}
      isSnoozed={shown.isSnoozedShown}
      onSnooze={(until) => {
        snooze(api.who.by, ask, until)
        setSaid(until === undefined ? "Back in the inbox." : `Snoozed until ${fullTime(until)}.`)
        go(place.next ?? place.previous ?? addressOf("inbox") + suffix, "replace")
      }}
    />
  )
  const back = (
    <Link className={classes("btn bare", css.back)} href={addressOf("inbox") + suffix}>
      <Icon name="left" kind="i-s" />
      Inbox
    </Link>
  )
  const around = {
    ...place,
    back,
    above: others.length > 0 && <AlikeBanner asks={others} onAnswer={() => setAlike(others)} />,
    more: listed !== undefined && snoozes(listed),
  }
  return (
    <main id="main" className={classes("page", css.inbox)} data-pane={run === undefined ? "list" : undefined}>
      <InboxTabs api={api} waiting={waiting} tab="asks">
        {(shown.snoozed > 0 || shown.isSnoozedShown) && (
          <button
            className="chip"
            type="button"
            aria-pressed={shown.isSnoozedShown}
            onClick={() => go(`${addressOf("inbox")}${shown.isSnoozedShown ? "" : "?show=snoozed"}`)}
          >
            Snoozed <b>{shown.snoozed}</b>
          </button>
        )}
      </InboxTabs>
      <p className="vh" role="status" data-said>
        {said}
      </p>
      <AskList
        waiting={waiting}
        shown={shown}
        answered={answered}
        signals={signals}
        open={open}
        openSignal={awaited?.row.id}
        onAlike={setAlike}
      />
      {awaited !== undefined ? (
        <SignalDetail key={awaited.row.id} api={api} awaited={awaited} around={{ ...place, back }} />
      ) : open !== undefined ? (
        <AskDetail
          key={nameOf(open)}
          api={api}
          ask={open}
          around={around}
          isGone={asks !== undefined && listed === undefined}
          onDecided={decided}
        />
      ) : (
        <Nothing isEmpty={asks !== undefined && order.length === 0 && named === undefined} snoozed={shown.snoozed} fault={found.fault} />
      )}
      {alike !== undefined && <AlikeDialog api={api} asks={alike} onDecided={decidedAlike} onClose={closeAlike} />}
    </main>
  )
}

interface NothingProps {
  readonly isEmpty: boolean
  readonly snoozed: number
  readonly fault: string | undefined
}

function Nothing({ isEmpty, snoozed, fault }: NothingProps) {
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
      {snoozed > 0 && (
        <Link className="btn" href={`${addressOf("inbox")}?show=snoozed`}>
          Show {snoozed} snoozed
        </Link>
      )}
    </section>
  )
}

/** An ask of an address that the list does not have. */
function useAsk(
  api: Api,
  named: { readonly run: string | null; readonly id: string } | undefined,
): { readonly ask: Asked | undefined; readonly fault: string | undefined } {
  const name = named && nameOf(named)
  const { value, fault } = useAsked(["once", "ask", name], async () => (named === undefined ? undefined : await readAsk(api, named)))
  const isIt = value !== undefined && nameOf(value) === name
  return { ask: isIt ? value : undefined, fault: isIt || named === undefined ? undefined : fault }
}
