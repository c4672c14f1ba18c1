// A new scorer: a judge by a rubric, or an expectation. Its file is valid from the first line, and is edited on its page.

import { useState } from "react"
import { scorerText } from "../../../../web/quality/scorer-words.ts"
import { ChoiceField, LinesField, TextField } from "../../settings/parts/fields.tsx"
import { FormDialog } from "../../settings/parts/form-dialog.tsx"
import { FormFault } from "../../settings/parts/wrong.ts"
import { addressOf, go } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"

/** As the catalog takes names. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

export function NewScorer({ api, onClose }: { readonly api: Api; readonly onClose: () => void }) {
  const [name, setName] = useState("")
  const [kind, setKind] = useState<"judge" | "expect">("judge")
  const [description, setDescription] = useState("")
  const [rubric, setRubric] = useState("")
  return (
    <FormDialog
      title="New scorer"
      act="Create scorer"
      places={["/name", "/description", "/rubric"]}
      onClose={onClose}
      send={async () => {
        const faults: Record<string, string> = {}
        if (!NAME.test(name)) faults["/name"] = "Use letters, digits, “-” and “_”, beginning with a letter or a digit."
        else if ((await api.catalog.list()).data.some((one) => one.kind === "scorer" && one.id === name && one.tier === "local"))
          faults["/name"] = `There is a scorer “${name}” already: choose another name.`
        if (description.trim() === "") faults["/description"] = "Say what a high score means."
        if (kind === "judge" && rubric.trim() === "") faults["/rubric"] = "Say what the judge is to judge, and by what."
        if (Object.keys(faults).length > 0) throw new FormFault(faults)
        await api.catalog.put("scorer", name, scorerText({ name, kind, description: description.trim(), rubric: rubric.trim() }))
        go(addressOf("quality", "scorers", name))
      }}
    >
      {(faults) => (
        <>
          <TextField label="Name" isMono fault={faults["/name"]} value={name} onChange={setName} placeholder="helpful" />
          <TextField
            label="What a high score means"
            fault={faults["/description"]}
            value={description}
            onChange={setDescription}
            placeholder="Does the reply solve the problem, with nothing made up?"
          />
          <ChoiceField
            label="What decides"
            value={kind}
            options={[
              ["judge", "A judge: an agent with a rubric and a model"],
              ["expect", "An expectation, as in a test"],
            ]}
            onChange={setKind}
          />
          {kind === "judge" && (
            <LinesField
              label="Rubric"
              isMono={false}
              hint="The judge reads the run between marks that say it was written by others."
              fault={faults["/rubric"]}
              value={rubric}
              onChange={setRubric}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
