// A new experiment: variants of a flow on its last runs or on a dataset. What it would take is said before it begins.

import { useState } from "react"
import type { ExperimentForecastShown } from "../../../../src/api/doc/experiments.doc.ts"
import { DatasetsClient } from "../../../../src/client/datasets.ts"
import { ExperimentsClient } from "../../../../src/client/experiments.ts"
import { Scorers } from "../../../../src/client/scorers.ts"
import { experimentWish, VARIANT_KINDS, type ExperimentForm } from "../../../../web/quality/experiment-form.ts"
import { forecastWords } from "../../../../web/quality/forecast-words.ts"
import { useAsked } from "../../parts/asked.ts"
import { ChoiceField, TextField } from "../../settings/parts/fields.tsx"
import { FormDialog } from "../../settings/parts/form-dialog.tsx"
import { FormFault } from "../../settings/parts/wrong.ts"
import { faultOf } from "../../parts/fault.ts"
import { askAnew } from "../../shell/ask-anew.ts"
import { addressOf, go } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { ScorerChecks } from "./scorer-checks.tsx"

interface Props {
  readonly api: Api
  /** What the page that leads here has chosen. */
  readonly given: URLSearchParams
  readonly onClose: () => void
}

const PLACES = ["/flow", "/dataset", "/variants", "/scorers", "/budget"]

export function NewExperiment({ api, given, onClose }: Props) {
  const flows = useAsked(["catalog", "flow ids"], async () =>
    (await api.catalog.list()).data.flatMap(({ kind, id }) => (kind === "flow" ? [id] : [])),
  )
  const datasets = useAsked(["catalog", "datasets"], () => new DatasetsClient(api.transport).list().all())
  const scorers = useAsked(["catalog", "scorers"], () => new Scorers(api.transport).list().all())
  const drafts = useAsked(["drafts", "names"], async () => (await api.catalog.drafts.list().all()).map(({ draft }) => draft))
  const [form, setForm] = useState<ExperimentForm>(() => ({
    flow: given.get("flow") ?? "",
    dataset: given.get("dataset") ?? "",
    last: "100",
    kind: given.get("model") !== null ? "model" : given.get("revision") !== null ? "revision" : "draft",
    value: given.get("model") ?? given.get("revision") ?? given.get("draft") ?? "",
    agent: given.get("agent") ?? "",
    scorers: ["tools-worked"],
    usd: "",
  }))
  const [forecast, setForecast] = useState<ExperimentForecastShown>()
  const [told, setTold] = useState<string>()
  const set = (change: Partial<ExperimentForm>): void => {
    setForm({ ...form, ...change })
    setForecast(undefined)
    setTold(undefined)
  }
  const wishOf = () => {
    const wish = experimentWish(form)
    if ("faults" in wish) throw new FormFault(wish.faults)
    return wish.wish
  }
  const check = async (): Promise<void> => {
    const wish = experimentWish(form)
    if ("faults" in wish) return setTold(Object.values(wish.faults).join(" "))
    setTold("Looking at up to 50 rows.")
    try {
      setForecast(await new ExperimentsClient(api.transport).check(wish.wish))
      setTold(undefined)
    } catch (error) {
      setTold(faultOf(error))
    }
  }
  const mine = datasets.value?.filter(({ flow }) => flow === form.flow) ?? []
  return (
    <FormDialog
      title="New experiment"
      act="Begin"
      places={PLACES}
      onClose={onClose}
      onDone={() => undefined}
      send={async () => {
        const { id } = await new ExperimentsClient(api.transport).start(wishOf())
        askAnew("experiments")
        go(addressOf("quality", "experiments", id))
      }}
    >
      {(faults) => (
        <>
          <TextField
            label="Flow"
            isMono
            fault={faults["/flow"]}
            value={form.flow}
            choices={flows.value ?? []}
            onChange={(flow) => set({ flow, dataset: "" })}
          />
          <ChoiceField
            label="Rows"
            fault={faults["/dataset"]}
            value={form.dataset}
            options={[["", "Its last runs"], ...mine.map(({ name, rows }) => [name, `The dataset ${name}, ${rows} rows`] as const)]}
            onChange={(dataset) => set({ dataset })}
          />
          {form.dataset === "" && (
            <TextField label="How many runs" type="number" size="short" value={form.last} onChange={(last) => set({ last })} />
          )}
          <ChoiceField
            label="Compare what is live with"
            value={form.kind}
            options={VARIANT_KINDS}
            onChange={(kind) => set({ kind, value: "" })}
          />
          {form.kind === "model" && (
            <TextField label="Agent" isMono value={form.agent} onChange={(agent) => set({ agent })} fault={faults["/agent"]} />
          )}
          {form.kind !== "recorded" && (
            <TextField
              label={form.kind === "draft" ? "Draft" : form.kind === "revision" ? "Revision" : "Model"}
              isMono
              fault={faults["/variants"]}
              value={form.value}
              choices={form.kind === "draft" ? drafts.value : undefined}
              onChange={(value) => set({ value })}
            />
          )}
          <ScorerChecks
            scorers={scorers.value ?? []}
            chosen={form.scorers}
            fault={faults["/scorers"]}
            onChange={(next) => set({ scorers: next })}
          />
          <TextField
            label="It may spend, in US dollars"
            type="number"
            size="middle"
            hint="Empty: no model with a price is asked."
            fault={faults["/budget"]}
            value={form.usd}
            onChange={(usd) => set({ usd })}
          />
          <p>
            <button className="btn" type="button" onClick={() => void check()}>
              What would it take?
            </button>
          </p>
          <p className="mid" role="status">
            {forecast === undefined ? told : forecastWords(forecast)}
          </p>
        </>
      )}
    </FormDialog>
  )
}
