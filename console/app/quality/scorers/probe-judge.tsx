// Probes a judge on runs of a dataset, or on a flow's last runs.

import { useState } from "react"
import { DatasetsClient } from "../../../../src/client/datasets.ts"
import { Scorers } from "../../../../src/client/scorers.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { ChoiceField, TextField } from "../../settings/parts/fields.tsx"
import { FormDialog } from "../../settings/parts/form-dialog.tsx"
import { FormFault } from "../../settings/parts/wrong.ts"
import type { Api } from "../../shell/session.ts"

interface Props {
  readonly api: Api
  readonly name: string
  readonly onClose: () => void
  readonly onBegun: () => void
}

const MOST = 100
/** The datasets are not all that there is: the last runs of all flows. */
const LAST = ""

export function ProbeJudge({ api, name, onClose, onBegun }: Props) {
  const datasets = useAsked(["catalog", "datasets"], () => new DatasetsClient(api.transport).list().all())
  const [dataset, setDataset] = useState(LAST)
  const [most, setMost] = useState("20")
  const [usd, setUsd] = useState("")
  return (
    <FormDialog
      title={`Probe ${name}`}
      act="Probe"
      places={["/dataset", "/most", "/budget"]}
      onClose={onClose}
      onDone={() => undefined}
      send={async () => {
        const count = Number(most)
        if (!Number.isInteger(count) || count < 1 || count > MOST)
          throw new FormFault({ "/most": `Must be a whole number from 1 to ${MOST}.` })
        const spend = usd.trim()
        if (spend !== "" && !(Number(spend) > 0)) throw new FormFault({ "/budget": "Must be a number above 0." })
        await new Scorers(api.transport).probe(name, {
          dataset: dataset === LAST ? { last: count, status: "succeeded" } : dataset,
          most: count,
          ...(spend === "" ? {} : { budget: { usd: Number(spend) } }),
        })
        onBegun()
      }}
    >
      {(faults) => (
        <AskedView what="the datasets" of={datasets}>
          {(all) => (
            <>
              <ChoiceField
                label="Runs"
                fault={faults["/dataset"]}
                value={dataset}
                options={[[LAST, "The last that succeeded"], ...all.map((one) => [one.name, `Of the dataset ${one.name}`] as const)]}
                onChange={setDataset}
              />
              <TextField label="How many at most" type="number" size="short" fault={faults["/most"]} value={most} onChange={setMost} />
              <TextField
                label="It may spend, in US dollars"
                type="number"
                size="middle"
                hint="Empty: a judge with a price is not asked."
                fault={faults["/budget"]}
                value={usd}
                onChange={setUsd}
              />
              <p className="mid small">
                The judge reads each run three times: as it is, with answers and results taken out, and so with a sentence that asks for the
                best level. No run gets these scores.
              </p>
            </>
          )}
        </AskedView>
      )}
    </FormDialog>
  )
}
