// The places of the console, in the order of the bar. A place is here once it has a page; only the first one comes with the shell.

import { lazy, type ComponentType } from "react"
import { RunsPlace } from "../runs/runs-place.tsx"
import type { IconName } from "./icons.tsx"
import type { PlaceProps } from "./place-props.ts"

export interface ConsolePlace {
  readonly name: string
  readonly label: string
  readonly icon: IconName
  /** `G` and then this letter. */
  readonly key: string
  readonly page: ComponentType<PlaceProps>
}

export const PLACES: readonly [ConsolePlace, ...ConsolePlace[]] = [
  { name: "runs", label: "Runs", icon: "runs", key: "r", page: RunsPlace },
  {
    name: "inbox",
    label: "Inbox",
    icon: "inbox",
    key: "i",
    page: lazy(async () => ({ default: (await import("../inbox/inbox-place.tsx")).InboxPlace })),
  },
  {
    name: "flows",
    label: "Flows",
    icon: "flows",
    key: "f",
    page: lazy(async () => ({ default: (await import("../flows/flows-place.tsx")).FlowsPlace })),
  },
  {
    name: "agents",
    label: "Agents",
    icon: "agents",
    key: "a",
    page: lazy(async () => ({ default: (await import("../agents/agents-place.tsx")).AgentsPlace })),
  },
  {
    name: "chat",
    label: "Chat",
    icon: "chat",
    key: "c",
    page: lazy(async () => ({ default: (await import("../chat/chat-page.tsx")).ChatPage })),
  },
  {
    name: "settings",
    label: "Settings",
    icon: "settings",
    key: "s",
    page: lazy(async () => ({ default: (await import("../settings/settings-place.tsx")).SettingsPlace })),
  },
]
