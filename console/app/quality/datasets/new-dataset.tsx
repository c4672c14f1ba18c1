// A new dataset: its name and its flow, which stays.

import { useState } from "react"
import { DatasetsClient } from "../../../../src/client/datasets.ts"
import { useAsked } from "../../parts/asked.ts"
import { TextField } from "../../settings/parts/fields.tsx"
import { FormDialog } from "../../settings/parts/form-dialog.tsx"
import { FormFault } from "../../settings/parts/wrong.ts"
import { askAnew } from "../../shell/ask-anew.ts"
import { addressOf, go } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"

export function NewDataset({ api, onClose }: { readonly api: Api; readonly onClose: () => void }) {
  const flows = useAsked(["catalog", "flow ids"], async () =>
    (await api.catalog.list()).data.flatMap(({ kind, id }) => (kind === "flow" ? [id] : [])),
  )
  const [name, setName] = useState("")
  const [flow, setFlow] = useState("")
  const [description, setDescription] = useState("")
  return (
    <FormDialog
      title="New dataset"
      act="Create dataset"
      places={["/name", "/flow", "/description"]}
      onClose={onClose}
      send={async () => {
        const faults: Record<string, string> = {}
        if (name.trim() === "") faults["/name"] = "Give the dataset a name."
        if (flow.trim() === "") faults["/flow"] = "Choose the flow that its rows are for."
        if (Object.keys(faults).length > 0) throw new FormFault(faults)
        const about = description.trim()
        await new DatasetsClient(api.transport).put(name.trim(), { flow: flow.trim(), ...(about === "" ? {} : { description: about }) })
        askAnew("catalog")
        go(addressOf("quality", "datasets", name.trim()))
      }}
    >
      {(faults) => (
        <>
          <TextField label="Name" isMono fault={faults["/name"]} value={name} onChange={setName} placeholder="regression" />
          <TextField
            label="Flow"
            isMono
            fault={faults["/flow"]}
            value={flow}
            choices={flows.value ?? []}
            onChange={setFlow}
            hint="It cannot be changed later."
          />
          <TextField label="What it is for" fault={faults["/description"]} value={description} onChange={setDescription} />
        </>
      )}
    </FormDialog>
  )
}
