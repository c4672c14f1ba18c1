// Adds runs to a dataset of their flow, or to a new one.

import { useId, useState } from "react"
import { DatasetsClient } from "../../../src/client/datasets.ts"
import { addedWords } from "../../../web/quality/added-words.ts"
import { AskedView } from "../parts/asked-view.tsx"
import { useAsked } from "../parts/asked.ts"
import { ChoiceField, TextField } from "../settings/parts/fields.tsx"
import { FormDialog } from "../settings/parts/form-dialog.tsx"
import { FormFault } from "../settings/parts/wrong.ts"
import { askAnew } from "../shell/ask-anew.ts"
import type { Api } from "../shell/session.ts"

interface Props {
  readonly api: Api
  readonly flow: string
  readonly runs: readonly string[]
  /** Somebody said what the answer should have been: the row expects that. */
  readonly isCorrected: boolean
  readonly onClose: () => void
  readonly onAdded: (words: string) => void
}

const NEW = ""

export function AddToDataset({ api, flow, runs, isCorrected, onClose, onAdded }: Props) {
  const datasets = new DatasetsClient(api.transport)
  const asked = useAsked(["catalog", "datasets"], () => datasets.list().all())
  const mine = asked.value?.filter((one) => one.flow === flow)
  const [picked, setPicked] = useState<string>()
  const [name, setName] = useState("")
  const [expect, setExpect] = useState<"nothing" | "output" | "course">("nothing")
  const into = picked ?? mine?.[0]?.name ?? NEW
  const about = useId()
  return (
    <FormDialog
      title={runs.length === 1 ? "Add this run to a dataset" : `Add ${runs.length} runs to a dataset`}
      act="Add"
      places={["/name"]}
      onClose={onClose}
      onDone={() => undefined}
      send={async () => {
        const to = into === NEW ? name.trim() : into
        if (to === "") throw new FormFault({ "/name": "Give the dataset a name." })
        if (into === NEW) await datasets.put(to, { flow })
        const added = await datasets.add(to, { from: { runs: [...runs], ...(expect === "nothing" ? {} : { expect }) } })
        askAnew("catalog")
        onAdded(addedWords(to, added))
      }}
    >
      {(faults) => (
        <AskedView what="the datasets" of={asked}>
          {() => (
            <>
              <ChoiceField
                label="Dataset"
                value={into}
                options={[...(mine ?? []).map((one) => [one.name, one.name] as const), [NEW, "A new dataset"] as const]}
                onChange={setPicked}
              />
              {into === NEW && (
                <TextField
                  label="Name"
                  isMono
                  hint={`Its rows are for ${flow}.`}
                  fault={faults["/name"]}
                  value={name}
                  onChange={setName}
                  placeholder="regression"
                />
              )}
              <ChoiceField
                label="The row expects"
                hint={
                  isCorrected
                    ? "What a person said it should have been takes the place of this."
                    : "The scorer “expected” compares with it."
                }
                value={expect}
                options={[
                  ["nothing", "Nothing: other scorers judge it"],
                  ["output", "The same output"],
                  ["course", "The same way through the flow"],
                ]}
                onChange={setExpect}
              />
              <p className="mid small" id={about}>
                A row has the run’s task, inputs and files, without secrets. It is deleted with its run.
              </p>
            </>
          )}
        </AskedView>
      )}
    </FormDialog>
  )
}
