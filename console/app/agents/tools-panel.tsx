// Which tools the agent has, in any flow or in one step: each with the rule or the line that decides, whether a person is asked, and its weight in
// the prompt on one scale.

import { useState } from "react"
import type { AgentTool, Used } from "../../../src/api/doc/used.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { counted } from "../parts/figures.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { Select } from "../parts/select.tsx"
import { useAsked } from "../parts/asked.ts"
import { goQuery, useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { classes } from "../parts/classes.ts"
import css from "./agents.module.css"

interface Props {
  readonly api: Api
  readonly name: string
  readonly hash: string
  readonly uses: Used["uses"]
  readonly isDraft: boolean
  readonly onLine: (line: number) => void
}

/** Rows of tools that are not given, before they are asked for. */
const SHOWN = 8

export function ToolsPanel({ api, name, hash, uses, isDraft, onLine }: Props) {
  const query = useQuery()
  const [flow, step] = [query.get("flow") ?? undefined, query.get("step") ?? undefined]
  const place = flow === undefined || step === undefined ? {} : { flow, step }
  const about = `${hash} ${flow ?? ""} ${step ?? ""}`
  const { value, fault } = useAsked(["catalog", "tools of agent", name, about], async () => api.catalog.tools(name, place).all())
  const [isWhole, setWhole] = useState(false)
  const steps = uses.flatMap((use) => (use.kind === "flow" && use.step !== undefined ? [{ flow: use.id, step: use.step }] : []))
  const given = value?.filter(({ granted }) => granted).toSorted((a, b) => b.tokens - a.tokens) ?? []
  const named = value?.filter(({ granted, by }) => !granted && by !== null) ?? []
  const others = value?.filter(({ granted, by }) => !granted && by === null) ?? []
  const most = Math.max(1, ...given.map(({ tokens }) => tokens))
  const shown = isWhole ? others : others.slice(0, SHOWN)
  return (
    <section className={classes("panel", css.agTools)} aria-label="Effective tools">
      <div className="panel-head">
        <h2>Effective tools</h2>
        <span className="dim">in</span>
        <label className="vh" htmlFor="ag-in">
          In which step
        </label>
        <Select
          id="ag-in"
          className={css.tsel}
          value={JSON.stringify(place)}
          choices={[
            { value: "{}", words: "any flow" },
            ...steps.map((one) => ({ value: JSON.stringify(one), words: visible(`${one.flow}, ${one.step}`) })),
          ]}
          onChange={(given) => {
            const chosen = JSON.parse(given) as { readonly flow?: string; readonly step?: string }
            goQuery({ flow: chosen.flow, step: chosen.step })
          }}
        />
        <span className="grow" />
        {value !== undefined && (
          <span className="dim nowrap">
            {counted(
              given.reduce((sum, { tokens }) => sum + tokens, 0),
              "token",
            )}
          </span>
        )}
      </div>
      {isDraft && (
        <p className={classes("dim small", css.agNote)}>These are the tools of the saved file. Save your changes to see theirs.</p>
      )}
      {fault !== undefined && (
        <p className={classes("msg error", css.agNote)} role="alert">
          {visible(fault)}
        </p>
      )}
      {value === undefined && fault === undefined && <Skeleton words="Reading the tools" />}
      {value !== undefined && (
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Why</th>
              <th scope="col" className="num">
                Tokens
              </th>
            </tr>
          </thead>
          <tbody>
            <Group title="May call" count={given.length} />
            {given.map((tool) => (
              <Row key={tool.name} tool={tool} most={most} onLine={onLine} />
            ))}
            {named.length > 0 && <Group title="Named in the file, but not allowed" count={named.length} />}
            {named.map((tool) => (
              <Row key={tool.name} tool={tool} most={most} onLine={onLine} />
            ))}
            {others.length > 0 && <Group title="Not given" count={others.length} />}
            {shown.map((tool) => (
              <Row key={tool.name} tool={tool} most={most} onLine={onLine} />
            ))}
          </tbody>
        </table>
      )}
      {shown.length < others.length && (
        <button className={classes("btn bare", css.agMore)} type="button" onClick={() => setWhole(true)}>
          Show {counted(others.length - shown.length, "more tool")}
        </button>
      )}
    </section>
  )
}

const Group = ({ title, count }: { readonly title: string; readonly count: number }) => (
  <tr className={css.grp}>
    <th colSpan={3} scope="colgroup">
      {title} <span>{count}</span>
    </th>
  </tr>
)

const ASKS: Readonly<Record<AgentTool["asks"], string>> = { always: "asks", sometimes: "may ask", never: "" }

function Row({ tool, most, onLine }: { readonly tool: AgentTool; readonly most: number; readonly onLine: (line: number) => void }) {
  const { name, granted, rule, asks, tokens, by, line } = tool
  return (
    <tr className={granted ? undefined : css.no}>
      <th scope="row" className={classes("mono", css.agName)}>
        {visible(name)}
      </th>
      <td className={granted ? "mid" : undefined}>
        {by !== null && line !== null && (
          <>
            <span className="mono">{visible(by)}</span> on{" "}
            <button className={classes("link", css.agLine)} type="button" onClick={() => onLine(line)}>
              line {line}
            </button>
            {", "}
          </>
        )}
        {visible(rule)} {granted && asks !== "never" && <span className="tag waiting">{ASKS[asks]}</span>}
      </td>
      <td className="num">
        {granted ? (
          <span className={css.w2}>
            <span className={css.wgt} aria-hidden="true">
              <i style={{ width: `${Math.max(2, Math.round((tokens / most) * 56))}px` }} />
            </span>
            {tokens.toLocaleString()}
          </span>
        ) : (
          "–"
        )}
      </td>
    </tr>
  )
}
