// The gate: what must hold before a change of a flow is live. One rule for each pattern of flows.

import { settingsOver } from "../../../../src/client/settings.ts"
import type { SettingValue } from "../../../../src/api/settings.ts"
import { matchesGlob } from "../../../../src/core/tool/policy/tool-names.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { classes } from "../../parts/classes.ts"
import { Combobox } from "../../parts/combobox.tsx"
import { counted } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import { CheckField } from "../parts/fields.tsx"
import { Head } from "../parts/head.tsx"
import type { SectionProps } from "../section-props.ts"
import { GateCheck, type GateRule } from "./gate-check.tsx"
import { Line, NamesField, NumberIn } from "./fields.tsx"
import { TwoFaces } from "./two-faces.tsx"
import { useFace, type Face } from "./use-face.ts"
import css from "./faces.module.css"

export function GateSection({ api }: SectionProps) {
  const { gate } = settingsOver(api.transport)
  const loaded = useAsked(["settings", "document", "gate"], () => gate.get(), { isFresh: true })
  return (
    <>
      <Head title="Gate" about="What must hold before a change to a flow goes live: its tests pass, and recorded runs go the same way." />
      <AskedView what="the gate" of={loaded}>
        {(value) => <GateFaces api={api} saved={value} again={loaded.again} />}
      </AskedView>
    </>
  )
}

const formHas = (pointer: string): boolean => /^\/flows\/\d+\/(match|tests|backtest(\/.*)?)$/.test(pointer)
/** How many recorded runs a new rule asks for. */
const LAST = 10
/** Kinds of difference, as the run's comparison names them. */
const KINDS = {
  prompt: "prompts differ",
  tools: "other tools",
  model: "another model",
  guard: "a different decision by the policy",
  route: "a different way through the flow",
  calls: "different calls within a step",
  schema: "a different form of answer",
  code: "a different result from code",
} as const

function GateFaces({ api, saved, again }: { readonly api: SectionProps["api"]; readonly saved: unknown; readonly again: () => void }) {
  const face = useFace(saved, (value) => settingsOver(api.transport).gate.put(value as SettingValue<"gate">), formHas, again)
  const flows = useAsked(["catalog", "flow ids"], async () =>
    (await api.catalog.list()).data.flatMap(({ kind, id }) => (kind === "flow" ? [id] : [])),
  )
  const rules = face.at(["flows"])
  const count = Array.isArray(rules) ? rules.length : 0
  const add = (): void => face.set(["flows"], [...(Array.isArray(rules) ? (rules as unknown[]) : []), { match: "", tests: true }])
  return (
    <TwoFaces
      api={api}
      face={face}
      noun="gate"
      label="Gate"
      preview={
        flows.value !== undefined &&
        api.who.scopes.includes("runs:read") && <GateCheck api={api} rules={rulesOf(rules)} flows={flows.value} />
      }
      form={
        <>
          {count === 0 && <p className="mid">No flow has a gate: every change without errors goes live when it is saved.</p>}
          {Array.from({ length: count }, (_, index) => (
            <Rule key={index} face={face} index={index} flows={flows.value ?? []} />
          ))}
          <div className="bar">
            <button className="btn bare" type="button" onClick={add}>
              <Icon name="plus" kind="i-s" /> Add a rule
            </button>
          </div>
        </>
      }
    />
  )
}

/** As far as they are rules: the text may say anything. */
const rulesOf = (rules: unknown): readonly GateRule[] =>
  (Array.isArray(rules) ? (rules as unknown[]) : []).flatMap((rule) => {
    if (typeof rule !== "object" || rule === null) return []
    const { match, tests, backtest } = rule as Readonly<Record<string, unknown>>
    const last = (backtest as { readonly last?: unknown } | undefined)?.last
    return typeof match === "string" ? [{ match, tests: tests !== false, last: typeof last === "number" ? last : undefined }] : []
  })

function Rule({ face, index, flows }: { readonly face: Face; readonly index: number; readonly flows: readonly string[] }) {
  const path = ["flows", index] as const
  const given = face.at([...path, "match"])
  const match = typeof given === "string" ? given : ""
  const last = face.at([...path, "backtest", "last"])
  const hit = match === "" ? [] : flows.filter((flow) => matchesGlob(match, flow))
  const folders = [...new Set(flows.flatMap((flow) => (flow.includes(":") ? [`${flow.slice(0, flow.lastIndexOf(":"))}:*`] : [])))]
  return (
    <fieldset className={classes(css.rule, "bare")}>
      <legend className="vh">Rule {index + 1}</legend>
      <Line label="Flows" fault={face.faultAt([...path, "match"])}>
        <div className={css.inl}>
          <Combobox
            id={`gate-${index}`}
            isFree
            aria-label={`Flows of rule ${index + 1}`}
            className={classes("mono", css.pick, face.isChanged([...path, "match"]) && css.changed)}
            placeholder="support:*"
            choices={[...folders, ...flows].map((value) => ({ value }))}
            value={match}
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
        {match !== "" && (
          <span className="small dim">
            {hit.length === 0
              ? "Matches no flow yet."
              : `${counted(hit.length, "flow")}: ${hit.slice(0, 4).join(", ")}${hit.length > 4 ? ", …" : ""}`}
          </span>
        )}
      </Line>
      <Line label="Tests" fault={face.faultAt([...path, "tests"])}>
        <CheckField
          label="All tests of the flow pass"
          isOn={face.at([...path, "tests"]) !== false}
          onChange={(isOn) => face.set([...path, "tests"], isOn)}
        />
      </Line>
      <Line label="Recorded runs" about="go the same way" fault={face.faultAt([...path, "backtest"])}>
        <div className={css.inl}>
          <CheckField
            label="The last"
            isOn={last !== undefined}
            onChange={(isOn) => face.set([...path, "backtest"], isOn ? { last: LAST } : undefined)}
          />
          {last !== undefined && (
            <>
              <NumberIn
                face={face}
                path={[...path, "backtest", "last"]}
                label={`Recorded runs of rule ${index + 1}`}
                value={typeof last === "number" ? last : undefined}
                onValue={(value) => face.set([...path, "backtest", "last"], value ?? LAST)}
              />
              <span>runs</span>
            </>
          )}
        </div>
      </Line>
      {last !== undefined && (
        <NamesField
          face={face}
          path={[...path, "backtest", "allow"]}
          label="May differ"
          about="without stopping the change"
          placeholder="Nothing"
          choices={Object.entries(KINDS).map(([value, note]) => ({ value, note }))}
        />
      )}
    </fieldset>
  )
}
