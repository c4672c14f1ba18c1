// Which models serve each role. Of several, the next one answers when one fails.

import { useState, type FormEvent } from "react"
import { settingsOver } from "../../../../src/client/settings.ts"
import type { SettingValue } from "../../../../src/api/settings.ts"
import { TextField } from "../parts/fields.tsx"
import { wrongWith } from "../parts/wrong.ts"
import { Head } from "../parts/head.tsx"
import { AskedView } from "../../parts/asked-view.tsx"
import { Saved, useSaving } from "../parts/saving.tsx"
import type { SectionProps } from "../section-props.ts"
import { useAsked } from "../../parts/asked.ts"

type Roles = SettingValue<"roles">
type Role = keyof Roles

const WHAT: Readonly<Record<Role, string>> = {
  default: "Whatever names no other role.",
  planning: "Plans before work begins.",
  coding: "Writes code.",
  fast: "Small decisions: conditions, summaries, titles.",
  research: "Reads and searches.",
  compact: "Shortens a long conversation.",
  vision: "Looks at images.",
  architect: "Writes flows and agents.",
}
const ROLES = Object.keys(WHAT) as Role[]
const PLACES = ROLES.map((role) => `/${role}`)

export function RoleSection({ api }: SectionProps) {
  const { roles } = settingsOver(api.transport)
  const loaded = useAsked(["settings", "roles"], () => roles.get(), { isFresh: true })
  return (
    <>
      <Head
        title="Roles"
        about="A flow names a role, and this says which model serves it: PROVIDER/MODEL, with a comma before each model that answers when the one before it fails."
      />
      <AskedView what="the roles" of={loaded}>
        {(value) => <RoleForm key={JSON.stringify(value)} value={value} save={(next) => roles.put(next)} onSaved={loaded.again} />}
      </AskedView>
    </>
  )
}

interface Props {
  readonly value: Roles
  readonly save: (roles: Roles) => Promise<Roles>
  readonly onSaved: () => void
}

function RoleForm({ value, save, onSaved }: Props) {
  const [drafts, setDrafts] = useState<Readonly<Partial<Record<Role, string>>>>(() =>
    Object.fromEntries(ROLES.map((role) => [role, [value[role] ?? []].flat().join(", ")])),
  )
  const saving = useSaving()
  const { faults } = saving.error === undefined ? { faults: {} as Readonly<Record<string, string>> } : wrongWith(saving.error, PLACES)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    saving.save(async () => {
      await save(rolesOf(drafts))
      onSaved()
    })
  }
  return (
    <form className="panel" noValidate onSubmit={submit}>
      <div className="dlg-l">
        {ROLES.map((role) => (
          <TextField
            key={role}
            label={role}
            isMono
            hint={WHAT[role]}
            fault={faults[`/${role}`]}
            value={drafts[role] ?? ""}
            onChange={(draft) => setDrafts({ ...drafts, [role]: draft })}
          />
        ))}
        <Saved of={saving} places={PLACES} act="Save the roles" />
      </div>
    </form>
  )
}

function rolesOf(drafts: Readonly<Partial<Record<Role, string>>>): Roles {
  const roles: Record<string, string | string[]> = {}
  for (const role of ROLES) {
    const models = (drafts[role] ?? "").split(",").flatMap((model) => (model.trim() === "" ? [] : [model.trim()]))
    const [only] = models
    if (only !== undefined) roles[role] = models.length === 1 ? only : models
  }
  return roles
}
