// /console/settings/connect: what comes from elsewhere. `?tab=` folder, mcp or openapi.

import { Icon, type IconName } from "../shell/icons.tsx"
import { goQuery, useQuery } from "../shell/place.ts"
import type { SectionProps } from "../settings/section-props.ts"
import { FolderTab } from "./folder-tab.tsx"
import { McpTab } from "./mcp-tab.tsx"
import { OpenApiTab } from "./openapi-tab.tsx"
import css from "./connect.module.css"

const TABS = [
  { name: "folder", icon: "folder", label: "Folder or zip", about: ".claude, agents, skills, flows", page: FolderTab },
  { name: "mcp", icon: "plug", label: "MCP server", about: "tools by address and sign-in", page: McpTab },
  { name: "openapi", icon: "braces", label: "OpenAPI document", about: "one tool for each operation", page: OpenApiTab },
] as const satisfies readonly {
  readonly name: string
  readonly icon: IconName
  readonly label: string
  readonly about: string
  readonly page: unknown
}[]

export function ConnectSection({ api }: SectionProps) {
  const query = useQuery()
  const tab = TABS.find(({ name }) => name === query.get("tab")) ?? TABS[0]
  const Page = tab.page
  return (
    <>
      <div className="page-head">
        <h1>Connect</h1>
        <span className="dim">Preview everything before it is saved</span>
      </div>
      <div className={css.kinds} role="tablist" aria-label="What to connect">
        {TABS.map(({ name, icon, label, about }) => (
          <button
            key={name}
            id={`tab-${name}`}
            className={css.kind}
            role="tab"
            type="button"
            aria-selected={name === tab.name}
            aria-controls="connect-panel"
            tabIndex={name === tab.name ? 0 : -1}
            onClick={() => goQuery({ tab: name, name: undefined, url: undefined }, "push")}
            onKeyDown={({ key, currentTarget }) => {
              const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0
              const all = [...(currentTarget.parentElement?.children ?? [])]
              const next = all[(all.indexOf(currentTarget) + by + all.length) % all.length]
              if (by === 0 || !(next instanceof HTMLElement)) return
              next.focus()
              next.click()
            }}
          >
            <Icon name={icon} />
            <span>
              <b>{label}</b>
              <span>{about}</span>
            </span>
          </button>
        ))}
      </div>
      <div id="connect-panel" role="tabpanel" aria-labelledby={`tab-${tab.name}`}>
        <Page key={tab.name} api={api} />
      </div>
    </>
  )
}
