// The places of the console, in the order of the bar. A place is here once it has a page; only the first one comes with the shell.

import type { ComponentType } from "react"
import { later } from "../parts/later.ts"
import { RunsPlace } from "../runs/runs-place.tsx"
import type { IconName } from "./icons.tsx"
import { PLACE_KEYS, type PlaceName } from "./place-keys.ts"
import type { PlaceProps } from "./place-props.ts"

export interface ConsolePlace {
  readonly name: PlaceName
  readonly label: string
  readonly icon: IconName
  /** `G` and then this letter. */
  readonly key: string
  readonly page: ComponentType<PlaceProps>
  /** The place of the bar that it belongs to; absent: it is in the bar itself. */
  readonly under?: PlaceName
}

const PAGES: Readonly<Record<PlaceName, ConsolePlace["page"]>> = {
  overview: later(async () => (await import("../overview/overview-page.tsx")).OverviewPage),
  runs: RunsPlace,
  inbox: later(async () => (await import("../inbox/inbox-place.tsx")).InboxPlace),
  flows: later(async () => (await import("../flows/flows-place.tsx")).FlowsPlace),
  agents: later(async () => (await import("../agents/agents-place.tsx")).AgentsPlace),
  tools: later(async () => (await import("../tools/tools-place.tsx")).ToolsPlace),
  quality: later(async () => (await import("../quality/quality-place.tsx")).QualityPlace),
  chat: later(async () => (await import("../chat/chat-page.tsx")).ChatPage),
  settings: later(async () => (await import("../settings/settings-place.tsx")).SettingsPlace),
}

export const PLACES: readonly ConsolePlace[] = PLACE_KEYS.map((place) => ({
  ...place,
  icon: place.name === "tools" ? "agents" : place.name,
  page: PAGES[place.name],
}))
