// The sections of the settings, in groups. A section is loaded when it is opened; one that needs a scope says so instead where the session has
// none.

import type { ComponentType } from "react"
import type { Scope } from "../../../src/api/route/route.ts"
import { later } from "../parts/later.ts"
import type { SectionProps } from "./section-props.ts"

export interface SettingsSection {
  readonly name: string
  readonly label: string
  /** Absent: every session may see it. */
  readonly needs?: Scope
  readonly page: ComponentType<SectionProps>
}

interface Group {
  readonly label: string
  readonly sections: readonly SettingsSection[]
}

const page = (load: () => Promise<ComponentType<SectionProps>>) => later(load)

/** Every session may see it. */
const THIS_BROWSER: SettingsSection = {
  name: "browser",
  label: "This browser",
  page: page(async () => (await import("./browser.tsx")).ThisBrowser),
}

export const GROUPS: readonly Group[] = [
  {
    label: "Models",
    sections: [
      { name: "providers", label: "Models", needs: "admin", page: page(async () => (await import("./models/providers.tsx")).Providers) },
      { name: "roles", label: "Roles", needs: "admin", page: page(async () => (await import("./faces/roles.tsx")).RoleSection) },
      { name: "prices", label: "Prices", needs: "admin", page: page(async () => (await import("./models/prices.tsx")).PriceSection) },
    ],
  },
  {
    label: "Access",
    sections: [
      { name: "keys", label: "API keys", needs: "admin", page: page(async () => (await import("./keys.tsx")).KeyList) },
      { name: "people", label: "People", needs: "admin", page: page(async () => (await import("./people.tsx")).People) },
      { name: "secrets", label: "Secrets", needs: "admin", page: page(async () => (await import("./secrets.tsx")).SecretList) },
      { name: "policy", label: "Policy", needs: "admin", page: page(async () => (await import("./faces/policy.tsx")).PolicySection) },
      { name: "gate", label: "Gate", needs: "admin", page: page(async () => (await import("./faces/gate.tsx")).GateSection) },
    ],
  },
  {
    label: "In and out",
    sections: [
      {
        name: "connect",
        label: "Connect",
        needs: "catalog:write",
        page: page(async () => (await import("../connect/connect-section.tsx")).ConnectSection),
      },
      { name: "hooks", label: "Hooks", needs: "admin", page: page(async () => (await import("./hooks/hooks.tsx")).HookSection) },
      { name: "schedules", label: "Schedules", needs: "admin", page: page(async () => (await import("./schedules.tsx")).ScheduleSection) },
      { name: "callbacks", label: "Callbacks", needs: "admin", page: page(async () => (await import("./callbacks.tsx")).CallbackSection) },
    ],
  },
  {
    label: "Quality",
    sections: [
      { name: "scoring", label: "Scoring", needs: "admin", page: page(async () => (await import("./faces/scoring.tsx")).ScoringSection) },
    ],
  },
  {
    label: "Cost",
    sections: [
      { name: "budget", label: "Budget", needs: "admin", page: page(async () => (await import("./budget.tsx")).BudgetSection) },
      { name: "usage", label: "Usage", needs: "runs:read", page: page(async () => (await import("./usage/usage.tsx")).UsageSection) },
    ],
  },
  {
    label: "Console",
    sections: [THIS_BROWSER],
  },
]

export const SECTIONS: readonly SettingsSection[] = GROUPS.flatMap(({ sections }) => sections)

/** What the settings open on: the first that these scopes may see. */
export const firstSection = (scopes: readonly Scope[]): SettingsSection =>
  SECTIONS.find(({ needs }) => needs === undefined || scopes.includes(needs)) ?? THIS_BROWSER
