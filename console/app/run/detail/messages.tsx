// A pass of a step as a conversation: its task, then turn by turn what the model said and called, with the guard's verdict on each call.

import { useEffect, useRef } from "react"
import { visible } from "../../../../web/chat/wording.ts"
import { Code } from "../../parts/code.tsx"
import { duration, money, tokens } from "../../parts/figures.ts"
import { Status } from "../../parts/status.tsx"
import { Icon, type IconName } from "../../shell/icons.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { RunFeed } from "../feed.ts"
import { select, type Selection } from "../selection.ts"
import { outageOf } from "../../../../web/run/outage.ts"
import type { Call, CallState, Pass, StoryTurn } from "../../../../src/core/run/views/outline.ts"
import { stepIn, type ShownRun } from "../use-run.ts"
import { CodeView } from "./code-view.tsx"
import { classes } from "../../parts/classes.ts"
import css from "./detail.module.css"

interface Props {
  readonly feed: RunFeed
  readonly shown: ShownRun
  readonly selection: Selection
  readonly pass: Pass | undefined
  readonly now: number
}

/** Older turns of a long conversation come when they are asked for. */
const MAX_TURNS = 30

export function Messages({ feed, shown, selection, pass, now }: Props) {
  if (!pass) return <p className="dim">This step has not begun.</p>
  const chosen = pass.turns.findIndex((turn) => isOf(turn, selection.call))
  const from = chosen >= 0 ? Math.max(0, Math.min(chosen - 2, pass.turns.length - MAX_TURNS)) : Math.max(0, pass.turns.length - MAX_TURNS)
  const end = shown.at === undefined ? now : shown.story.at
  const last = pass.turns.at(-1)
  const { type } = stepIn(shown.story, pass.step)
  const isCode = type === "code" || type === "code-decision"
  const works = isCode ? pass.works.filter(({ kind }) => kind !== "code") : pass.works
  const isWriting = shown.at === undefined && last !== undefined && last.ended === undefined && pass.ended === undefined
  return (
    <>
      {pass.task !== undefined && (
        <p className={css.say} dir="auto">
          <span className={css.label}>Task</span> {visible(pass.task)}
        </p>
      )}
      {isCode && <CodeView flow={shown.view.flow} pass={pass} end={end} />}
      {from > 0 && <p className="dim">Turns 1 to {from} are in the timeline: choose one to read it.</p>}
      {pass.turns.slice(from, from + MAX_TURNS).map((turn) => (
        <TurnView key={turn.turn} turn={turn} isChosen={isOf(turn, selection.call)} call={selection.call} end={end}>
          {isWriting && turn === last && <Writing feed={feed} step={pass.step} />}
        </TurnView>
      ))}
      {pass.calls.map((one) => (
        <CallView key={one.seq + one.id} call={one} isOpen={one.id === selection.call || type === "tool"} end={end} />
      ))}
      {works.map(({ kind, label, run, status, begun, ended }) => (
        <section className={css.turn} key={`${kind} ${run ?? begun}`}>
          <h3>
            {run === undefined ? (
              label
            ) : (
              <Link className="link mono" href={addressOf("runs", run)}>
                {run}
              </Link>
            )}
            {status !== undefined && <Status status={status} />}
            <span className="num">{duration((ended ?? end) - begun)}</span>
          </h3>
        </section>
      ))}
      {pass.steers.map(({ id, message, by, turn }) => (
        <p className={css.say} key={id} dir="auto">
          <span className={css.label}>{by} said</span> {visible(message)}{" "}
          {turn === undefined && <span className="dim">(before the next turn)</span>}
        </p>
      ))}
      {pass.rejected.map(({ seq, errors }) => (
        <p className="msg error" key={seq}>
          <Icon name="failed" kind="i-s" />
          <span>The result was refused: {visible(errors.join("; "))}</span>
        </p>
      ))}
    </>
  )
}

const isOf = (turn: StoryTurn, call: string | undefined): boolean =>
  call !== undefined && (call === `t${turn.turn}` || turn.calls.some(({ id }) => id === call))

interface TurnProps {
  readonly turn: StoryTurn
  readonly isChosen: boolean
  readonly call: string | undefined
  readonly end: number
  readonly children: React.ReactNode
}

function TurnView({ turn, isChosen, call, end, children }: TurnProps) {
  const node = useRef<HTMLElement>(null)
  const outage = outageOf(turn)
  useEffect(() => {
    if (isChosen) node.current?.scrollIntoView({ block: "nearest" })
  }, [isChosen, call])
  return (
    <section className={isChosen ? classes(css.turn, css.on) : css.turn} ref={node}>
      <h3>
        Turn {turn.turn + 1}
        {turn.by !== undefined && <span className="tag">said by {turn.by}</span>}
        <span className="grow" />
        <span className="dim">{duration((turn.ended ?? end) - turn.begun)}</span>
        {turn.tokens > 0 && <span className="dim">{tokens(turn.tokens)} tokens</span>}
        {turn.usd !== null && <span className="dim">{money(turn.usd)}</span>}
      </h3>
      {outage !== undefined && (
        <p className="msg error">
          <Icon name="failed" kind="i-s" />
          <span>{visible(outage)}</span>
        </p>
      )}
      {turn.text !== "" && (
        <p className={css.say} dir="auto">
          {visible(turn.text)}
        </p>
      )}
      {children}
      {turn.calls.map((one) => (
        <CallView key={one.id} call={one} isOpen={one.id === call} end={end} />
      ))}
    </section>
  )
}

const VERDICTS: Readonly<Record<CallState, { readonly icon: IconName; readonly word: string; readonly kind?: "no" | "askC" }>> = {
  given: { icon: "shield", word: "to come" },
  running: { icon: "shield", word: "running" },
  done: { icon: "shield", word: "" },
  error: { icon: "failed", word: "error", kind: "no" },
  refused: { icon: "refused", word: "refused", kind: "no" },
  asks: { icon: "asks", word: "asks you", kind: "askC" },
  staged: { icon: "shield", word: "held for a decision", kind: "askC" },
  uncertain: { icon: "asks", word: "outcome unknown", kind: "askC" },
}

function CallView({ call, isOpen, end }: { readonly call: Call; readonly isOpen: boolean; readonly end: number }) {
  const { icon, word, kind } = VERDICTS[call.state]
  const args = call.raw ?? call.args
  return (
    <div className={classes(css.call, kind && css[kind])}>
      <details open={isOpen || undefined}>
        <summary className={css.callH} onClick={() => select({ call: call.id })}>
          <Icon name={icon} kind="i-s" />
          <b className="mono cut">{visible(call.tool)}</b>
          <span className="dim cut mono">{glimpse(call)}</span>
          <span className="num">{word || duration((call.ended ?? end) - call.begun)}</span>
        </summary>
        <Code value={args} label="The exact arguments" />
        {call.child !== undefined && (
          <p>
            <Link className="link mono" href={addressOf("runs", call.child)}>
              {call.child}
            </Link>
          </p>
        )}
        {call.result !== undefined && <Code value={call.result} label="The result" />}
        {call.why === undefined && call.state !== "given" && call.state !== "asks" && <p className={css.why}>The guard let it through.</p>}
      </details>
      {call.why !== undefined && <Why call={call} />}
    </div>
  )
}

/** A refusal is never folded. */
function Why({ call: { code, why = "" } }: { readonly call: Call }) {
  return (
    <p className={css.why}>
      <b>{code === undefined ? "" : `Refused by ${CODES[code] ?? code}. `}</b>
      {visible(why)}
    </p>
  )
}

const CODES: Readonly<Record<string, string>> = {
  policy: "policy",
  undeclared: "the agent's tools",
  role: "its role",
  tainted: "the rule about text from outside",
  approval_rejected: "a person",
  denylist: "the denylist",
  invalid_args: "the tool's schema",
}

const MAX_GLIMPSE = 80
const glimpse = ({ args }: Call): string =>
  visible(
    Object.values(args)
      .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
      .join(", ")
      .slice(0, MAX_GLIMPSE)
      .replaceAll(/\s+/g, " "),
  )

/** The turn as it is written: one text node, which the screen reader hears once it is whole. */
function Writing({ feed, step }: { readonly feed: RunFeed; readonly step: string }) {
  const node = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const write = (): void => {
      if (node.current) node.current.textContent = visible(feed.partial(step))
    }
    write()
    return feed.listenPartial(write)
  }, [feed, step])
  return (
    <>
      <p className={css.say} aria-hidden="true" dir="auto">
        <span ref={node} />
        <span className={css.caret} />
      </p>
      <p className="dim small">Not in the journal until the turn ends.</p>
    </>
  )
}
