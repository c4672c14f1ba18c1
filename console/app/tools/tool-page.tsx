// Shows one tool: what it does, who may call it and why, what a model reads of it, and what has become of its calls.

import { useEffect, useState } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { definitionAddress } from "../agents/definition-address.ts"
import { AskedView } from "../parts/asked-view.tsx"
import { Code } from "../parts/code.tsx"
import { duration } from "../parts/figures.ts"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { DeleteTool } from "./delete-tool.tsx"
import { Effect } from "./effect.tsx"
import { LastCalls } from "./last-calls.tsx"
import { canFlip, ToolSwitch, whyFixed } from "./tool-switch.tsx"
import { UndoBar } from "./undo-bar.tsx"
import { useCallers, useSwitch, useTools } from "./use-tools.ts"
import css from "./tools.module.css"

export function ToolPage({ api, name }: { readonly api: Api; readonly name: string }) {
  const loaded = useTools(api)
  const by = useSwitch(api, loaded.again)
  const [isRemoved, setRemoved] = useState(false)
  const mayWrite = api.who.scopes.includes("admin")
  const group = loaded.value?.groups.find(({ tools }) => tools.some((one) => one.name === name))
  const tool = group?.tools.find((one) => one.name === name)
  useEffect(() => titled(`${name} · Tools`), [name])
  const isOwn = tool?.given.source !== undefined
  useKeys("tools", {
    turn: () => {
      if (document.activeElement?.matches("button, a, summary") === true || !tool || !mayWrite || !canFlip(tool)) return false
      by.flip(tool.name, tool.state.is !== "on")
      return true
    },
    delete: () => (isOwn && mayWrite ? setRemoved(true) : false),
  })
  const used = loaded.value?.total?.tools.find((one) => one.tool === name)
  const asks = used?.approvals
  return (
    <main id="main" className="page">
      <div className="page-head">
        <Link className="link" href={addressOf("tools")}>
          Tools
        </Link>
        <span className="dim">/</span>
        <h1 className="mono">{visible(name)}</h1>
        {group && <span className="tag">{group.kind === "built-in" ? "Built in" : group.title}</span>}
        <span className="grow" />
        {tool && (
          <>
            <span className={css.enabled}>
              {tool.state.is === "on" ? "Enabled" : "Disabled"} <kbd>Space</kbd>
              <ToolSwitch tool={tool} by={by} mayWrite={mayWrite} />
            </span>
            {isOwn && mayWrite && (
              <button className="btn danger" type="button" onClick={() => setRemoved(true)}>
                Delete <kbd>D</kbd>
              </button>
            )}
          </>
        )}
      </div>
      <UndoBar of={by} />
      <AskedView what="the tool" of={loaded}>
        {() =>
          tool === undefined ? (
            <section className="panel empty-state">
              <h2>No such tool</h2>
              <p className="mid">It was deleted, or it has another name.</p>
              <Link className="btn" href={addressOf("tools")}>
                All tools
              </Link>
            </section>
          ) : (
            <>
              <p className="mid">{visible(tool.description)}</p>
              {whyFixed(tool) !== undefined && (
                <p className="note waiting">
                  <span>{visible(whyFixed(tool) ?? "")}</span>
                  <Link className="btn" href={addressOf("settings", "policy")}>
                    Open the policy
                  </Link>
                </p>
              )}
              <dl className={css.four}>
                <div>
                  <dt>Effect</dt>
                  <dd>
                    <Effect effect={tool.effect} />
                  </dd>
                </div>
                <div>
                  <dt>Calls, 14 days</dt>
                  <dd>{tool.calls.toLocaleString()}</dd>
                </div>
                <div>
                  <dt>Refused</dt>
                  <dd>{tool.refused.toLocaleString()}</dd>
                </div>
                <div>
                  <dt>Failed</dt>
                  <dd>{(used?.errors ?? 0).toLocaleString()}</dd>
                </div>
                <div>
                  <dt>Time, p95</dt>
                  <dd>{used?.ms ? duration(used.ms.p95) : "–"}</dd>
                </div>
                <div>
                  <dt>Asked before it</dt>
                  <dd>
                    {asks === undefined
                      ? "–"
                      : `${asks.n.toLocaleString()}${asks.n === 0 ? "" : `, ${Math.round((100 * (asks.approved + asks.edited)) / asks.n)}% approved`}`}
                  </dd>
                </div>
              </dl>
              <div className={css.halves}>
                <Callers api={api} name={name} />
                <section className="panel dlg-l">
                  <h2>What a model reads, {tool.tokens.toLocaleString()} tokens</h2>
                  <p className="small dim">Sent with every turn of each agent that has it.</p>
                  <Code label="Its arguments" value={tool.given.parameters ?? {}} />
                </section>
              </div>
              <LastCalls api={api} name={name} />
            </>
          )
        }
      </AskedView>
      {isRemoved && tool && <DeleteTool api={api} tool={tool} onClose={() => setRemoved(false)} onGone={() => go(addressOf("tools"))} />}
    </main>
  )
}

const ASKS = { always: "asks a person before each call", sometimes: "asks a person before some calls", never: "" } as const

function Callers({ api, name }: { readonly api: Api; readonly name: string }) {
  const loaded = useCallers(api)
  return (
    <section className="panel" aria-label="Who may call it">
      <div className="panel-head">
        <h2>Who may call it</h2>
        <span className="grow" />
        <Link className="link small" href={addressOf("settings", "policy")}>
          Policy
        </Link>
      </div>
      <AskedView what="the agents" of={loaded}>
        {({ byTool, isWhole }) => (
          <ul className={css.callers}>
            {byTool.get(name)?.map(({ agent, tool: { by, rule, asks } }) => (
              <li key={agent}>
                <Link className="link" href={definitionAddress("agent", agent)}>
                  {visible(agent)}
                </Link>{" "}
                <span className="dim">{by === null ? rule : `lists ${by}`}</span> <span className="mid">{ASKS[asks]}</span>
              </li>
            ))}
            {!byTool.has(name) && <li className="mid">No agent has it.</li>}
            {!isWhole && <li className="dim">Only some of the agents were checked.</li>}
          </ul>
        )}
      </AskedView>
    </section>
  )
}
