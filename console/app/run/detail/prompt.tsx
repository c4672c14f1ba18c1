// What a model was asked with, turn by turn: the layers in the order in which they are sent, what of them came from the cache, what they cost,
// and the tools with their weight.

import { useState } from "react"
import type { StepPrompt } from "../../../../src/api/doc/run/prompts.doc.ts"
import type { Pass } from "../../../../src/core/run/views/outline.ts"
import { Code } from "../../parts/code.tsx"
import { counted } from "../../parts/figures.ts"
import { useAsked } from "../../parts/asked.ts"
import type { Api } from "../../shell/session.ts"
import { contextOf } from "../../../../web/run/context.ts"
import { ContextPlot } from "./context-plot.tsx"
import { LayerTable } from "./prompt-layers.tsx"
import { select, type Selection } from "../selection.ts"
import { ToolWeights } from "./tool-weights.tsx"
import { classes } from "../../parts/classes.ts"
import detailCss from "./detail.module.css"
import { Which } from "./which.tsx"
import css from "./prompt.module.css"
import timelineCss from "../timeline/timeline.module.css"

interface Props {
  readonly api: Api
  readonly run: string
  readonly step: string
  readonly pass: Pass | undefined
  readonly selection: Selection
}

export function Prompt({ api, run, step, pass, selection }: Props) {
  if (!pass) return <p className="dim">This step has not begun.</p>
  if (pass.turns.length === 0) return <Unasked pass={pass} />
  const chosen = pass.turns.find((turn) => selection.call === `t${turn.turn}` || turn.calls.some(({ id }) => id === selection.call))
  const turn = chosen ?? pass.turns.at(-1)
  return (
    <>
      <ContextPlot bars={contextOf(pass)} chosen={turn?.turn} />
      <Which
        label="Turn"
        numbers={pass.turns.map((one) => one.turn + 1)}
        chosen={turn && turn.turn + 1}
        onChoose={(one) => select({ call: `t${one - 1}` })}
      />
      {turn && (
        <OfTurn
          key={turn.turn}
          api={api}
          run={run}
          step={step}
          pass={pass.pass}
          turn={turn.turn}
          about={`${turn.seq} ${turn.endSeq ?? 0}`}
        />
      )}
    </>
  )
}

/** A step whose model was not asked: the inputs of its code or its child runs. */
function Unasked({ pass }: { readonly pass: Pass }) {
  return (
    <>
      <p className="dim">No model was asked in this step{pass.ended === undefined ? " yet" : ""}.</p>
      {pass.task !== undefined && (
        <section className={detailCss.blk}>
          <h3>Task</h3>
          <Code value={pass.task} label="Task" />
        </section>
      )}
      {pass.inputs !== undefined && (
        <section className={detailCss.blk}>
          <h3>Inputs</h3>
          <Code value={pass.inputs} label="Inputs" />
        </section>
      )}
    </>
  )
}

interface TurnProps {
  readonly api: Api
  readonly run: string
  readonly step: string
  readonly pass: number
  readonly turn: number
  /** Changes when the turn has its reply. */
  readonly about: string
}

function OfTurn({ api, run, step, pass, turn, about }: TurnProps) {
  const { value, fault } = useAsked(["run", "prompt", run, step, pass, turn, about], () => api.runs.prompt(run, step, { pass, turn }))
  const [layer, setLayer] = useState<number>()
  if (fault !== undefined)
    return (
      <p className="msg error" role="alert">
        {fault}
      </p>
    )
  if (value === undefined) return <p className="dim late">Reading the prompt.</p>
  return (
    <>
      <Share prompt={value} />
      <LayerTable prompt={value} chosen={layer} onChoose={(at) => setLayer(at === layer ? undefined : at)} />
      {layer !== undefined && <LayerText api={api} run={run} prompt={value} layer={layer} />}
      <ToolWeights api={api} run={run} prompt={value} />
      <dl className="kv small">
        <dt>Request</dt>
        <dd className="id">{value.request ?? "no reply yet"}</dd>
        <dt>Begun at event</dt>
        <dd>
          {value.seq.toLocaleString()}{" "}
          <button className={classes("btn", detailCss.linkBtn)} type="button" onClick={() => select({ at: value.seq })}>
            Show this moment
          </button>
        </dd>
      </dl>
    </>
  )
}

/** How much came from the cache, as words and as a bar: outlined is from the cache, filled is read anew. */
function Share({ prompt: { usage, layers, model } }: { readonly prompt: StepPrompt }) {
  const sent = usage?.input ?? layers.reduce((sum, { tokens }) => sum + tokens, 0)
  const cached = usage?.cached ?? 0
  return (
    <div>
      <p className="bar mid">
        <span className="grow">
          {usage === null ? (
            <>About {counted(sent, "token")}, by characters</>
          ) : cached > 0 ? (
            <>
              <b>{Math.round((100 * cached) / Math.max(1, sent))}%</b> from cache, {cached.toLocaleString()} of {counted(sent, "token")}
            </>
          ) : (
            <>{counted(sent, "token")}, none from cache</>
          )}
        </span>
        <span className="mono dim cut">{model}</span>
      </p>
      <span className={css.pbar} aria-hidden="true">
        {layers.map(({ tokens, cached: ofIt }, at) => (
          <i key={at} className={2 * ofIt >= tokens && tokens > 0 ? css.c : undefined} style={{ flexGrow: tokens }} />
        ))}
        {usage !== null && <i className={css.o} style={{ flexGrow: usage.output }} />}
      </span>
      <ul className={timelineCss.legend} aria-label="Kinds of tokens">
        <li>
          <span className={classes(timelineCss.b, timelineCss.cachekey)} />
          from cache
        </li>
        <li>
          <span className={classes(timelineCss.b, timelineCss.model)} />
          read anew
        </li>
        <li>
          <span className={classes(timelineCss.b, timelineCss.tool)} />
          written
        </li>
      </ul>
    </div>
  )
}

interface TextProps {
  readonly api: Api
  readonly run: string
  readonly prompt: StepPrompt
  readonly layer: number
}

function LayerText({ api, run, prompt: { step, pass, turn, layers }, layer }: TextProps) {
  const { value, fault } = useAsked(["run", "layer", run, step, pass, turn, layer], () => api.runs.prompt(run, step, { pass, turn, layer }))
  if (fault !== undefined) return <p className="msg error">{fault}</p>
  if (value?.text === undefined) return <p className="dim late">Reading the text.</p>
  return (
    <section className={detailCss.blk}>
      <h3>
        {(layers[layer]?.characters ?? 0).toLocaleString()} characters as sent{value.cut === true && ", the first of them"}
      </h3>
      <Code value={value.text} label="The text as sent" />
    </section>
  )
}
