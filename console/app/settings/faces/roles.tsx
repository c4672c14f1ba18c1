// Says which model an agent gets: by role, from what the providers offer, and which one answers when it fails.

import { settingsOver } from "../../../../src/client/settings.ts"
import type { SettingValue } from "../../../../src/api/settings.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { classes } from "../../parts/classes.ts"
import { Combobox } from "../../parts/combobox.tsx"
import { visible } from "../../../../web/chat/wording.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import { agentsOf, changedRoles, type RoleChange } from "../../../../web/setup/changed-roles.ts"
import { counted } from "../../parts/figures.ts"
import { choicesOf, useOffers } from "../models/use-models.ts"
import { Head } from "../parts/head.tsx"
import type { SectionProps } from "../section-props.ts"
import { TwoFaces } from "./two-faces.tsx"
import { useFace } from "./use-face.ts"
import css from "./faces.module.css"

type Roles = SettingValue<"roles">
type Role = keyof Roles

const WHAT: Readonly<Record<Role, string>> = {
  default: "used when no role is given",
  fast: "decides, sums up, names",
  planning: "plans before work begins",
  coding: "writes code",
  research: "reads and searches",
  vision: "looks at images",
  compact: "shortens a long conversation",
  architect: "writes flows and agents",
  judge: "scores runs",
}
const ROLES = Object.keys(WHAT) as Role[]
const formHas = (pointer: string): boolean => ROLES.some((role) => pointer === `/${role}` || pointer.startsWith(`/${role}/`))

export function RoleSection({ api }: SectionProps) {
  const { roles } = settingsOver(api.transport)
  const loaded = useAsked(["settings", "roles"], () => roles.get(), { isFresh: true })
  return (
    <>
      <Head
        title="Roles"
        about="Which model an agent gets. An agent names a role, and this says which model that is, for every flow at once."
      />
      <AskedView what="the roles" of={loaded}>
        {(value) => <RoleFaces api={api} saved={value} again={loaded.again} />}
      </AskedView>
    </>
  )
}

function RoleFaces({ api, saved, again }: { readonly api: SectionProps["api"]; readonly saved: unknown; readonly again: () => void }) {
  const face = useFace(saved, (value) => settingsOver(api.transport).roles.put(value as Roles), formHas, again)
  const offers = useOffers(api)
  const choices = choicesOf(offers.value ?? [])
  // The roles are worth showing without it.
  const used = useAsked(["catalog", "used", "agent models"], () => api.catalog.used("agent").all())
  const agents = (role: Role): number => agentsOf(used.value ?? [], role).length
  const modelsOf = (role: Role): readonly string[] => [(face.at([role]) as string | readonly string[] | undefined) ?? []].flat()
  const set = (role: Role, at: number, model: string): void => {
    const models = [...modelsOf(role)]
    models[at] = model
    const next = models.filter((one) => one !== undefined && one.trim() !== "")
    face.set([role], next.length === 0 ? undefined : next.length === 1 ? next[0] : next)
  }
  return (
    <TwoFaces
      api={api}
      face={face}
      noun="roles"
      label="Roles"
      preview={used.value !== undefined && <Changes of={changedRoles(recordOf(saved), recordOf(face.draft), ROLES, used.value)} />}
      form={
        <>
          {offers.value?.length === 0 && (
            <p className="note waiting">
              <span>No provider is connected yet, so there are no models to choose from.</span>
              <Link className="btn" href={`${addressOf("settings", "providers")}?connect=1`}>
                Connect a model
              </Link>
            </p>
          )}
          <table className={classes("tbl", css.roleTable)}>
            <thead>
              <tr>
                <th scope="col">Role</th>
                <th scope="col">Model</th>
                <th scope="col">If it fails</th>
                <th scope="col" className="num">
                  Agents
                </th>
              </tr>
            </thead>
            <tbody>
              {ROLES.map((role) => {
                const [first = "", second = "", ...more] = modelsOf(role)
                const fault = face.faultAt([role])
                const changed = face.isChanged([role]) && css.changed
                return (
                  <tr key={role}>
                    <th scope="row">
                      <b>{role}</b>
                      <span className="dim small"> {WHAT[role]}</span>
                    </th>
                    <td>
                      <Combobox
                        id={`role-${role}`}
                        isFree
                        aria-label={`Model of ${role}`}
                        aria-invalid={fault !== undefined}
                        aria-describedby={`role-${role}-fault`}
                        className={classes("mono", changed, fault !== undefined && "bad")}
                        placeholder={role === "default" ? "none" : "as default"}
                        choices={choices}
                        value={first}
                        onChange={(model) => set(role, 0, model)}
                      />
                      <p className="msg error" id={`role-${role}-fault`} role={fault === undefined ? undefined : "alert"}>
                        {fault === undefined ? undefined : visible(fault)}
                      </p>
                    </td>
                    <td>
                      <Combobox
                        id={`role-${role}-then`}
                        isFree
                        aria-label={`Then, for ${role}`}
                        className={classes("mono", changed)}
                        placeholder="none"
                        choices={choices}
                        value={second}
                        onChange={(model) => set(role, 1, model)}
                      />
                      {more.length > 0 && <span className="small dim">then {more.join(", ")}</span>}
                    </td>
                    <td className="num">{used.value === undefined ? "–" : agents(role)}</td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </>
      }
    />
  )
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

function Changes({ of }: { readonly of: readonly RoleChange[] }) {
  return (
    <section className="panel" aria-label="Preview">
      <div className="panel-head">
        <h2>What this changes</h2>
      </div>
      <div className={classes(css.prev, "small")}>
        {of.length === 0 ? (
          <p className="mid">No agent gets another model.</p>
        ) : (
          <ul>
            {of.map(({ role, before, after, agents }) => (
              <li key={role}>
                <b>{role}</b>: <span className="mono">{visible(before ?? "no model")}</span> →{" "}
                <span className="mono">{visible(after ?? "no model")}</span>,{" "}
                {agents.length === 0 ? "which no agent uses" : `for ${counted(agents.length, "agent")}: ${visible(shown(agents))}`}
              </li>
            ))}
          </ul>
        )}
        <p className="dim">Runs that have begun keep their models.</p>
      </div>
    </section>
  )
}

const MOST_NAMED = 6
const shown = (names: readonly string[]): string =>
  names.length > MOST_NAMED ? `${names.slice(0, MOST_NAMED).join(", ")}, …` : names.join(", ")
