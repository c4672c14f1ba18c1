// The list: what agents can do to the world, by where each tool comes from, how heavy it is in a prompt, and what has become of its calls.

import { useEffect, useRef, useState } from "react"
import { isShown, type ToolRow, type ToolFilter, type ToolGroup } from "../../../web/tools/tool-list.ts"
import { visible } from "../../../web/chat/wording.ts"
import { listAddress } from "../agents/definition-address.ts"
import { AskedView } from "../parts/asked-view.tsx"
import { classes } from "../parts/classes.ts"
import { counted } from "../parts/figures.ts"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go, goQuery, useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { DeleteTool } from "./delete-tool.tsx"
import { Effect } from "./effect.tsx"
import { canFlip, ToolSwitch, whyFixed } from "./tool-switch.tsx"
import { UndoBar } from "./undo-bar.tsx"
import { useCallers, useSwitch, useTools, type Caller, type Callers, type Switching } from "./use-tools.ts"
import css from "./tools.module.css"

const FILTERS: readonly (readonly [ToolFilter, string])[] = [
  ["all", "All"],
  ["writes", "Writes"],
  ["refused", "Refused"],
  ["unused", "Not used"],
  ["off", "Disabled"],
]
export const toolAddress = (name: string): string => addressOf("tools", name)

export function ToolsPage({ api }: { readonly api: Api }) {
  const loaded = useTools(api)
  const callers = useCallers(api)
  const query = useQuery()
  const filter = FILTERS.find(([name]) => name === query.get("show"))?.[0] ?? "all"
  const words = query.get("q") ?? ""
  const by = useSwitch(api, loaded.again)
  const mayWrite = api.who.scopes.includes("admin")
  const table = useRef<HTMLTableElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [removed, setRemoved] = useState<ToolRow>()
  useEffect(() => titled("Tools"), [])
  const groups = loaded.value?.groups ?? []
  const all = groups.flatMap((group) => group.tools.map((tool) => ({ tool, group })))
  const shown = groups
    .map((group) => ({ ...group, tools: group.tools.filter((tool) => isShown(tool, filter, words, group.title)) }))
    .filter(({ tools }) => tools.length > 0)
  const links = (): HTMLAnchorElement[] => [...(table.current?.querySelectorAll<HTMLAnchorElement>("tbody th a") ?? [])]
  const here = (): ToolRow | undefined => {
    const row = document.activeElement?.closest("tr")
    return all.find(({ tool }) => tool.name === row?.dataset["tool"])?.tool
  }
  const move = (step: number): unknown => {
    const rows = links()
    const at = rows.findIndex((link) => link.closest("tr") === document.activeElement?.closest("tr"))
    return rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus() ?? false
  }
  useKeys("list", {
    next: () => move(1),
    previous: () => move(-1),
    filter: () => field.current?.focus(),
    new: () => go(addressOf("settings", "connect")),
  })
  useKeys("tools", {
    turn: () => {
      const tool = here()
      // The switch itself is pressed by the browser.
      if (document.activeElement?.getAttribute("role") === "switch" || tool === undefined || !mayWrite || !canFlip(tool)) return false
      by.flip(tool.name, tool.state.is !== "on")
      return true
    },
    delete: () => {
      const tool = here()
      if (tool?.given.source === undefined || !mayWrite) return false
      setRemoved(tool)
      return true
    },
  })
  const off = all.filter(({ tool }) => tool.state.is === "off").length
  return (
    <main id="main" className="page">
      <div className="page-head">
        <nav className="subtabs" aria-label="Agents, skills and tools">
          <Link href={listAddress("agent")}>Agents</Link>
          <Link href={listAddress("skill")}>Skills</Link>
          <Link href={addressOf("tools")} aria-current="page">
            <h1>Tools</h1>
          </Link>
        </nav>
        {loaded.value && (
          <span className="dim">
            {all.length} from {counted(groups.length, "source")}
            {off > 0 && `, ${off} disabled`}
          </span>
        )}
        <span className="grow" />
        <Link className="btn first" href={addressOf("settings", "connect")}>
          Connect <kbd>N</kbd>
        </Link>
      </div>
      <div className={css.filters}>
        <input
          ref={field}
          className={classes("input", css.toolQ)}
          type="search"
          aria-label="Find a tool or source"
          placeholder="Find a tool or source"
          value={words}
          onChange={({ target }) => goQuery({ q: target.value === "" ? undefined : target.value })}
        />
        <div className="bar" role="group" aria-label="Filter">
          {FILTERS.map(([name, label]) => (
            <button
              key={name}
              className="chip"
              type="button"
              aria-pressed={name === filter}
              onClick={() => goQuery({ show: name === "all" ? undefined : name })}
            >
              {label} <b>{all.filter(({ tool, group }) => isShown(tool, name, words, group.title)).length}</b>
            </button>
          ))}
        </div>
      </div>
      <UndoBar of={by} />
      <AskedView what="the tools" of={loaded}>
        {({ days }) =>
          shown.length === 0 ? (
            <section className="panel empty-state">
              <h2>No matches</h2>
              <button className="btn" type="button" onClick={() => goQuery({ q: undefined, show: undefined })}>
                Clear filter
              </button>
            </section>
          ) : (
            <section className={classes("panel", css.tablePanel)} aria-label="Tools by source">
              <table className={classes("tbl", css.tools)} ref={table}>
                <thead>
                  <tr>
                    <th scope="col">Tool</th>
                    <th scope="col">Effect</th>
                    <th scope="col" className={classes("num", css.colO)}>
                      Weight, tokens
                    </th>
                    <th scope="col" className={css.colP}>
                      Who may call
                    </th>
                    <th scope="col" className={css.colO}>
                      14 days
                    </th>
                    <th scope="col" className={classes("num", css.colP)}>
                      Calls
                    </th>
                    <th scope="col" className={classes("num", css.colP)}>
                      Refused
                    </th>
                    <th scope="col" className="num">
                      Enabled
                    </th>
                  </tr>
                </thead>
                {shown.map((group) => (
                  <Group key={group.key} group={group} days={days} callers={callers.value} by={by} mayWrite={mayWrite} />
                ))}
              </table>
            </section>
          )
        }
      </AskedView>
      {removed && <DeleteTool api={api} tool={removed} onClose={() => setRemoved(undefined)} onGone={loaded.again} />}
    </main>
  )
}

const KINDS = { "built-in": "", http: "HTTP and OpenAPI", mcp: "MCP server" } as const

interface GroupProps {
  readonly group: ToolGroup
  readonly days: ReadonlyMap<string, readonly number[]>
  readonly callers: Callers | undefined
  readonly by: Switching
  readonly mayWrite: boolean
}

function Group({ group, days, callers, by, mayWrite }: GroupProps) {
  const most = Math.max(1, ...group.tools.map(({ tokens }) => tokens))
  return (
    <tbody>
      <tr className={css.grp}>
        <th colSpan={8} scope="rowgroup">
          {visible(group.title)} <span className="dim">{KINDS[group.kind]}</span>
        </th>
      </tr>
      {group.tools.map((tool) => {
        const why = whyFixed(tool)
        return (
          <tr key={tool.name} data-tool={tool.name} className={tool.state.is === "on" ? undefined : css.off}>
            <th scope="row">
              <Link className="link mono" href={toolAddress(tool.name)}>
                {visible(tool.name)}
              </Link>
              {why !== undefined && <span className={classes("dim small", css.why)}>{visible(why)}</span>}
            </th>
            <td>
              <Effect effect={tool.effect} />
            </td>
            <td className={classes("num", css.colO)}>
              <span className={css.weigh}>
                {tool.tokens.toLocaleString()}
                <i className={css.bar}>
                  <i style={{ width: `${(100 * tool.tokens) / most}%` }} />
                </i>
              </span>
            </td>
            <td className={classes("mid", css.colP, css.whoC)}>{callers === undefined ? "…" : whoWords(callers.byTool.get(tool.name))}</td>
            <td className={css.colO}>
              <Days of={days.get(tool.name)} />
            </td>
            <td className={classes("num", css.colP)}>{tool.calls === 0 ? "–" : tool.calls.toLocaleString()}</td>
            <td className={classes("num", css.colP, tool.refused > 0 && css.bad)}>
              {tool.refused === 0 ? "–" : tool.refused.toLocaleString()}
            </td>
            <td className="num">
              <ToolSwitch tool={tool} by={by} mayWrite={mayWrite} />
            </td>
          </tr>
        )
      })}
    </tbody>
  )
}

/** Agents that are named in a row; the tool's page has all. */
const NAMED = 2

function whoWords(of: readonly Caller[] | undefined): string {
  if (of === undefined) return "nobody"
  const names = of.length <= NAMED ? of.map(({ agent }) => agent).join(", ") : counted(of.length, "agent")
  const asking = of.filter(({ tool }) => tool.asks !== "never").length
  return `${names}${asking === 0 ? "" : asking === of.length ? "; asks" : `; ${asking} ask`}`
}

const [BAR, HEIGHT] = [6, 18]

function Days({ of }: { readonly of: readonly number[] | undefined }) {
  if (of === undefined) return <span className="dim">–</span>
  const most = Math.max(1, ...of)
  const words = `Calls of each of the last ${of.length} days, today last: ${of.join(", ")}`
  return (
    <svg
      className={css.days}
      viewBox={`0 0 ${of.length * BAR} ${HEIGHT}`}
      width={of.length * BAR}
      height={HEIGHT}
      role="img"
      aria-label={words}
    >
      {of.map((count, at) =>
        count === 0 ? null : (
          <rect key={at} x={at * BAR} y={HEIGHT - (count / most) * HEIGHT} width={BAR - 2} height={(count / most) * HEIGHT} />
        ),
      )}
    </svg>
  )
}
