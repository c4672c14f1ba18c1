// What every question has around it: what is asked and by whom, the facts beside it, and the buttons at its foot.

import { useEffect, useRef, type ReactNode, type RefObject } from "react"
import type { Asked } from "../../../src/api/doc/interactions.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { age, fullTime } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { useKeys } from "../shell/keys.ts"
import { go } from "../shell/place.ts"
import { kindOf, saidAs } from "./asking.ts"
import type { About } from "./use-about.ts"

export interface Around {
  readonly at: number
  readonly of: number
  readonly previous: string | undefined
  readonly next: string | undefined
}

interface Wish {
  readonly ask: Asked
  readonly about: About
  readonly around: Around
  readonly title: ReactNode
  readonly sub?: string | undefined
  /** More for the side, before its context. */
  readonly side?: ReactNode
  readonly foot?: RefObject<HTMLElement | null>
  readonly acts: ReactNode
  readonly children: ReactNode
}

export function AskFrame({ ask, about, around, title, sub, side, foot, acts, children }: Wish) {
  const { word } = kindOf(ask)
  const head = useRef<HTMLHeadingElement>(null)
  const run = ask.run === null ? undefined : addressOf("runs", ask.run)
  // After a decision the next question is where the reader is.
  useEffect(() => {
    if (document.activeElement === null || document.activeElement === document.body) head.current?.focus({ preventScroll: true })
  }, [])
  useKeys({
    ...(run === undefined ? {} : { o: () => go(run) }),
    ...(around.next === undefined ? {} : { j: () => go(around.next ?? "", "replace") }),
    ...(around.previous === undefined ? {} : { k: () => go(around.previous ?? "", "replace") }),
  })
  return (
    <article className="panel one" aria-labelledby="ask-title">
      <header className="one-h">
        <div className="bar">
          <span className="st waiting">
            <Icon name="waiting" kind="i-s waiting" />
            {word}
          </span>
          {ask.run !== null && ask.risk === "high" && <span className="tag error">high risk</span>}
          <span className="grow" />
          {around.at >= 0 && (
            <span className="dim nowrap">
              {around.at + 1} of {around.of}
            </span>
          )}
          <Step address={around.previous} label="Previous" icon="left" />
          <Step address={around.next} label="Next" icon="right" />
        </div>
        <h2 id="ask-title" ref={head} tabIndex={-1}>
          {title}
        </h2>
        {sub !== undefined && sub !== "" && <p className="mid words">{visible(sub)}</p>}
      </header>
      <div className="cols">
        <div className="stack">{children}</div>
        <aside className="stack side" aria-label="About this question">
          {side}
          <section>
            <h3>Context</h3>
            <dl className="kv ctx">
              <dt>Run</dt>
              <dd>
                {ask.run === null || run === undefined ? (
                  "asked outside a run"
                ) : (
                  <Link className="link" href={run}>
                    {ask.flow}
                  </Link>
                )}
              </dd>
              {ask.run !== null && (
                <>
                  <dt>Step</dt>
                  <dd>
                    {visible(ask.step)}
                    {passOf(about, ask.step)}
                  </dd>
                </>
              )}
              <dt>Asked</dt>
              <dd title={fullTime(ask.created)}>
                {new Date(ask.created).toLocaleTimeString()}, {ago(ask.created)}
              </dd>
              {ask.run !== null && ask.expires !== undefined && (
                <>
                  <dt>If nobody answers</dt>
                  <dd title={fullTime(ask.expires)}>
                    {assumed(ask.default)} on{" "}
                    {new Date(ask.expires).toLocaleString([], { weekday: "short", hour: "2-digit", minute: "2-digit" })}
                  </dd>
                </>
              )}
            </dl>
          </section>
          {about.before !== undefined && about.before.length > 0 && ask.run !== null && (
            <section>
              <h3>Before, in this run</h3>
              <ul className="whys">
                {about.before.map((one) => (
                  <li key={one.id}>
                    <Icon name={saidAs({ ...one, flow: ask.flow }).isNo ? "x" : "check"} kind="i-s dim" />
                    <span className="words">
                      {saidAs({ ...one, flow: ask.flow }).said}
                      {one.by === undefined ? "" : `, ${one.by}`}
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          )}
        </aside>
      </div>
      <footer className="acts" ref={foot}>
        {acts}
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

const passOf = ({ view }: About, step: string): string => {
  const pass = view?.steps[step]?.pass
  return pass === undefined || pass < 2 ? "" : `, pass ${pass}`
}

const ago = (created: string): string => {
  const words = age(Date.parse(created), Date.now())
  return words === "now" ? "just now" : `${words} ago`
}

function assumed(value: unknown): string {
  if (value === "reject" || value === undefined) return "refused"
  const commit = typeof value === "object" && value !== null && "commit" in value
  return commit ? "all discarded" : `${visible(value)} is taken`
}
