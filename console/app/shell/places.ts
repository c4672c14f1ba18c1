// The places of the console, in the order of the bar. A place is here once it has a page; only the first one comes with the shell.

import { lazy, type ComponentType } from "react"
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
  overview: lazy(async () => ({ default: (await import("../overview/overview-page.tsx")).OverviewPage })),
  runs: RunsPlace,
  inbox: lazy(async () => ({ default: (await import("../inbox/inbox-place.tsx")).InboxPlace })),
  flows: lazy(async () => ({ default: (await import("../flows/flows-place.tsx")).FlowsPlace })),
  agents: lazy(async () => ({ default: (await import("../agents/agents-place.tsx")).AgentsPlace })),
  tools: lazy(async () => ({ default: (await import("../tools/tools-place.tsx")).ToolsPlace })),
  chat: lazy(async () => ({ default: (await import("../chat/chat-page.tsx")).ChatPage })),
  settings: lazy(async () => ({ default: (await import("../settings/settings-place.tsx")).SettingsPlace })),
}

export const PLACES: readonly ConsolePlace[] = PLACE_KEYS.map((place) => ({
  ...place,
  icon: place.name === "tools" ? "agents" : place.name,
  page: PAGES[place.name],
}))
