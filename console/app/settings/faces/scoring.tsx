// Sets which runs are scored, by which scorers, and what judges may use in a day [V13, V14]: one rule for each pattern of flows.

import { ScoresClient } from "../../../../src/client/scores.ts"
import { Scorers } from "../../../../src/client/scorers.ts"
import { settingsOver } from "../../../../src/client/settings.ts"
import type { SettingValue } from "../../../../src/api/settings.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { classes } from "../../parts/classes.ts"
import type { Choice } from "../../parts/choice.ts"
import { Combobox } from "../../parts/combobox.tsx"
import { counted, money, tokens } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import { Head } from "../parts/head.tsx"
import type { SectionProps } from "../section-props.ts"
import { Line, NamesField, NumberIn } from "./fields.tsx"
import { TwoFaces } from "./two-faces.tsx"
import { useFace, type Face } from "./use-face.ts"
import css from "./faces.module.css"

export function ScoringSection({ api }: SectionProps) {
  const { scoring } = settingsOver(api.transport)
  const loaded = useAsked(["settings", "document", "scoring"], () => scoring.get(), { isFresh: true })
  return (
    <>
      <Head title="Scoring" about="Which runs are scored when they end, which of them people grade, and what judges may use in a day." />
      <Today api={api} />
      <AskedView what="the scoring" of={loaded}>
        {(value) => <ScoringFaces api={api} saved={value} again={loaded.again} />}
      </AskedView>
    </>
  )
}

function Today({ api }: Pick<SectionProps, "api">) {
  const { value } = useAsked(["scores", "today"], () => new ScoresClient(api.transport).today())
  if (value === undefined) return null
  const { scored, waiting, skipped, usage } = value
  return (
    <p className="mid" aria-label="Today">
      Today, in UTC: {counted(scored, "score")}, {waiting} waiting, judges used {money(usage.usd)} and {tokens(usage.tokens)} tokens.
      {skipped.budget > 0 && ` ${skipped.budget} skipped: the budget did not cover them.`}
      {skipped.queue > 0 && ` ${skipped.queue} skipped: too many waited.`}
    </p>
  )
}

const formHas = (pointer: string): boolean =>
  /^\/flows\/\d+\/(match|scorers(\/\d+)?|sample|grade|low)$/.test(pointer) || /^\/budget(\/(usd|tokens))?$/.test(pointer)

/** Of a new rule: one run in twenty. */
const SAMPLE = 0.05

function ScoringFaces({ api, saved, again }: { readonly api: SectionProps["api"]; readonly saved: unknown; readonly again: () => void }) {
  const face = useFace(saved, (value) => settingsOver(api.transport).scoring.put(value as SettingValue<"scoring">), formHas, again)
  const flows = useAsked(["catalog", "flow ids"], async () =>
    (await api.catalog.list()).data.flatMap(({ kind, id }) => (kind === "flow" ? [id] : [])),
  )
  const scorers = useAsked(["catalog", "scorers"], () => new Scorers(api.transport).list().all())
  const rules = face.at(["flows"])
  const count = Array.isArray(rules) ? rules.length : 0
  const add = (): void =>
    face.set(["flows"], [...(Array.isArray(rules) ? (rules as unknown[]) : []), { match: "", scorers: ["tools-worked"], sample: SAMPLE }])
  return (
    <TwoFaces
      api={api}
      face={face}
      noun="scoring"
      label="Scoring"
      form={
        <>
          {count === 0 && <p className="mid">No run is scored by itself. Add a rule, or score single runs on their pages.</p>}
          {Array.from({ length: count }, (_, index) => (
            <Rule
              key={index}
              face={face}
              index={index}
              flows={flows.value ?? []}
              scorers={(scorers.value ?? []).map(({ name, description }) => ({ value: name, note: description }))}
            />
          ))}
          <div className="bar">
            <button className="btn bare" type="button" onClick={add}>
              <Icon name="plus" kind="i-s" /> Add a rule
            </button>
          </div>
          <Line label="Judges may use" about="in a UTC day; a rule with a judge needs it" fault={face.faultAt(["budget"])}>
            <div className={css.inl}>
              <BudgetIn face={face} unit="usd" label="US dollars for judges in a day" />
              <span>US dollars, or</span>
              <BudgetIn face={face} unit="tokens" label="Tokens for judges in a day" />
              <span>tokens</span>
            </div>
          </Line>
        </>
      }
    />
  )
}

function BudgetIn({ face, unit, label }: { readonly face: Face; readonly unit: "usd" | "tokens"; readonly label: string }) {
  const value = face.at(["budget", unit])
  const other = face.at(["budget", unit === "usd" ? "tokens" : "usd"])
  return (
    <NumberIn
      face={face}
      path={["budget", unit]}
      label={label}
      value={typeof value === "number" ? value : undefined}
      // A budget of nothing is none.
      onValue={(next) => (next === undefined && other === undefined ? face.set(["budget"], undefined) : face.set(["budget", unit], next))}
    />
  )
}

interface RuleProps {
  readonly face: Face
  readonly index: number
  readonly flows: readonly string[]
  readonly scorers: readonly Choice[]
}

function Rule({ face, index, flows, scorers }: RuleProps) {
  const path = ["flows", index] as const
  const given = face.at([...path, "match"])
  const folders = [...new Set(flows.flatMap((flow) => (flow.includes(":") ? [`${flow.slice(0, flow.lastIndexOf(":"))}:*`] : [])))]
  const share = (member: "sample" | "grade" | "low", label: string, factor: number) => {
    const value = face.at([...path, member])
    return (
      <NumberIn
        face={face}
        path={[...path, member]}
        label={`${label} of rule ${index + 1}`}
        value={typeof value === "number" ? Number((value * factor).toPrecision(12)) : undefined}
        onValue={(next) => face.set([...path, member], next === undefined ? undefined : Number((next / factor).toPrecision(12)))}
      />
    )
  }
  return (
    <fieldset className={classes(css.rule, "bare")}>
      <legend className="vh">Rule {index + 1}</legend>
      <Line label="Flows" fault={face.faultAt([...path, "match"])}>
        <div className={css.inl}>
          <Combobox
            id={`scoring-${index}`}
            isFree
            aria-label={`Flows of rule ${index + 1}`}
            className={classes("mono", css.pick, face.isChanged([...path, "match"]) && css.changed)}
            placeholder="support:*"
            choices={[...folders, ...flows].map((value) => ({ value }))}
            value={typeof given === "string" ? given : ""}
            onChange={(value) => face.set([...path, "match"], value)}
          />
          <button
            className="btn bare square"
            type="button"
            aria-label={`Remove rule ${index + 1}`}
            onClick={() => face.set(path, undefined)}
          >
            <Icon name="x" />
          </button>
        </div>
      </Line>
      <NamesField face={face} path={[...path, "scorers"]} label="Scorers" placeholder="Add a scorer" choices={scorers} />
      <Line label="Sample" about="of the runs that end" fault={face.faultAt([...path, "sample"])}>
        <div className={css.inl}>
          {share("sample", "Sample", 100)}
          <span>percent are scored</span>
        </div>
      </Line>
      <Line label="People grade" about="with the judges’ levels" fault={face.faultAt([...path, "grade"])}>
        <div className={css.inl}>
          {share("grade", "Grades", 100)}
          <span>percent of the sample</span>
        </div>
      </Line>
      <Line label="Low" about="among the failures" fault={face.faultAt([...path, "low"])}>
        <div className={css.inl}>
          <span>a score below</span>
          {share("low", "Low score", 1)}
        </div>
      </Line>
    </fieldset>
  )
}
