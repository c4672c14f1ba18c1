// A question with what stands beside it: where it comes from, until when it waits, and what was asked before.

import type { ReactNode, RefObject } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { clockTime } from "../../../web/clock.ts"
import { age, fullTime, shortTime } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { useMay } from "../shell/session.ts"
import { kindOf, MAY_NOT_ANSWER, saidAs } from "./asking.ts"
import { Frame, type Around } from "./frame.tsx"
import type { About } from "./use-about.ts"
import { classes } from "../parts/classes.ts"
import css from "./inbox.module.css"

interface Props {
  readonly ask: Asked
  readonly about: About
  readonly around: Around
  readonly title: ReactNode
  /** More for the side, before its context. */
  readonly side?: ReactNode
  readonly foot?: RefObject<HTMLElement | null> | undefined
  readonly acts: ReactNode
  readonly isEarly?: boolean
  readonly children: ReactNode
}

export function AskFrame({ ask, about, around, title, side, foot, acts, isEarly = false, children }: Props) {
  const { word } = kindOf(ask)
  const mayAnswer = useMay("interactions:answer")
  const run = ask.run === null ? undefined : addressOf("runs", ask.run)
  const mark = (
    <>
      <span className="st waiting">
        <Icon name="waiting" kind="i-s waiting" />
        {word}
      </span>
      {ask.run !== null && ask.risk === "high" && <span className="tag error">high risk</span>}
    </>
  )
  const beside = (
    <>
      {side}
      <section>
        <h3>Context</h3>
        <dl className={classes("kv", css.ctx)}>
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
            {clockTime(ask.created)}, {ago(ask.created)}
          </dd>
          {ask.run !== null && ask.expires !== undefined && (
            <>
              <dt>If nobody answers</dt>
              <dd title={fullTime(ask.expires)}>
                {assumed(ask.default)} on {shortTime(ask.expires)}
              </dd>
            </>
          )}
        </dl>
      </section>
      {about.before !== undefined && about.before.length > 0 && ask.run !== null && (
        <section>
          <h3>Earlier in this run</h3>
          <ul className={css.whys}>
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
    </>
  )
  return (
    <Frame
      mark={mark}
      around={around}
      run={run}
      title={title}
      sub={about.view?.task ?? (ask.run === null ? undefined : ask.task)}
      side={beside}
      foot={foot}
      acts={mayAnswer ? acts : <span className="mid">{MAY_NOT_ANSWER}</span>}
      isEarly={isEarly}
    >
      {children}
    </Frame>
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
