// Why a run failed: the step, what was found and how often it was tried; what mends its cause, and what a fork from there keeps.

import { visible } from "../../../web/chat/wording.ts"
import { wayOut, type WayOut } from "../../../web/run/way-out.ts"
import { classes } from "../parts/classes.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { useMay, type Api } from "../shell/session.ts"
import type { DialogRequest } from "./dialogs.tsx"
import { useMended } from "./use-mended.ts"
import { stepIn, type ShownRun } from "./use-run.ts"
import css from "./run-head.module.css"

interface Failed {
  readonly api: Api
  readonly shown: ShownRun
  readonly onAsk: (asked: DialogRequest) => void
}

export function WhyFailed({ api, shown, onAsk }: Failed) {
  const { story, graph, view } = shown
  const { mended } = useMended(api, shown)
  const mayWrite = useMay("runs:write")
  const { error } = story
  if (!error) return null
  const at = graph.nodes.findIndex(({ id }) => id === error.step)
  const pass = error.step === undefined ? undefined : stepIn(story, error.step).passes.at(-1)
  const tries = (pass?.turns ?? []).reduce((sum, turn) => sum + turn.faults.length, 0)
  const before = graph.nodes.filter(({ id }) => id !== error.step && stepIn(story, id).status === "complete").length
  const isPaid = error.step !== undefined && at >= 0
  // What the latest revision changes is mended already.
  const way = mended ? undefined : wayOut(error, failedAt(shown))
  return (
    <section className={css.whyfail} aria-label="Why it failed">
      <Icon name="failed" />
      <div className={css.wfT}>
        <h2>
          {error.step !== undefined && <code>{error.step}</code>}
          {at >= 0 && `, step ${at + 1} of ${graph.nodes.length}`}
          {error.step !== undefined && ": "}
          {SOURCES[error.source] ?? error.source}
        </h2>
        <p dir="auto">
          {visible(sentence(error.message))}
          {tries > 1 && ` It was tried ${tries} times.`}
          {mended && ` The latest revision, r${mended.revision}, changes this step.`}
        </p>
        {way && <p className="mid">{way.why}</p>}
      </div>
      <div className={css.wfA}>
        {way && <WayLink way={way} />}
        {isPaid && mayWrite && (
          <button className={classes("btn", way === undefined && "first")} type="button" onClick={() => onAsk({ what: "fork" })}>
            {way ? "Then fork from here" : "Fork from here"}
            {before > 0 ? `: ${before} ${before === 1 ? "step costs" : "steps cost"} nothing` : ""} <kbd>F</kbd>
          </button>
        )}
        {mayWrite && (
          <div className="bar">
            {isPaid && (
              <button className="btn" type="button" onClick={() => onAsk({ what: "edit" })}>
                Edit and run <kbd>E</kbd>
              </button>
            )}
            <button className="btn" type="button" onClick={() => onAsk({ what: "again" })}>
              Run again <kbd>R</kbd>
            </button>
          </div>
        )}
      </div>
      <span className="vh">{view.id}</span>
    </section>
  )
}

const WayLink = ({ way: { label, to, query } }: { readonly way: WayOut }) => (
  <Link className="btn first" href={`${addressOf(...to)}${query === undefined ? "" : `?${query}`}`}>
    {label}
  </Link>
)

function failedAt({ story, view, graph }: ShownRun) {
  const step = story.error?.step
  const pass = step === undefined ? undefined : stepIn(story, step).passes.at(-1)
  const agent = pass?.agent ?? graph.nodes.find(({ id }) => id === step)?.agent
  const model = pass?.model ?? (agent === undefined ? undefined : pinnedModel(view.pinned["models"], agent, step ?? ""))
  const child = pass?.works.findLast(({ kind, status }) => kind === "child" && status === "failed")?.run
  return { flow: view.flow, step, agent, model, child }
}

function pinnedModel(models: unknown, agent: string, step: string): string | undefined {
  if (typeof models !== "object" || models === null) return undefined
  const named = models as Readonly<Record<string, unknown>>
  const model = named[`${agent}@${step}`] ?? named[agent]
  return typeof model === "string" ? model : undefined
}

/** The server's words begin in lower case and end without a stop. */
const sentence = (text: string): string => {
  const whole = text.slice(0, 1).toUpperCase() + text.slice(1)
  return /[.!?…:]$/.test(whole) ? whole : `${whole}.`
}

const SOURCES: Readonly<Record<string, string>> = {
  agent_finish_error: "the agent ended it with an error",
  agent_no_finish: "the agent did not finish",
  no_branch: "no branch was chosen",
  step_timeout: "the step took too long",
  run_timeout: "the run took too long",
  max_turns: "all turns were used",
  agent_stuck: "the agent was going in circles",
  api_error: "the model's provider failed",
  config: "its configuration is not valid",
  code_error: "its code failed",
  code_contract: "its code returned something other than it declares",
  code_timeout: "its code took too long",
  code_diverged: "its code called something else than before",
  flow_hard_error: "its code stopped the flow",
  child_failed: "a child run failed",
  tool_failed: "its tool failed",
  tool_refused: "its call was refused",
  tool_uncertain: "the outcome of its call is unknown",
  budget: "the budget is used",
  engine: "Sluice failed",
}
