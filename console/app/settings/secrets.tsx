// The vault: names of scopes, and how many values each has. Values go in and never come out.

import { useState } from "react"
import type { SecretRow } from "../../../src/api/doc/settings.doc.ts"
import { Secrets } from "../../../src/client/settings.ts"
import { visible } from "../../../web/chat/wording.ts"
import { counted, fullTime } from "../parts/figures.ts"
import { AskOnce } from "./parts/ask-once.tsx"
import { LinesField, TextField } from "./parts/fields.tsx"
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
        about="Scopes that tools, hooks and callbacks name. Values are sealed when they are written, and removed from whatever a run records."
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
            empty="The vault is empty. A tool that signs in names a scope, and its value is written here."
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
          title={`Remove the scope “${visible(removed.scope)}”?`}
          act={`Remove ${visible(removed.scope)}`}
          onClose={() => setRemoved(undefined)}
          send={async () => {
            await secrets.delete(removed.scope)
            loaded.again()
          }}
        >
          <p>Calls that need it are refused from now on, and hooks that it proves refuse every delivery.</p>
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
  return (
    <FormDialog
      title={scope === "" ? "Write a secret" : `Replace “${visible(scope)}”`}
      act="Write it"
      places={["/value", "/values"]}
      onClose={onClose}
      send={() => {
        if (name.trim() === "") throw new FormFault({ scope: "Name the scope." })
        if (value.trim() === "") throw new FormFault({ "/values": "Write the value." })
        return send(name.trim(), [value, ...(old.trim() === "" ? [] : [old])])
      }}
    >
      {(faults) => (
        <>
          {scope === "" && <TextField label="Scope" isMono placeholder="github" fault={faults["scope"]} value={name} onChange={setName} />}
          <LinesField
            label="Value"
            rows={3}
            hint="As it is, line breaks included."
            fault={faults["/values"] ?? faults["/value"]}
            value={value}
            onChange={setValue}
          />
          <LinesField
            label="The value before (optional)"
            rows={2}
            hint="While a secret is rotated, senders may use either."
            value={old}
            onChange={setOld}
          />
        </>
      )}
    </FormDialog>
  )
}
