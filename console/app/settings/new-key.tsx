// A key that is made: its name, its scopes and when it ends; then its text, this once.

import { useState } from "react"
import { copyText } from "../parts/copy.ts"
import type { Scope } from "../../../src/api/route/route.ts"
import type { MadeKey } from "../../../src/api/doc/tenants.doc.ts"
import type { Keys } from "../../../src/client/settings.ts"
import { Dialog } from "../parts/dialog.tsx"
import { Icon } from "../shell/icons.tsx"
import { CheckField, ChoiceField, TextField } from "./parts/fields.tsx"
import { FormDialog } from "./parts/form-dialog.tsx"
import { FormFault } from "./parts/wrong.ts"

const DAY_MS = 86_400_000

const WHAT: Readonly<Record<Scope, string>> = {
  "runs:write": "start and steer runs",
  "runs:read": "read runs and usage",
  "catalog:write": "change flows, agents and skills",
  "catalog:read": "read flows, agents and skills",
  "tools:call": "call tools from outside a run",
  "interactions:answer": "answer questions and approve",
  admin: "change settings, keys, secrets and hooks",
}

/** In the order above. */
const SCOPES = Object.keys(WHAT) as Scope[]

const ENDS = [
  ["", "Never"],
  ["7", "In 7 days"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const

interface Props {
  readonly keys: Keys
  readonly onClose: () => void
  readonly onMade: () => void
}

export function NewKeyDialog({ keys, onClose, onMade }: Props) {
  const [name, setName] = useState("")
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(["runs:read"]))
  const [days, setDays] = useState<(typeof ENDS)[number][0]>("")
  const [made, setMade] = useState<MadeKey>()
  if (made) return <Shown made={made} onClose={onClose} />
  return (
    <FormDialog
      title="Create a key"
      act="Create the key"
      places={["/name", "/scopes", "/expires"]}
      onClose={onClose}
      // What was made is shown before it closes.
      onDone={() => undefined}
      send={async () => {
        if (scopes.size === 0) throw new FormFault({ "/scopes": "Choose at least one scope." })
        const key = await keys.create({
          ...(name.trim() === "" ? {} : { name: name.trim() }),
          scopes: SCOPES.filter((scope) => scopes.has(scope)),
          ...(days === "" ? {} : { expires: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
        })
        onMade()
        setMade(key)
      }}
    >
      {(faults) => (
        <>
          <TextField
            label="Name"
            hint="Shown beside everything done with this key. Name it after what uses it."
            fault={faults["/name"]}
            value={name}
            onChange={setName}
          />
          <fieldset className="field">
            <legend className="small">Scopes</legend>
            {SCOPES.map((scope) => (
              <CheckField
                key={scope}
                label={`${scope}: ${WHAT[scope]}`}
                isOn={scopes.has(scope)}
                onChange={(isOn) => setScopes(new Set(isOn ? [...scopes, scope] : [...scopes].filter((one) => one !== scope)))}
              />
            ))}
            <p className="msg error" role="alert">
              {faults["/scopes"]}
            </p>
          </fieldset>
          <ChoiceField label="Expires" fault={faults["/expires"]} value={days} options={ENDS} onChange={setDays} />
        </>
      )}
    </FormDialog>
  )
}

function Shown({ made: { name, key = "" }, onClose }: { readonly made: MadeKey; readonly onClose: () => void }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <Dialog title={`The key “${name}”`} onClose={onClose}>
      <div className="dlg-l">
        <p>Copy it now. It is not shown again.</p>
        <pre className="code wrap" tabIndex={0} role="region" aria-label="The key">
          {key}
        </pre>
        <p className="vh" role="status">
          {isCopied ? "Copied" : ""}
        </p>
      </div>
      <div className="dlg-f">
        <button className="btn first" type="button" onClick={() => void copyText(key).then(() => setCopied(true))}>
          <Icon name={isCopied ? "check" : "copy"} />
          {isCopied ? "Copied" : "Copy"}
        </button>
        <button className="btn" type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
