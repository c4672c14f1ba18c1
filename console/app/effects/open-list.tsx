// What is open of effects, and below it the runs that did something that can be taken back.

import { useRef } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import type { EffectShown } from "../../../src/api/doc/run/effects.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { titleOf } from "../../../web/inbox/ask.ts"
import { age, counted, fullTime } from "../parts/figures.ts"
import { useChosenInView } from "../parts/use-chosen-in-view.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { UndoableRun } from "./use-undoable.ts"
import { classes } from "../parts/classes.ts"
import inboxCss from "../inbox/inbox.module.css"
import css from "./effects.module.css"

/** The end of an address for taking back; a key has a slash. */
export const UNDO = "undo"

export type OpenEntry =
  | { readonly kind: "commit"; readonly run: string; readonly ask: Asked }
  | { readonly kind: "uncertain"; readonly run: string; readonly effect: EffectShown }
  | { readonly kind: "undo"; readonly run: string; readonly row: UndoableRun }

interface Props {
  readonly entries: readonly OpenEntry[]
  readonly open: OpenEntry | undefined
  readonly fault: string | undefined
  readonly said: string
}

export function OpenList({ entries, open, fault, said }: Props) {
  const now = Date.now()
  const list = useRef<HTMLElement>(null)
  useChosenInView(list, open && lineOf(open).address)
  const waiting = entries.filter(({ kind }) => kind !== "undo")
  const done = entries.filter(({ kind }) => kind === "undo")
  const row = (entry: OpenEntry) => {
    const { address, icon, kind, title, when, sub, tag } = lineOf(entry)
    return (
      <li key={address}>
        <Link
          className={entry === open ? classes(inboxCss.it, inboxCss.on) : inboxCss.it}
          href={address}
          aria-current={entry === open ? "true" : undefined}
        >
          <Icon name={icon} kind={`i ${kind}`} />
          <b className="cut">{title}</b>
          <span className="num dim" title={fullTime(when)}>
            {age(Date.parse(when), now)}
          </span>
          <span className={classes("cut", inboxCss.sub)}>{sub}</span>
          {tag !== undefined && <span className="tag blocked">{tag}</span>}
        </Link>
      </li>
    )
  }
  return (
    <aside ref={list} className={classes("panel", inboxCss.inl)} aria-label="Open effects">
      <div className="panel-head">
        <h2>Open</h2>
        {waiting.length > 0 && <span className="count">{waiting.length}</span>}
        <span className="grow" />
        <span className="dim small">most urgent first</span>
      </div>
      {fault !== undefined && (
        <p className="note error" role="status">
          <span>{fault} This list may be out of date; trying again.</span>
        </p>
      )}
      {waiting.length === 0 && <p className={classes(css.none, "mid")}>Nothing waits to be committed or settled.</p>}
      <ul>{waiting.map(row)}</ul>
      {said !== "" && <p className={classes(css.none, "mid words")}>{visible(said)}</p>}
      {done.length > 0 && (
        <>
          <div className={classes("panel-head", inboxCss.lab)}>
            <h2>Can be undone</h2>
          </div>
          <ul>{done.map(row)}</ul>
        </>
      )}
    </aside>
  )
}

function lineOf(entry: OpenEntry) {
  switch (entry.kind) {
    case "commit":
      return {
        address: addressOf("inbox", "effects", entry.run),
        icon: "waiting" as const,
        kind: "waiting",
        title: titleOf(entry.ask),
        when: entry.ask.created,
        sub: entry.ask.run === null ? "" : entry.ask.flow,
        tag: undefined,
      }
    case "uncertain":
      return {
        address: addressOf("inbox", "effects", entry.run, entry.effect.key),
        icon: "help" as const,
        kind: "blocked",
        title: visible(entry.effect.tool),
        when: entry.effect.at,
        sub: `${visible(entry.effect.target)}, ${visible(entry.effect.step)}`,
        tag: "uncertain",
      }
    case "undo":
      return {
        address: addressOf("inbox", "effects", entry.run, UNDO),
        icon: "undo" as const,
        kind: "dim",
        title: `${counted(entry.row.count, "effect")} of ${entry.row.flow}`,
        when: entry.row.ended,
        sub: entry.row.status,
        tag: undefined,
      }
  }
}
