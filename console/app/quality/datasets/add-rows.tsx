// Adds rows to a dataset: made of the flow's last runs, of all or of those that people or a scorer found bad, or written by hand.

import { useState } from "react"
import { DatasetsClient } from "../../../../src/client/datasets.ts"
import { addedWords } from "../../../../web/quality/added-words.ts"
import { ChoiceField, LinesField, TextField } from "../../settings/parts/fields.tsx"
import { FormDialog } from "../../settings/parts/form-dialog.tsx"
import { FormFault } from "../../settings/parts/wrong.ts"
import type { Api } from "../../shell/session.ts"

interface Props {
  readonly api: Api
  readonly dataset: string
  readonly flow: string
  readonly onClose: () => void
  readonly onAdded: (words: string) => void
}

type Which = "all" | "down" | "corrected" | "failed" | "hand"

export function AddRows({ api, dataset, flow, onClose, onAdded }: Props) {
  const [which, setWhich] = useState<Which>("all")
  const [last, setLast] = useState("100")
  const [expect, setExpect] = useState<"nothing" | "output">("nothing")
  const [task, setTask] = useState("")
  const [criteria, setCriteria] = useState("")
  return (
    <FormDialog
      title={`Add rows to ${dataset}`}
      act="Add"
      places={["/last", "/rows/0/task", "/rows/0/criteria"]}
      onClose={onClose}
      onDone={() => undefined}
      send={async () => {
        const client = new DatasetsClient(api.transport)
        if (which === "hand") {
          if (task.trim() === "") throw new FormFault({ "/rows/0/task": "Write what the run is asked." })
          const row = { task: task.trim(), ...(criteria.trim() === "" ? {} : { criteria: criteria.trim() }) }
          return onAdded(addedWords(dataset, await client.add(dataset, { rows: [row] })))
        }
        const count = Number(last)
        if (!Number.isInteger(count) || count < 1 || count > 1_000)
          throw new FormFault({ "/last": "Must be a whole number from 1 to 1,000." })
        const filter = which === "all" ? {} : which === "failed" ? { status: which } : { feedback: which }
        onAdded(
          addedWords(dataset, await client.add(dataset, { from: { last: count, ...filter, ...(expect === "output" ? { expect } : {}) } })),
        )
      }}
    >
      {(faults) => (
        <>
          <ChoiceField
            label="Rows"
            value={which}
            options={[
              ["all", `Of the last runs of ${flow}`],
              ["down", "Of runs with a thumb down"],
              ["corrected", "Of runs that somebody corrected"],
              ["failed", "Of runs that failed"],
              ["hand", "One, written here"],
            ]}
            onChange={setWhich}
          />
          {which === "hand" ? (
            <>
              <LinesField label="Task" rows={3} isMono={false} fault={faults["/rows/0/task"]} value={task} onChange={setTask} />
              <LinesField
                label="What the answer must meet"
                hint="The judge “criteria” goes by it."
                rows={2}
                isMono={false}
                fault={faults["/rows/0/criteria"]}
                value={criteria}
                onChange={setCriteria}
              />
            </>
          ) : (
            <>
              <TextField label="How many at most" type="number" size="short" fault={faults["/last"]} value={last} onChange={setLast} />
              <ChoiceField
                label="Each row expects"
                value={expect}
                options={[
                  ["nothing", "Nothing: other scorers judge it"],
                  ["output", "The output of its run"],
                ]}
                onChange={setExpect}
              />
            </>
          )}
        </>
      )}
    </FormDialog>
  )
}
