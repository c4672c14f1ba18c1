// One column of the playground: its settings, what the model said, and what it cost beside the recorded turn.

import { useId } from "react"
import { visible } from "../../../web/chat/wording.ts"
import type { Choice } from "../parts/choice.ts"
import { Combobox } from "../parts/combobox.tsx"
import { duration, money, usd } from "../parts/figures.ts"
import { Select } from "../parts/select.tsx"
import { Icon } from "../shell/icons.tsx"
import { alike, costWords, LEVELS, type ColumnAnswer, type Column } from "../../../web/agent/column.ts"
import { ReplyView, type Verdicts } from "./reply-view.tsx"
import { classes } from "../parts/classes.ts"
import css from "./playground.module.css"

export interface ColumnOutcome {
  readonly isBusy?: true
  readonly said?: ColumnAnswer
  readonly fault?: string
}

interface Props {
  readonly column: Column
  readonly recorded: ColumnAnswer | null
  readonly outcome: ColumnOutcome | undefined
  /** What it may cost: words. */
  readonly most: string
  readonly verdicts: Verdicts
  readonly hasDraft: boolean
  /** Names that the field of the model offers. */
  readonly models: readonly Choice[]
  readonly onChange: (column: Column) => void
  readonly onRemove: () => void
}

export function ColumnView({ column, recorded, outcome, most, verdicts, hasDraft, models, onChange, onRemove }: Props) {
  const id = useId()
  const { name, model, prompt, text, thinking } = column
  return (
    <article className={classes("panel", css.pgCol)} aria-label={name}>
      <div className={css.pgSet}>
        <div className="bar">
          <h2>{name}</h2>
          <span className="grow" />
          <button className="btn bare square tiny" type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
            <Icon name="x" kind="i-s" />
          </button>
        </div>
        <div className={css.row}>
          <label htmlFor={`${id}m`}>Model</label>
          <Combobox
            id={`${id}m`}
            choices={models}
            isFree
            placeholder={recorded?.model ?? "as recorded"}
            value={model}
            onChange={(next) => onChange({ ...column, model: next })}
          />
        </div>
        <div className={css.row}>
          <label htmlFor={`${id}p`}>Prompt</label>
          <Select
            id={`${id}p`}
            value={prompt}
            choices={PROMPTS.filter(({ value }) => value !== "draft" || hasDraft || prompt === "draft")}
            onChange={(chosen) => onChange({ ...column, prompt: chosen })}
          />
        </div>
        {prompt === "own" && (
          <textarea
            className="input"
            rows={4}
            aria-label={`Prompt of ${name}`}
            value={text}
            onChange={({ target }) => onChange({ ...column, text: target.value })}
          />
        )}
        <div className={css.row}>
          <span className={css.lab} id={`${id}t`}>
            Thinking
          </span>
          <span className="pick" role="group" aria-labelledby={`${id}t`}>
            {LEVELS.map((level) => (
              <button
                key={level}
                type="button"
                aria-pressed={(thinking ?? recorded?.thinking) === level}
                onClick={() => onChange(withLevel(column, thinking === level ? undefined : level))}
              >
                {level === "medium" ? "med" : level}
              </button>
            ))}
          </span>
        </div>
      </div>
      <div className={css.pgOut} tabIndex={0} role="region" aria-label={`Reply of ${name}`} aria-busy={outcome?.isBusy === true}>
        {outcome?.isBusy === true && <p className="dim">Asking the model.</p>}
        {outcome?.fault !== undefined && (
          <p className="msg error words" role="alert">
            <Icon name="failed" kind="i-s" />
            <span>{visible(outcome.fault)}</span>
          </p>
        )}
        {outcome?.said && <ReplyView reply={outcome.said.reply} against={recorded?.reply} verdicts={verdicts} />}
        {outcome === undefined && <p className="dim">Not asked yet. {most}</p>}
      </div>
      <Foot said={outcome?.said} recorded={recorded} />
    </article>
  )
}

const PROMPTS = [
  { value: "recorded", words: "as recorded" },
  { value: "live", words: "as saved" },
  { value: "draft", words: "the draft" },
  { value: "own", words: "other words" },
] as const

function withLevel(column: Column, level: Column["thinking"]): Column {
  const { thinking: _before, ...rest } = column
  return { ...rest, ...(level === undefined ? {} : { thinking: level }) }
}

export function RecordedView({ recorded, verdicts }: { readonly recorded: ColumnAnswer | null; readonly verdicts: Verdicts }) {
  return (
    <article className={classes("panel", css.pgCol)} aria-label="Recorded">
      <div className={css.pgSet}>
        <div className="bar">
          <h2>Recorded</h2>
          <span className="grow" />
          <span className="tag">from the run</span>
        </div>
        <dl className={css.pgWas}>
          <div>
            <dt>Model</dt>
            <dd className="mono cut">{recorded === null ? "–" : visible(recorded.model)}</dd>
          </div>
          <div>
            <dt>Prompt</dt>
            <dd>as it was</dd>
          </div>
          <div>
            <dt>Thinking</dt>
            <dd>{recorded?.thinking ?? "not asked for"}</dd>
          </div>
        </dl>
      </div>
      <div className={css.pgOut} tabIndex={0} role="region" aria-label="Reply of Recorded">
        {recorded === null ? (
          <p className="dim">This turn has no reply in the run.</p>
        ) : (
          <ReplyView reply={recorded.reply} against={undefined} verdicts={verdicts} />
        )}
      </div>
      <Foot said={recorded ?? undefined} recorded={undefined} />
    </article>
  )
}

/** `recorded`: what it is compared with; undefined: it is the recorded one itself. */
function Foot({ said, recorded }: { readonly said: ColumnAnswer | undefined; readonly recorded: ColumnAnswer | null | undefined }) {
  return (
    <div className={css.pgFoot}>
      <dl>
        <div>
          <dt>USD</dt>
          <dd className="num">{usd(said?.cost)}</dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd className="num">{said ? (said.usage.input + said.usage.output).toLocaleString() : "–"}</dd>
        </div>
        <div>
          <dt>Time</dt>
          <dd className="num">{said ? duration(said.ms) : "–"}</dd>
        </div>
      </dl>
      {recorded === undefined ? <p className="msg dim">As it happened.</p> : said && <Compared said={said} recorded={recorded} />}
    </div>
  )
}

const SAID = { same: "Same call", arguments: "Same tool, other arguments", other: "Other call", none: "No call" } as const

function Compared({ said, recorded }: { readonly said: ColumnAnswer; readonly recorded: ColumnAnswer | null }) {
  if (recorded === null) return <p className="msg dim">Nothing was recorded to compare with.</p>
  const how = alike(recorded, said)
  const isSame = how === "same"
  const same = isSame && said.reply.toolCalls.length === 0 ? "No call, as recorded" : SAID[how]
  const words = [same, costWords(recorded.cost, said.cost)].filter((one) => one !== undefined).join(", ")
  return (
    <p className={`msg ${isSame ? "complete" : "waiting"}`}>
      <Icon name={isSame ? "check" : "compare"} kind="i-s" />
      <span>{words}.</span>
    </p>
  )
}

/** `At most $0.041.` */
export const mostWords = (amount: number | null | undefined): string =>
  amount === undefined ? "" : amount === null ? "The model has no price, so the cost is not known." : `At most ${money(amount)}.`
