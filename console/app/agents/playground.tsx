// The playground [K19]: a recorded turn, and beside it what other models, prompts and thinking levels answer. No tool runs.

import { useEffect, useMemo, useRef, useState } from "react"
import type { Used } from "../../../src/api/doc/used.doc.ts"
import type { Choice } from "../parts/choice.ts"
import { faultOf } from "../parts/fault.ts"
import { money } from "../parts/figures.ts"
import { useAsked } from "../parts/asked.ts"
import { useKeys } from "../shell/keys.ts"
import { useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { ColumnView, mostWords, RecordedView, type ColumnOutcome } from "./column-view.tsx"
import { MAX_COLUMNS, wishOf, type Column } from "../../../web/agent/column.ts"
import { RecordedTurn, type StepPlace } from "./recorded-turn.tsx"
import type { Verdicts } from "./reply-view.tsx"
import { SameRuns } from "./same-runs.tsx"
import { useCosts } from "./use-costs.ts"
import { classes } from "../parts/classes.ts"
import css from "./playground.module.css"

interface Props {
  readonly api: Api
  readonly name: string
  readonly uses: Used["uses"]
  readonly isRead: boolean
  readonly draft: string | undefined
  readonly live: string
  readonly isShown: boolean
}

const RUNS = 20
const NAMES = ["First", "Second", "Third"] as const

export function Playground({ api, name, uses, isRead, draft, live, isShown }: Props) {
  const query = useQuery()
  const steps = useMemo(
    () => uses.flatMap((use): StepPlace[] => (use.kind === "flow" && use.step !== undefined ? [{ flow: use.id, step: use.step }] : [])),
    [uses],
  )
  const place = steps.find(({ flow, step }) => flow === query.get("flow") && step === query.get("step")) ?? steps[0]
  const at = place === undefined ? "" : `${place.flow} ${place.step}`
  const runs = useAsked(["run", "played runs", at], async () =>
    place ? (await api.runs.list({ flow: place.flow, limit: RUNS }).page()).data : [],
  )
  const run = query.get("run") ?? runs.value?.[0]?.id
  const turn = query.has("turn") ? Number(query.get("turn")) : undefined
  const pass = query.has("pass") ? Number(query.get("pass")) : undefined
  const ofPass = pass === undefined ? {} : { pass }
  const which = turn === undefined ? ofPass : { ...ofPass, turn }
  const whole = `${run ?? ""} ${place?.step ?? ""}`
  const where = `${whole} ${pass ?? ""}`
  // The last pass says how many there are.
  const passes = useAsked(["run", "passes", whole], async () =>
    run === undefined || !place ? undefined : (await api.runs.checkTurn(run, place.step)).pass,
  )
  // The last turn says how many there are.
  const last = useAsked(["run", "last turn", where], async () =>
    run === undefined || !place ? undefined : api.runs.checkTurn(run, place.step, ofPass),
  )
  const about = `${where} ${turn ?? ""}`
  const chosen = useAsked(["run", "turn", about], async () =>
    run === undefined || !place ? undefined : { about, check: await api.runs.checkTurn(run, place.step, which) },
  )
  // Of another turn the answer is not shown, not even until the next one is there.
  const check = chosen.value?.about === about ? chosen.value.check : undefined
  const recorded = check?.recorded ?? null
  const verdicts = useVerdicts(api, name, place)
  const models = useModels(api, recorded?.model)
  const [columns, setColumns] = useState<readonly Column[]>([{ id: 0, name: NAMES[0], model: "", prompt: "live", text: live }])
  const [outcomes, setOutcomes] = useState<Readonly<Record<number, ColumnOutcome>>>({})
  const next = useRef(1)
  const texts = { draft, live }
  const costs = useCosts(api, { run, step: place?.step, which, columns, texts })
  useEffect(() => setOutcomes({}), [about])

  const mayRun = api.who.scopes.includes("runs:write") && api.who.scopes.includes("runs:read")
  const add = (): void => {
    if (columns.length >= MAX_COLUMNS) return
    const free = NAMES.find((one) => columns.every(({ name: taken }) => taken !== one)) ?? NAMES[0]
    setColumns([...columns, { id: next.current, name: free, model: "", prompt: draft === undefined ? "live" : "draft", text: live }])
    next.current += 1
  }
  const tries = useRef(0)
  const runAll = (): void => {
    if (run === undefined || !place || !mayRun || check === undefined || Object.values(outcomes).some(({ isBusy }) => isBusy)) return
    tries.current += 1
    const mine = tries.current
    for (const column of columns) {
      const set = (outcome: ColumnOutcome): void => {
        if (mine === tries.current) setOutcomes((before) => ({ ...before, [column.id]: outcome }))
      }
      set({ isBusy: true })
      api.runs.tryTurn(run, place.step, { ...wishOf(column, texts), ...which }).then(
        (said) => set({ said }),
        (error: unknown) => set({ fault: faultOf(error) }),
      )
    }
  }
  // Another turn: what is still on its way belongs to the one before.
  useEffect(() => void (tries.current += 1), [about])
  useKeys("playground", { add, run: runAll }, !isShown)

  if (isRead && steps.length === 0)
    return (
      <section className="panel empty-state">
        <h2>No flow uses this agent</h2>
        <p className="mid">The playground repeats a recorded turn. Use the agent in a step of a flow, and run that flow once.</p>
      </section>
    )
  const sum = columns.reduce((all, { id }) => all + (costs[id]?.usd ?? 0), 0)
  // undefined: nothing is read, and no attribute says so.
  const isReading =
    (runs.value === undefined && runs.fault === undefined) ||
    (run !== undefined && check === undefined && chosen.fault === undefined) ||
    undefined
  const isBusy = Object.values(outcomes).some((one) => one.isBusy === true)
  const isOff = !mayRun || check === undefined || columns.length === 0 || isBusy
  return (
    <div className={css.pg} aria-busy={isReading} data-reading={isReading}>
      <div className={classes("panel", css.pgIn)}>
        <RecordedTurn
          steps={steps}
          runs={runs.value}
          place={place}
          run={run}
          passes={passes.value}
          pass={pass}
          last={last.value?.turn}
          turn={turn}
        />
        <span className="grow" />
        <button className="btn" type="button" aria-disabled={columns.length >= MAX_COLUMNS} onClick={add}>
          Add column <kbd>+</kbd>
        </button>
        <button className="btn first" type="button" aria-disabled={isOff} onClick={() => !isOff && runAll()}>
          {isBusy ? "Asking" : `Run ${columns.length}`} <kbd>Ctrl Enter</kbd>
        </button>
        <p className={classes("mid small", css.pgSay)}>
          Each column asks one model turn on the recorded request. No tool runs, and the run does not change.{" "}
          {mayRun
            ? columns.every(({ id }) => costs[id]?.usd !== undefined && costs[id]?.usd !== null)
              ? `At most ${money(sum)} in all.`
              : ""
            : "Your key may not run flows: it needs runs:write and runs:read."}
        </p>
      </div>
      {runs.value?.length === 0 && <p className="note">No run of {place?.flow} yet. Run the flow once, and its turns can be tried here.</p>}
      {(runs.fault ?? last.fault ?? chosen.fault) !== undefined && (
        <p className="note failed" role="alert">
          {runs.fault ?? last.fault ?? chosen.fault}
        </p>
      )}
      {check !== undefined && (
        <div className={css.pgCols} tabIndex={0} role="region" aria-label="Columns">
          <RecordedView recorded={recorded} verdicts={verdicts} />
          {columns.map((column) => (
            <ColumnView
              key={column.id}
              column={column}
              recorded={recorded}
              outcome={outcomes[column.id]}
              most={costs[column.id]?.fault ?? mostWords(costs[column.id]?.usd)}
              verdicts={verdicts}
              hasDraft={draft !== undefined}
              models={models}
              onChange={(now) => setColumns(columns.map((one) => (one.id === now.id ? now : one)))}
              onRemove={() => setColumns(columns.filter(({ id }) => id !== column.id))}
            />
          ))}
        </div>
      )}
      {place && check !== undefined && mayRun && (
        <SameRuns api={api} agent={name} place={place} runs={runs.value ?? []} columns={columns} texts={texts} verdicts={verdicts} />
      )}
    </div>
  )
}

/** What the rules of the step would do with a call. */
function useVerdicts(api: Api, name: string, place: StepPlace | undefined): Verdicts {
  const { value } = useAsked(["catalog", "verdicts", name, place?.flow, place?.step], async () =>
    place ? api.catalog.tools(name, place).all() : [],
  )
  return useMemo(
    () =>
      new Map(value?.map(({ name: tool, granted, asks }) => [tool, !granted ? "refused" : asks === "never" ? "runs" : "asks"] as const)),
    [value],
  )
}

/** Names that the model's field offers. */
function useModels(api: Api, recorded: string | undefined): readonly Choice[] {
  const { value } = useAsked(["settings", "roles asked"], async () =>
    api.who.scopes.includes("admin") ? api.transport.json<Readonly<Record<string, unknown>>>("GET", "/v1/settings/roles") : {},
  )
  return useMemo(() => {
    const names = new Set([recorded, ...Object.entries(value ?? {}).flatMap(([role, models]) => [`@${role}`, ...[models].flat()])])
    return [...names].flatMap((one) => (typeof one === "string" ? [{ value: one }] : []))
  }, [value, recorded])
}
