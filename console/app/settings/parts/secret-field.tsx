// A secret that something needs: the name of one that is kept, or a new one whose value is typed here, so that no form is left for it.

import { Secrets } from "../../../../src/client/settings.ts"
import type { Api } from "../../shell/session.ts"
import { TextField } from "./fields.tsx"
import { FormFault } from "./wrong.ts"

interface Props {
  /** Names of the secrets that are kept; undefined: not known yet. */
  readonly scopes: readonly string[] | undefined
  readonly label?: string
  readonly hint: string
  readonly fault?: string | undefined
  readonly name: string
  readonly value: string
  readonly onName: (name: string) => void
  readonly onValue: (value: string) => void
}

const isNew = (scopes: readonly string[] | undefined, name: string): boolean =>
  scopes !== undefined && name.trim() !== "" && !scopes.includes(name.trim())

export function SecretField({ scopes, label = "Secret", hint, fault, name, value, onName, onValue }: Props) {
  return (
    <>
      <TextField label={label} isMono size="middle" choices={scopes ?? []} hint={hint} fault={fault} value={name} onChange={onName} />
      {isNew(scopes, name) && (
        <TextField
          label={`Value of ${name.trim()}`}
          type="secret"
          hint="Stored encrypted under this name; nobody can read it again."
          value={value}
          onChange={onValue}
        />
      )}
    </>
  )
}

/** A new one is kept before what names it. Without a value, the server says what is missing. */
export async function writeSecret(
  api: Pick<Api, "transport">,
  { scopes, name, value }: { readonly scopes: readonly string[] | undefined; readonly name: string; readonly value: string },
): Promise<void> {
  if (!isNew(scopes, name)) return
  if (value.trim() === "")
    throw new FormFault({ "/secret": `There is no secret ${name.trim()} yet. Write its value below, or choose another.` })
  await new Secrets(api.transport).put(name.trim(), value)
}
