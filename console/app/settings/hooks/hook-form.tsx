// A hook that is made or changed.

import { useState } from "react"
import type { HookRow } from "../../../../src/api/doc/hooks.doc.ts"
import { Secrets } from "../../../../src/client/settings.ts"
import type { NewHook } from "../../../../src/api/hooks.ts"
import { fieldsFrom } from "../../../../web/start/block-form.ts"
import { editable, visible } from "../../../../web/chat/wording.ts"
import { useAsked } from "../../parts/asked.ts"
import type { Api } from "../../shell/session.ts"
import { CheckField, ChoiceField, LinesField, TextField } from "../parts/fields.tsx"
import { SecretField, writeSecret } from "../parts/secret-field.tsx"
import { FormDialog } from "../parts/form-dialog.tsx"
import { StartBlock, START_PLACES } from "../parts/start-block.tsx"
import { sentBlock } from "../parts/sent-block.ts"
import { FormFault } from "../parts/wrong.ts"

type Kind = NewHook["kind"]

const KINDS = [
  ["github", "GitHub"],
  ["stripe", "Stripe"],
  ["slack", "Slack"],
  ["standard", "Standard Webhooks"],
  ["hmac", "HMAC of the body"],
  ["token", "A token in a header"],
] as const satisfies readonly (readonly [Kind, string])[]

const PLACES = ["/flow", "/kind", "/secret", "/header", "/mapping/task", "/filter", ...START_PLACES]

interface Props {
  readonly api: Api
  /** undefined: a new one. */
  readonly row: HookRow | undefined
  readonly onClose: () => void
  readonly send: (hook: NewHook) => Promise<void>
}

export function HookForm({ api, row, onClose, send }: Props) {
  const [flow, setFlow] = useState(row?.flow ?? "")
  const [kind, setKind] = useState<Kind>(row?.kind ?? "github")
  const [secret, setSecret] = useState(row?.secret ?? "")
  const [written, setWritten] = useState("")
  const [header, setHeader] = useState(row?.header ?? "")
  const [task, setTask] = useState(row?.mapping.task ?? "")
  const [filter, setFilter] = useState(row?.filter ?? "")
  const [more, setMore] = useState(() => moreOf(row))
  const [block, setBlock] = useState(() => fieldsFrom(row?.start))
  const [isAutonomous, setAutonomous] = useState(row?.autonomous ?? true)
  const [isEnabled, setEnabled] = useState(row?.enabled ?? true)
  // The form works without them.
  const flows = useAsked(["catalog", "flow ids"], async () =>
    (await api.catalog.list()).data.flatMap(({ kind: what, id }) => (what === "flow" ? [id] : [])),
  )
  const scopes = useAsked(["settings", "secret scopes"], async () =>
    (await new Secrets(api.transport).list().all()).map(({ scope }) => scope),
  )
  const isOwn = kind === "hmac" || kind === "token"
  const submit = async (): Promise<void> => {
    const { mapping, ...others } = readMore(more)
    await writeSecret(api, { scopes: scopes.value, name: secret, value: written })
    const said = { ...mapping, ...(task.trim() === "" ? {} : { task }) }
    await send({
      ...others,
      flow: flow.trim(),
      kind,
      secret: secret.trim(),
      ...(isOwn && header.trim() !== "" ? { header: header.trim() } : {}),
      ...(Object.keys(said).length === 0 ? {} : { mapping: said }),
      ...(filter.trim() === "" ? {} : { filter }),
      ...sentBlock(block),
      autonomous: isAutonomous,
      enabled: isEnabled,
    })
  }
  return (
    <FormDialog
      title={row === undefined ? "Add a hook" : `The hook of “${visible(row.flow)}”`}
      act={row === undefined ? "Add the hook" : "Save the hook"}
      places={PLACES}
      onClose={onClose}
      send={submit}
    >
      {(faults) => (
        <>
          <TextField label="Flow" isMono choices={flows.value ?? []} fault={faults["/flow"]} value={flow} onChange={setFlow} />
          <ChoiceField label="Signature" fault={faults["/kind"]} value={kind} options={KINDS} onChange={setKind} />
          <SecretField
            scopes={scopes.value}
            hint="Choose a secret, or name a new one and write it here. It proves who sent a delivery."
            fault={faults["/secret"]}
            name={secret}
            value={written}
            onName={setSecret}
            onValue={setWritten}
          />
          {isOwn && (
            <TextField
              label="Header (optional)"
              isMono
              placeholder={kind === "hmac" ? "x-signature" : "authorization"}
              fault={faults["/header"]}
              value={header}
              onChange={setHeader}
            />
          )}
          <LinesField
            label="Task (optional)"
            rows={2}
            hint="A template, such as ${{trigger.body.issue.title}}."
            fault={faults["/mapping/task"]}
            value={task}
            onChange={setTask}
          />
          <TextField
            label="Filter (optional)"
            isMono
            placeholder='action == "opened"'
            hint="Deliveries that don't match are ignored."
            fault={faults["/filter"]}
            value={filter}
            onChange={setFilter}
          />
          <StartBlock
            fields={block}
            faults={faults}
            keyHint="A template, such as ${{trigger.body.customer}}. Starts with the same key count together."
            onChange={setBlock}
          />
          <LinesField
            label="More (JSON, optional)"
            hint="“mapping” with inputs, files or thread; “dedupe”; “budget”; “effects”."
            fault={faults["more"]}
            value={more}
            onChange={setMore}
          />
          <CheckField label="Never ask a person" isOn={isAutonomous} onChange={setAutonomous} />
          <CheckField label="Enabled" isOn={isEnabled} onChange={setEnabled} />
        </>
      )}
    </FormDialog>
  )
}

function moreOf(row: HookRow | undefined): string {
  if (row === undefined) return ""
  const { task: _, ...mapping } = row.mapping
  const more = {
    ...(Object.keys(mapping).length === 0 ? {} : { mapping }),
    ...(row.dedupe === undefined ? {} : { dedupe: row.dedupe }),
    ...(row.budget === undefined ? {} : { budget: row.budget }),
    ...(row.effects === undefined ? {} : { effects: row.effects }),
  }
  return Object.keys(more).length === 0 ? "" : editable(more)
}

/** The server checks what is in it. */
function readMore(text: string): Partial<NewHook> {
  if (text.trim() === "") return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  } catch {
    // Said below.
  }
  throw new FormFault({ more: "must be a JSON object" })
}
