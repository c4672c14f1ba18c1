// A provider that is added or changed. Writing replaces it whole, with its key: a key never outlives a change of the address.

import { useState } from "react"
import type { ProviderRow } from "../../../../src/api/doc/settings.doc.ts"
import type { Provider } from "../../../../src/api/settings.ts"
import { editable, visible } from "../../../../web/chat/wording.ts"
import { ChoiceField, LinesField, TextField } from "../parts/fields.tsx"
import { FormDialog } from "../parts/form-dialog.tsx"
import { FormFault } from "../parts/wrong.ts"

type Kind = Provider["kind"]

const KINDS = [
  ["anthropic", "Anthropic"],
  ["openai", "OpenAI"],
  ["google", "Google"],
  ["openai-compatible", "OpenAI-compatible server"],
  ["workers-ai", "Workers AI"],
  ["scripted", "Scripted replies"],
] as const satisfies readonly (readonly [Kind, string])[]

/** They call no server. */
const INSIDE: ReadonlySet<Kind> = new Set(["workers-ai", "scripted"])
const PLACES = ["/baseUrl", "/apiKey", "/api"]

interface Props {
  /** undefined: a new one. */
  readonly row: ProviderRow | undefined
  readonly onClose: () => void
  readonly send: (name: string, provider: Provider) => Promise<void>
}

export function ProviderForm({ row, onClose, send }: Props) {
  const [name, setName] = useState(row?.name ?? "")
  const [kind, setKind] = useState<Kind>(row?.kind ?? "anthropic")
  const [baseUrl, setBaseUrl] = useState(row?.baseUrl ?? "")
  const [apiKey, setApiKey] = useState("")
  const [api, setApi] = useState<"" | "responses" | "chat">(row?.api ?? "")
  const [more, setMore] = useState(() => moreOf(row))
  const hadKey = row?.apiKey === true
  const submit = async (): Promise<void> => {
    const called = name.trim() === "" ? kind : name.trim()
    const isServer = !INSIDE.has(kind)
    await send(called, {
      ...readMore(more),
      kind,
      ...(isServer && baseUrl.trim() !== "" ? { baseUrl: baseUrl.trim() } : {}),
      ...(isServer && apiKey !== "" ? { apiKey } : {}),
      ...(kind === "openai" && api !== "" ? { api } : {}),
      // What the form does not show stays.
      ...(row?.silenceSeconds !== undefined && kind !== "scripted" ? { silenceSeconds: row.silenceSeconds } : {}),
    })
  }
  return (
    <FormDialog
      title={row === undefined ? "Add a provider" : `Edit “${visible(row.name)}”`}
      act={row === undefined ? "Add the provider" : "Save"}
      places={PLACES}
      onClose={onClose}
      send={submit}
    >
      {(faults) => (
        <>
          <ChoiceField label="Kind" value={kind} options={KINDS} onChange={setKind} />
          {row === undefined && (
            <TextField
              label="Name"
              isMono
              placeholder={kind}
              size="middle"
              hint={`Prefix of its models, e.g. ${name.trim() === "" ? kind : name.trim()}/…`}
              value={name}
              onChange={setName}
            />
          )}
          {!INSIDE.has(kind) && (
            <>
              <TextField
                label="Address"
                isMono
                hint={kind === "openai-compatible" ? "The base address of its API." : "Leave empty for the provider's default address."}
                placeholder="https://"
                fault={faults["/baseUrl"]}
                value={baseUrl}
                onChange={setBaseUrl}
              />
              <TextField
                label="Key"
                type="secret"
                hint={
                  hadKey
                    ? "The key cannot be shown. Enter it again: if you save without one, it is removed."
                    : "Stored encrypted; nobody can read it again."
                }
                fault={faults["/apiKey"]}
                value={apiKey}
                onChange={setApiKey}
              />
            </>
          )}
          {kind === "openai" && (
            <ChoiceField
              label="API"
              fault={faults["/api"]}
              value={api}
              options={[
                ["", "Default"],
                ["responses", "Responses"],
                ["chat", "Chat completions"],
              ]}
              onChange={setApi}
            />
          )}
          <LinesField
            label="More (JSON, optional)"
            hint={kind === "scripted" ? "“turns”: the replies of each model." : "“headers” and “options” for every request."}
            fault={faults["more"]}
            value={more}
            onChange={setMore}
          />
        </>
      )}
    </FormDialog>
  )
}

function moreOf(row: ProviderRow | undefined): string {
  const { headers, options, turns } = row ?? {}
  const more = {
    ...(headers === undefined ? {} : { headers }),
    ...(options === undefined ? {} : { options }),
    ...(turns === undefined ? {} : { turns }),
  }
  return Object.keys(more).length === 0 ? "" : editable(more)
}

function readMore(text: string): object {
  if (text.trim() === "") return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  } catch {
    // Said below.
  }
  throw new FormFault({ more: "must be a JSON object" })
}
