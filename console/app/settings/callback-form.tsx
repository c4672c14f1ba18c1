// A receiver that is made.

import { useState } from "react"
import type { NewCallback } from "../../../src/api/callbacks.ts"
import { Secrets } from "../../../src/client/settings.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"
import { SecretField, writeSecret } from "./parts/secret-field.tsx"
import { CheckField, ChoiceField, TextField } from "./parts/fields.tsx"
import { FormDialog } from "./parts/form-dialog.tsx"

type Event = NonNullable<NewCallback["events"]>[number]
type Kind = NonNullable<NewCallback["kind"]>

const EVENTS = {
  "run.succeeded": "A run succeeded",
  "run.failed": "A run failed",
  "run.canceled": "A run was canceled",
  "run.waiting": "A run asks a person",
} as const satisfies Readonly<Record<Event, string>>
const ALL = Object.keys(EVENTS) as Event[]

const KINDS = [
  ["webhook", "Data (Standard Webhooks)"],
  ["slack", "A message to Slack"],
  ["email-webhook", "Subject, text and HTML for a mailer"],
] as const satisfies readonly (readonly [Kind, string])[]

interface Props {
  readonly api: Api
  readonly onClose: () => void
  readonly send: (callback: NewCallback) => Promise<void>
}

export function CallbackForm({ api, onClose, send }: Props) {
  const [url, setUrl] = useState("")
  const [kind, setKind] = useState<Kind>("webhook")
  const [secret, setSecret] = useState("")
  const [written, setWritten] = useState("")
  const scopes = useAsked(["settings", "secret scopes"], async () =>
    (await new Secrets(api.transport).list().all()).map(({ scope }) => scope),
  )
  const [events, setEvents] = useState<ReadonlySet<Event>>(new Set(ALL))
  const [isThin, setThin] = useState(false)
  return (
    <FormDialog
      title="Add a receiver"
      act="Add the receiver"
      places={["/url", "/secret", "/events", "/kind"]}
      onClose={onClose}
      send={async () => {
        await writeSecret(api, { scopes: scopes.value, name: secret, value: written })
        return send({
          url: url.trim(),
          events: ALL.filter((event) => events.has(event)),
          ...(secret.trim() === "" ? {} : { secret: secret.trim() }),
          ...(kind === "webhook" ? {} : { kind }),
          ...(isThin ? { payload: "thin" as const } : {}),
        })
      }}
    >
      {(faults) => (
        <>
          <TextField label="Address" isMono placeholder="https://" fault={faults["/url"]} value={url} onChange={setUrl} />
          <ChoiceField label="Sends" fault={faults["/kind"]} value={kind} options={KINDS} onChange={setKind} />
          <SecretField
            scopes={scopes.value}
            hint="Signs the messages. Slack and mailers may need none: their address is the secret."
            fault={faults["/secret"]}
            name={secret}
            value={written}
            onName={setSecret}
            onValue={setWritten}
          />
          <fieldset className="field">
            <legend className="small">Notify when</legend>
            {ALL.map((event) => (
              <CheckField
                key={event}
                label={EVENTS[event]}
                isOn={events.has(event)}
                onChange={(isOn) => setEvents(new Set(isOn ? [...events, event] : [...events].filter((one) => one !== event)))}
              />
            ))}
            <p className="msg error" role="alert">
              {faults["/events"]}
            </p>
          </fieldset>
          <CheckField label="Send only the run, its flow and its status" isOn={isThin} onChange={setThin} />
        </>
      )}
    </FormDialog>
  )
}
