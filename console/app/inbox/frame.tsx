// What is decided, with the facts beside it and the buttons at its foot. O opens the run, J and K go through the list.

import { useEffect, useRef, type ReactNode, type RefObject } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { go } from "../shell/place.ts"
import { classes } from "../parts/classes.ts"
import css from "./inbox.module.css"

export interface Around {
  readonly at: number
  readonly of: number
  readonly previous: string | undefined
  readonly next: string | undefined
  /** Of the page: what leads back to the list on a small screen, what is before the content, and what is behind the buttons. */
  readonly back?: ReactNode
  readonly above?: ReactNode
  readonly more?: ReactNode
}

interface Props {
  readonly mark: ReactNode
  readonly around: Around
  /** The address of its run. */
  readonly run: string | undefined
  readonly title: ReactNode
  readonly sub?: string | undefined
  readonly side: ReactNode
  readonly foot?: RefObject<HTMLElement | null> | undefined
  readonly acts: ReactNode
  /** A key was pressed before this was on the screen long enough. */
  readonly isEarly?: boolean
  readonly children: ReactNode
}

export function Frame({ mark, around, run, title, sub, side, foot, acts, isEarly = false, children }: Props) {
  const head = useRef<HTMLHeadingElement>(null)
  // After a decision the next question is where the reader is.
  useEffect(() => {
    if (document.activeElement === null || document.activeElement === document.body) head.current?.focus({ preventScroll: true })
  }, [])
  const { previous, next } = around
  useKeys("deciding", { open: run === undefined ? undefined : () => go(run) })
  useKeys("list", {
    next: next === undefined ? undefined : () => go(next, "replace"),
    previous: previous === undefined ? undefined : () => go(previous, "replace"),
  })
  return (
    <article className={classes("panel", css.one)} aria-labelledby="ask-title">
      <header className={css.oneH}>
        <div className="bar">
          {around.back}
          {mark}
          <span className="grow" />
          {around.at >= 0 && (
            <span className="dim nowrap">
              {around.at + 1} of {around.of}
            </span>
          )}
          <Step address={previous} label="Previous" icon="left" />
          <Step address={next} label="Next" icon="right" />
        </div>
        <h2 id="ask-title" ref={head} tabIndex={-1}>
          {title}
        </h2>
        {sub !== undefined && sub !== "" && (
          <p className="mid words" dir="auto">
            {visible(sub)}
          </p>
        )}
      </header>
      <div className={css.cols}>
        <div className={css.stack}>
          {around.above}
          {children}
        </div>
        <aside className={classes(css.stack, css.side)} aria-label="About it">
          {side}
        </aside>
      </div>
      <footer className={css.acts} ref={foot}>
        {acts}
        <div className={css.up}>{around.more}</div>
        <p className={css.early} role="status">
          {isEarly && "This has just opened. Read it, then press the key again."}
        </p>
      </footer>
    </article>
  )
}

function Step({ address, label, icon }: { readonly address: string | undefined; readonly label: string; readonly icon: "left" | "right" }) {
  if (address === undefined)
    return (
      <button className="btn bare square" type="button" aria-disabled aria-label={label}>
        <Icon name={icon} />
      </button>
    )
  return (
    <Link className="btn bare square" href={address} aria-label={label} title={label}>
      <Icon name={icon} />
    </Link>
  )
}
