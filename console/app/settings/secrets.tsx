// The vault: names of scopes, and how many values each has. Values go in and never come out.

import { useState } from "react"
import type { SecretRow } from "../../../src/api/doc/settings.doc.ts"
import { Secrets } from "../../../src/client/settings.ts"
import { visible } from "../../../web/chat/wording.ts"
import { counted, fullTime } from "../parts/figures.ts"
import { AskOnce } from "./parts/ask-once.tsx"
import { CheckField, LinesField, TextField } from "./parts/fields.tsx"
import { FormDialog } from "./parts/form-dialog.tsx"
import { FormFault } from "./parts/wrong.ts"
import { Head } from "./parts/head.tsx"
import { AskedView } from "../parts/asked-view.tsx"
import { Row, Rows } from "./parts/row.tsx"
import type { SectionProps } from "./section-props.ts"
import { useAsked } from "../parts/asked.ts"

export function SecretList({ api }: SectionProps) {
  const secrets = new Secrets(api.transport)
  const loaded = useAsked(["settings", "secrets"], () => secrets.list().all())
  const [written, setWritten] = useState<string>()
  const [removed, setRemoved] = useState<SecretRow>()
  return (
    <>
      <Head
        title="Secrets"
        about="What tools, hooks and callbacks sign in with. Values are kept encrypted, and taken out of everything that a run records."
      >
        <button className="btn first" type="button" onClick={() => setWritten("")}>
          Write a secret
        </button>
      </Head>
      <AskedView what="the secrets" of={loaded}>
        {(rows) => (
          <Rows
            label="Secrets"
            isEmpty={rows.length === 0}
            empty="No secret yet. A tool that signs in names one, and its value is written here."
          >
            {rows.map((row) => (
              <Row
                key={row.scope}
                name={<span className="mono">{visible(row.scope)}</span>}
                about={`${counted(row.values, "value")}, written ${fullTime(row.updated)}`}
                actions={
                  <>
                    <button className="btn" type="button" aria-label={`Replace ${row.scope}`} onClick={() => setWritten(row.scope)}>
                      Replace
                    </button>
                    <button className="btn bare danger" type="button" aria-label={`Remove ${row.scope}`} onClick={() => setRemoved(row)}>
                      Remove
                    </button>
                  </>
                }
              />
            ))}
          </Rows>
        )}
      </AskedView>
      {written !== undefined && (
        <SecretForm
          scope={written}
          onClose={() => setWritten(undefined)}
          send={async (scope, values) => {
            await secrets.put(scope, values)
            loaded.again()
          }}
        />
      )}
      {removed && (
        <AskOnce
          title={`Remove the secret “${visible(removed.scope)}”?`}
          act={`Remove ${visible(removed.scope)}`}
          onClose={() => setRemoved(undefined)}
          send={async () => {
            await secrets.delete(removed.scope)
            loaded.again()
          }}
        >
          <p>Calls that need it are refused at once, and hooks that it signs reject every delivery.</p>
        </AskOnce>
      )}
    </>
  )
}

interface FormProps {
  /** "": a new one. */
  readonly scope: string
  readonly onClose: () => void
  readonly send: (scope: string, values: readonly string[]) => Promise<void>
}

function SecretForm({ scope, onClose, send }: FormProps) {
  const [name, setName] = useState(scope)
  const [value, setValue] = useState("")
  const [old, setOld] = useState("")
  const [isLong, setLong] = useState(false)
  return (
    <FormDialog
      title={scope === "" ? "Write a secret" : `Replace “${visible(scope)}”`}
      act="Save the secret"
      places={["/value", "/values"]}
      onClose={onClose}
      send={() => {
        if (name.trim() === "") throw new FormFault({ scope: "Give it a name." })
        if (value.trim() === "") throw new FormFault({ "/values": "Write the value." })
        return send(name.trim(), [value, ...(old.trim() === "" ? [] : [old])])
      }}
    >
      {(faults) => (
        <>
          {scope === "" && (
            <TextField label="Name" isMono size="middle" placeholder="github" fault={faults["scope"]} value={name} onChange={setName} />
          )}
          {isLong ? (
            <LinesField
              label="Value"
              rows={4}
              hint="Exactly as typed, including line breaks."
              fault={faults["/values"] ?? faults["/value"]}
              value={value}
              onChange={setValue}
            />
          ) : (
            <TextField label="Value" type="secret" fault={faults["/values"] ?? faults["/value"]} value={value} onChange={setValue} />
          )}
          <CheckField label="It has several lines, like a key file" isOn={isLong} onChange={setLong} />
          <TextField
            label="The value before (optional)"
            type="secret"
            hint="While you replace a secret, senders may still use the old one."
            value={old}
            onChange={setOld}
          />
        </>
      )}
    </FormDialog>
  )
}
