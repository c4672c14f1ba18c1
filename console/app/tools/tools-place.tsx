// /console/tools: all tools by source. /console/tools/NAME: one tool.

import type { PlaceProps } from "../shell/place-props.ts"
import { ToolsPage } from "./tools-page.tsx"
import { later } from "../parts/later.ts"

const ToolPage = later(async () => (await import("./tool-page.tsx")).ToolPage)

export function ToolsPlace({ api, rest: [name] }: PlaceProps) {
  return name === undefined ? <ToolsPage api={api} /> : <ToolPage key={name} api={api} name={name} />
}
