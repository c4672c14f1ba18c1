// The key, and where the server is. It is tried before it is saved; what the provider says of it stands below it.

import { visible } from "../../../../web/chat/wording.ts"
import { counted } from "../../parts/figures.ts"
import { TextField } from "../parts/fields.tsx"
import type { kindOf } from "./kinds.ts"
import { Step } from "./step.tsx"
import type { Connecting } from "./use-connect.ts"

interface Props {
  readonly of: Connecting
  readonly about: ReturnType<typeof kindOf>
  readonly isTaken: boolean
}

export function KeyStep({ of: { draft, change, list, isKnown, isOpen, open, wrong }, about, isTaken }: Props) {
  const fault = list && !isKnown ? keyFault(about.words, list.status, draft.apiKey.trim().length) : undefined
  const faults = wrong?.faults ?? {}
  const [address, key] = [faults["/baseUrl"] ?? faults["/settings/baseUrl"], faults["/apiKey"] ?? faults["/settings/apiKey"]]
  const isKeyFault = fault !== undefined && about.key !== undefined
  const isOwnServer = about.needsAddress === true
  if (isKnown && !isOpen)
    return (
      <Step title={about.key === undefined ? "Provider" : "Key"} number={2} state="done" about={aboutList(draft.apiKey.trim(), list)}>
        <button className="btn bare" type="button" onClick={open}>
          Change
        </button>
      </Step>
    )
  return (
    <Step
      title={about.key === undefined ? "Name" : "Key"}
      number={2}
      state={isKnown ? "done" : fault !== undefined || address !== undefined || key !== undefined ? "wrong" : "now"}
      about={isKnown ? aboutList(draft.apiKey.trim(), list) : undefined}
    >
      {isOwnServer && (
        <TextField
          label="Address"
          isMono
          placeholder="https://…/v1"
          hint="The base address of its API."
          fault={address}
          value={draft.baseUrl}
          onChange={(baseUrl) => change({ baseUrl })}
        />
      )}
      {about.key !== undefined && (
        <TextField
          label="Key"
          type="secret"
          placeholder={about.key}
          hint="Stored encrypted; nobody can read it again."
          fault={key ?? (isKeyFault ? fault : undefined)}
          value={draft.apiKey}
          onChange={(apiKey) => change({ apiKey })}
        />
      )}
      {about.get !== undefined && !isKnown && (
        <a className="link small" href={about.get} target="_blank" rel="noreferrer">
          Get a key
        </a>
      )}
      {list && !isKnown && (
        <details className="small">
          <summary>What the provider said</summary>
          <p className="mono">{visible(list.message ?? "")}</p>
        </details>
      )}
      {about.key === undefined && fault !== undefined && <p className="msg error">{fault}</p>}
      {isOwnServer ? (
        <NameField name={draft.name} kind={draft.kind} isTaken={isTaken} onChange={(name) => change({ name })} />
      ) : (
        <details className="small" open={isTaken || undefined}>
          <summary>{isTaken ? "Replaces the provider with this name" : "Name and address"}</summary>
          <NameField name={draft.name} kind={draft.kind} isTaken={isTaken} onChange={(name) => change({ name })} />
          {about.key !== undefined && (
            <TextField
              label="Address"
              isMono
              placeholder="https://"
              hint="Leave empty for the provider's default address."
              fault={address}
              value={draft.baseUrl}
              onChange={(baseUrl) => change({ baseUrl })}
            />
          )}
        </details>
      )}
    </Step>
  )
}

function aboutList(key: string, list: Connecting["list"]): string {
  const models = list?.ok === true ? counted(list.models.length, "model") : "no list of models"
  return key.length > 12 ? `ends in …${key.slice(-4)}, ${models}` : models
}

function keyFault(provider: string, status: number | undefined, length: number): string {
  if (status === 401 || status === 403)
    return `${provider} does not accept this key (${counted(length, "character")}). Copy it again, whole. Nothing was saved.`
  if (status === 429) return "The key works, but its quota is used up. Raise it at the provider, or try again later. Nothing was saved."
  if (status !== undefined && status >= 500) return `${provider} has a fault of its own. Try again later. Nothing was saved.`
  return `${provider} did not answer with a list of models. Check the address. Nothing was saved.`
}

interface NameProps {
  readonly name: string
  readonly kind: string
  readonly isTaken: boolean
  readonly onChange: (name: string) => void
}

/** What models are called by. */
function NameField({ name, kind, isTaken, onChange }: NameProps) {
  const called = name.trim() === "" ? kind : name.trim()
  const hint = isTaken ? `There is a provider ${called}. Saving replaces it and its key.` : `Prefix of its models, e.g. ${called}/…`
  return <TextField label="Name" isMono size="middle" placeholder={kind} hint={hint} value={name} onChange={onChange} />
}
