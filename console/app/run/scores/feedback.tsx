// Shows and takes what people say of a run: thumbs, comments, what the answer should have been, and grades. The reader's own thumb goes at once, by button or key;
// words go with it when they are sent.

import { useState } from "react"
import type { RunScores } from "../../../../src/api/doc/quality.doc.ts"
import { ScoresClient } from "../../../../src/client/scores.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { correctionOf, thumbsOf } from "../../../../web/quality/feedback.ts"
import { giverWords, scoreWords } from "../../../../web/quality/score-words.ts"
import { classes } from "../../parts/classes.ts"
import { faultOf } from "../../parts/fault.ts"
import { fullTime, shortTime } from "../../parts/figures.ts"
import { LinesField } from "../../settings/parts/fields.tsx"
import { Icon } from "../../shell/icons.tsx"
import { useKeys } from "../../shell/keys.ts"
import { useMay, type Api } from "../../shell/session.ts"
import detailCss from "../detail/detail.module.css"
import css from "./scores.module.css"

interface Props {
  readonly api: Api
  readonly run: string
  readonly said: RunScores["feedback"]
  readonly again: () => void
  /** undefined: the reader may add no rows. */
  readonly onUse: (() => void) | undefined
}

export function Feedback({ api, run, said, again, onUse }: Props) {
  const mayWrite = useMay("runs:write")
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const { up, down, mine } = thumbsOf(said, api.who.by)
  const correction = correctionOf(said)
  const send = async (wish: Parameters<ScoresClient["feedback"]>[1]): Promise<boolean> => {
    if (isBusy) return false
    setBusy(true)
    setFault(undefined)
    try {
      await new ScoresClient(api.transport).feedback(run, wish)
      again()
      return true
    } catch (error) {
      setFault(faultOf(error))
      return false
    } finally {
      setBusy(false)
    }
  }
  const thumb = (to: "up" | "down"): void => void send({ thumb: mine === to ? "none" : to })
  useKeys("scores", { up: () => (mayWrite ? thumb("up") : false), down: () => (mayWrite ? thumb("down") : false) })
  return (
    <section className={detailCss.blk} aria-label="Feedback">
      <h3>Feedback</h3>
      <div className={css.thumbs}>
        {(
          [
            ["up", "Good", up],
            ["down", "Bad", down],
          ] as const
        ).map(([to, words, count]) => (
          <button
            key={to}
            className={classes("btn", to === "down" && css.down)}
            type="button"
            aria-pressed={mine === to}
            aria-disabled={!mayWrite || isBusy}
            onClick={() => mayWrite && thumb(to)}
          >
            <Icon name="thumb" />
            {words} {count > 0 && <b>{count}</b>} <kbd>{to === "up" ? "+" : "−"}</kbd>
          </button>
        ))}
      </div>
      {fault !== undefined && (
        <p className="note error" role="alert">
          <span>{fault}</span>
        </p>
      )}
      {said.length > 0 && <SaidList said={said} />}
      {correction !== undefined && (
        <section className={detailCss.blk}>
          <h3>What it should have said</h3>
          <p className="mid" dir="auto">
            {visible(correction.correction)}
          </p>
          {onUse && (
            <p>
              <button className="btn" type="button" onClick={onUse}>
                Use as a row
              </button>
            </p>
          )}
        </section>
      )}
      {mayWrite && <Words isBusy={isBusy} send={send} />}
    </section>
  )
}

function SaidList({ said }: { readonly said: RunScores["feedback"] }) {
  return (
    <ul className={classes(css.list, css.said)} aria-label="What people say">
      {said.map(({ id, by, user, at, thumb, score, comment, scorer }) => (
        <li key={id} className={classes(thumb === "down" && css.down)}>
          <Icon
            name={scorer === undefined && (thumb === "up" || thumb === "down") ? "thumb" : "person"}
            kind="i-s"
            label={scorer !== undefined ? "Grade" : thumb === "up" ? "Good" : thumb === "down" ? "Bad" : "Note"}
          />
          <span>
            <b>{visible(giverWords({ by, ...(user === undefined ? {} : { user }) }))}</b>{" "}
            {scorer !== undefined ? (
              <span className="mid">
                {scoreWords(score)} for {scorer}
              </span>
            ) : (
              thumb === "none" && <span className="mid">took the thumb back</span>
            )}
          </span>
          <span className="dim small nowrap" title={fullTime(at)}>
            {shortTime(at)}
          </span>
          {comment !== undefined && (
            <p className="mid" dir="auto">
              “{visible(comment)}”
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

interface WordsProps {
  readonly isBusy: boolean
  readonly send: (wish: { readonly comment?: string; readonly correction?: string }) => Promise<boolean>
}

function Words({ isBusy, send }: WordsProps) {
  const [comment, setComment] = useState("")
  const [correction, setCorrection] = useState("")
  const isOff = isBusy || (comment.trim() === "" && correction.trim() === "")
  return (
    <form
      className={css.give}
      onSubmit={(event) => {
        event.preventDefault()
        if (isOff) return
        const wish = {
          ...(comment.trim() === "" ? {} : { comment: comment.trim() }),
          ...(correction.trim() === "" ? {} : { correction: correction.trim() }),
        }
        void send(wish).then((isSent) => {
          if (!isSent) return
          setComment("")
          setCorrection("")
        })
      }}
    >
      <LinesField label="Comment" rows={2} isMono={false} value={comment} onChange={setComment} />
      <LinesField
        label="What it should have said"
        hint="A dataset’s row made of this run expects it."
        rows={2}
        isMono={false}
        value={correction}
        onChange={setCorrection}
      />
      <p>
        <button className="btn" type="submit" aria-disabled={isOff}>
          Send feedback
        </button>
      </p>
    </form>
  )
}
