// Answers asks that are alike in one go [Q3]: every ask stands in a row of its own and can be left out, and each gets its own answer. Of calls, each row
// has the whole call, and a key approves them only once the last one has been on the screen.

import { useRef, useState, type ReactNode } from "react"
import type { Asked } from "../../../../src/api/doc/run/interactions.doc.ts"
import type { AnswerInput } from "../../../../src/api/run/interactions.ts"
import { answerTo } from "../../../../src/core/run/question/answer.ts"
import { question } from "../../../../src/core/run/question/question.ts"
import { compareCalls } from "../../../../web/inbox/alike.ts"
import { lineOf, nameOf, titleOf, toolIn } from "../../../../web/inbox/ask.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { isTyping } from "../../../../web/typing.ts"
import { Dialog } from "../../parts/dialog.tsx"
import { age, counted, fullTime } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import type { Api } from "../../shell/session.ts"
import { useAlike, type AlikeResult } from "./use-alike.ts"
import { useSeen } from "../use-seen.ts"
import { classes } from "../../parts/classes.ts"
import css from "./alike.module.css"

interface Props {
  readonly api: Api
  /** As they were when it was opened. */
  readonly asks: readonly Asked[]
  readonly onDecided: (decided: Asked, isMine: boolean) => void
  readonly onClose: () => void
}

interface Way {
  readonly label: (count: number) => string
  readonly answerOf: (ask: Asked) => AnswerInput
  readonly isDanger?: boolean
}

const MAX_KEYS = 9

const isHigh = (ask: Asked): boolean => ask.run !== null && ask.risk === "high"

export function AlikeDialog(props: Props) {
  return (
    <Dialog title={`Answer ${counted(props.asks.length, "alike ask")}`} isWide onClose={props.onClose}>
      <Alikes {...props} />
    </Dialog>
  )
}

function Alikes({ api, asks, onDecided, onClose }: Props) {
  const [first] = asks
  // What may have been caused by a text from outside is chosen by hand, one by one.
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(asks.filter((ask) => !isHigh(ask)).map(nameOf)))
  const [given, setGiven] = useState<string>()
  const [words, setWords] = useState("")
  const [fault, setFault] = useState<string>()
  const { results, isSending, send } = useAlike(api, onDecided)
  const [rows, foot] = [useRef<HTMLUListElement>(null), useRef<HTMLElement>(null)]
  const seen = useSeen(rows, foot, "alike")
  const isDone = (ask: Asked): boolean => ["done", "lost"].includes(results[nameOf(ask)]?.is ?? "")
  const open = asks.filter((ask) => chosen.has(nameOf(ask)) && !isDone(ask))
  if (first === undefined) return null
  const isCall = first.kind === "approval.tool"
  const choose = (names: readonly string[], isChosen: boolean): void =>
    setChosen((before) => new Set(isChosen ? [...before, ...names] : [...before].filter((name) => !names.includes(name))))
  const act = ({ answerOf }: Way, isByKey = false): void => {
    if (open.length === 0) return setFault("Choose at least one.")
    if (isCall && isByKey && !seen.isRead()) {
      rows.current?.lastElementChild?.scrollIntoView({ block: "end" })
      return setFault("Scroll to the last call, then press the keys again.")
    }
    setFault(undefined)
    send(open, answerOf)
  }
  const { ways } = question(first)
  const options = ways.answer?.fields[0]?.options ?? []
  const isFree = ways.answer !== undefined && options.length === 0
  const isMany = ways.answer?.fields[0]?.kind === "choices"
  const answer: Way = {
    label: (count) => `Answer ${count}`,
    answerOf: (ask) => {
      const option = options.find(({ label }) => label === given)
      return answerTo(ask, "answer", { answer: isFree ? words : isMany ? [option?.value] : option?.value }).body
    },
  }
  const approve: Way = { label: (count) => `Approve ${counted(count, "call")}`, answerOf: (ask) => answerTo(ask, "approve").body }
  const reject: Way = { label: (count) => `Reject ${count}`, answerOf: (ask) => answerTo(ask, "reject").body }
  const stop: Way = { label: (count) => `Stop ${counted(count, "run")}`, answerOf: (ask) => answerTo(ask, "stop").body, isDanger: true }
  const main = isCall ? approve : first.kind === "budget" ? stop : answer
  const isReady = main !== answer || (isFree ? words.trim() !== "" : given !== undefined)
  const left = asks.filter((ask) => !isDone(ask)).length
  const go = (isByKey: boolean): void => {
    if (left === 0) onClose()
    else if (isReady) act(main, isByKey)
    else setFault(isFree ? "Write an answer first." : "Choose an answer first.")
  }
  return (
    <div
      className={css.alike}
      onKeyDown={(event) => {
        const nth = options[Number(event.key) - 1]
        if (nth !== undefined && !isTyping(event.nativeEvent)) setGiven(nth.label)
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        go(true)
      }}
    >
      <Same asks={asks} isCall={isCall} />
      {!isCall && options.length > 0 && (
        <fieldset className={css.options}>
          <legend className="vh">The answer for all</legend>
          {options.map(({ label, about }, at) => (
            <label key={label}>
              <input type="radio" name="alike-answer" checked={given === label} onChange={() => setGiven(label)} />
              <span>
                <b>{visible(label)}</b> {about !== undefined && <span className="mid">{visible(about)}</span>}
              </span>
              {at < MAX_KEYS && <kbd>{at + 1}</kbd>}
            </label>
          ))}
        </fieldset>
      )}
      {isFree && (
        <div className="field">
          <label htmlFor="alike-words">The answer for all</label>
          <textarea
            id="alike-words"
            className="input"
            rows={2}
            maxLength={100_000}
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
        </div>
      )}
      <div className={css.rows} tabIndex={0} role="region" aria-label="The asks">
        <ul ref={rows}>
          <li className="seen-mark" aria-hidden />
          {asks.map((ask) => (
            <Row
              key={nameOf(ask)}
              ask={ask}
              isCall={isCall}
              isChosen={chosen.has(nameOf(ask))}
              result={results[nameOf(ask)]}
              onChoose={(isChosen) => choose([nameOf(ask)], isChosen)}
            />
          ))}
          <li className="seen-mark" aria-hidden />
        </ul>
      </div>
      <footer className="dlg-f bar" ref={foot}>
        <label className="bar small">
          <input
            type="checkbox"
            checked={open.length === left && left > 0}
            disabled={left === 0}
            onChange={({ target }) => choose(asks.map(nameOf), target.checked)}
          />
          All
        </label>
        <span className="small mid" role="status">
          {left === 0 ? summary(results) : `${open.length} of ${left} chosen. Each gets its own answer from you.`}
        </span>
        {fault !== undefined && (
          <span className="msg error" role="alert">
            {fault}
          </span>
        )}
        <span className="grow" />
        {left === 0 ? (
          <button className="btn first" type="button" autoFocus onClick={onClose}>
            Done
          </button>
        ) : (
          <>
            {isCall && <Act way={reject} count={open.length} isOff={isSending} onClick={() => act(reject)} />}
            <Act way={main} count={open.length} isOff={isSending} isFirst onClick={() => go(false)}>
              <kbd>Ctrl Enter</kbd>
            </Act>
          </>
        )}
      </footer>
    </div>
  )
}

interface ActProps {
  readonly way: Way
  readonly count: number
  readonly isOff: boolean
  readonly isFirst?: boolean
  readonly onClick: () => void
  readonly children?: ReactNode
}

function Act({ way: { label, isDanger = false }, count, isOff, isFirst = false, onClick, children }: ActProps) {
  return (
    <button className={classes("btn", isDanger ? "danger" : isFirst && "first")} type="button" aria-disabled={isOff} onClick={onClick}>
      {isOff ? "Sending" : label(count)} {children}
    </button>
  )
}

function Same({ asks, isCall }: { readonly asks: readonly Asked[]; readonly isCall: boolean }) {
  const [first] = asks
  if (first === undefined) return null
  if (!isCall) return <h3 className="words">{titleOf(first)}</h3>
  const { same, differing } = compareCalls(asks)
  const agent = first.run === null ? undefined : first.agent
  return (
    <section className={css.same}>
      <h3>
        Let {agent ?? "the agent"} call <span className="mono">{toolIn(first)}</span>, {counted(asks.length, "time")}?
      </h3>
      <p className="small mid">
        {question(first).why} {differing.length === 0 ? "The calls are identical." : `What differs: ${named(differing)}.`}
        {differing.length > 0 && Object.keys(same).length > 0 && ` The same in all: ${named(Object.keys(same))}.`}
      </p>
    </section>
  )
}

const named = (names: readonly string[]): string => names.map((name) => visible(name)).join(", ")

interface RowProps {
  readonly ask: Asked
  readonly isCall: boolean
  readonly isChosen: boolean
  readonly result: AlikeResult | undefined
  readonly onChoose: (isChosen: boolean) => void
}

function Row({ ask, isCall, isChosen, result, onChoose }: RowProps) {
  const isOver = result?.is === "done" || result?.is === "lost"
  return (
    <li className={classes(css.row, (isOver || !isChosen) && css.out)}>
      <label>
        <input type="checkbox" checked={isChosen} disabled={isOver} onChange={({ target }) => onChoose(target.checked)} />
        <span className="words" dir="auto">
          {lineOf(ask)}
        </span>
        {isHigh(ask) && <span className="tag error">high risk</span>}
        <span className="num dim nowrap" title={fullTime(ask.created)}>
          {age(Date.parse(ask.created), Date.now())}
        </span>
      </label>
      {isCall && <pre className="code wrap">{visible(ask.payload["args"] ?? {})}</pre>}
      {result !== undefined && result.is !== "sending" && (
        <p className={result.is === "done" ? "small mid" : "small iwait words"} role={result.is === "done" ? undefined : "alert"}>
          <Icon name={result.is === "done" ? "check" : "person"} kind="i-s" /> {result.words}
        </p>
      )}
    </li>
  )
}

function summary(results: Readonly<Record<string, AlikeResult>>): string {
  const count = (is: AlikeResult["is"]): number => Object.values(results).filter((one) => one.is === is).length
  const lost = count("lost")
  return `${count("done")} answered${lost === 0 ? "" : `, ${lost} by others before you`}.`
}
