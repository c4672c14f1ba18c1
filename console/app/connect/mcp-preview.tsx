// The tools of an MCP server: what each does, what it changes outside and what it weighs; what is approved, and what has changed since. One button
// approves exactly the list that is shown.

import { useState } from "react"
import type { McpServer } from "../../../src/api/doc/mcp-servers.doc.ts"
import type { McpServerGiven } from "../../../src/api/mcp-servers.ts"
import { Connect } from "../../../src/client/connect.ts"
import { visible } from "../../../web/chat/wording.ts"
import { everyFault } from "../parts/fault.ts"
import { counted } from "../parts/figures.ts"
import { Status } from "../parts/status.tsx"
import type { Api } from "../shell/session.ts"
import { ChoiceTable, effectWord, type ConnectChoice } from "./choice-table.tsx"
import { isAsShown, listedTools, type ListedTool } from "./mcp-list.ts"
import { Side } from "./side.tsx"
import { SignIn } from "./sign-in-panel.tsx"
import { TotalWeight } from "./weight.tsx"
import { classes } from "../parts/classes.ts"
import css from "./connect.module.css"

interface Props {
  readonly api: Api
  readonly server: McpServer
  readonly given: McpServerGiven
  readonly onBack: () => void
}

const MOVED = "The server's list has changed since you looked. This is the new one: nothing of it is approved yet."

export function McpPreview({ api, onBack, ...first }: Props) {
  const connect = new Connect(api.transport)
  const [server, setServer] = useState(first.server)
  const [given, setGiven] = useState(first.given)
  const tools = listedTools(server)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => proposed(tools))
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const [done, setDone] = useState<McpServer>()
  const take = (next: McpServer): void => {
    setServer(next)
    setChosen(proposed(listedTools(next)))
  }
  if (server.connection !== undefined && server.connection.status !== "connected")
    return (
      <SignIn
        api={api}
        server={server}
        given={given}
        onConnected={(next, settled) => {
          setGiven(settled)
          take(next)
        }}
        onBack={onBack}
      />
    )
  const there = tools.filter(({ isGone }) => !isGone)
  const picked = there.filter(({ key }) => chosen.has(key))
  const approve = (): void => {
    setBusy(true)
    setFault(undefined)
    approved(connect, { name: server.name, given, tools, chosen })
      .then(({ isMoved, after }) => {
        if (!isMoved) return setDone(after)
        take(after)
        setFault(MOVED)
      })
      .catch((error: unknown) => setFault(everyFault(error)))
      .finally(() => setBusy(false))
  }
  if (done)
    return (
      <section className={classes("panel", css.cnForm)} aria-label="Approved">
        <Status status="complete" word="Approved" />
        <h2>
          {counted(done.tools.length, "tool")} of {done.name} can be used
        </h2>
        <p className="mid">Name them in an agent’s tools, one by one or by a pattern such as mcp:{done.name}:*.</p>
        <div className="bar">
          <button className="btn" type="button" onClick={onBack}>
            All servers
          </button>
        </div>
      </section>
    )
  const choices = (rows: readonly ListedTool[]): ConnectChoice[] => rows.map(choiceOf)
  const weight = (rows: readonly ListedTool[]): number => rows.reduce((sum, { tool }) => sum + tool.tokens, 0)
  const writes = picked.filter(({ tool }) => tool.effect === "write").length
  return (
    <div className={css.cn}>
      <section className="panel" aria-label="Tools of the server">
        <div className="panel-head">
          <h2>{server.name}</h2>
          <span className="dim cut">{visible(server.url)}</span>
          <span className="grow" />
          {server.connection?.status === "connected" && <Status status="complete" word="Signed in" />}
          <button className="btn bare" type="button" onClick={onBack}>
            Other server
          </button>
        </div>
        <ChoiceTable
          verb="Approve"
          chosen={chosen}
          onChoose={(keys, isChosen) => setChosen(toggled(chosen, keys, isChosen))}
          groups={[
            groupOf(
              "Changed since they were approved",
              tools.filter(({ before }) => before !== undefined),
            ),
            groupOf(
              "Approved",
              tools.filter(({ isApproved, before, isGone }) => isApproved && before === undefined && !isGone),
            ),
            groupOf(
              "Not approved",
              tools.filter(({ isApproved }) => !isApproved),
            ),
            groupOf(
              "Removed from the server",
              tools.filter(({ isGone }) => isGone),
            ),
          ].map(({ label, rows }) => ({ label, note: `${rows.length} of ${tools.length}`, rows: choices(rows) }))}
        />
        {server.left_out.length > 0 && (
          <details className={css.cnForm}>
            <summary>{counted(server.left_out.length, "tool")} cannot come</summary>
            <ul>
              {server.left_out.slice(0, MAX_LEFT_OUT).map(({ tool, reason }, at) => (
                <li key={`${tool} ${at}`}>
                  <span className="mono">{visible(tool)}</span> <span className="dim">{visible(reason)}</span>
                </li>
              ))}
            </ul>
          </details>
        )}
      </section>
      <Side
        figures={[
          ["Weight", `${weight(picked).toLocaleString()} tokens; all ${there.length} would be ${weight(there).toLocaleString()}`],
          ["Guard", writes === 0 ? "none of them writes" : `${writes} write, and ask as the policy says`],
          ["Pinned", "a changed description is shown here first"],
        ]}
        verb={picked.length === 0 ? "Nothing to approve" : `Approve ${counted(picked.length, "tool")}`}
        isOff={picked.length === 0}
        isBusy={isBusy}
        fault={fault}
        foot={
          server.connection?.status === "connected"
            ? "You are signed in; none of its tools has been approved yet."
            : "Nothing has been written yet."
        }
        onAct={approve}
      >
        <TotalWeight tokens={weight(picked)} of={weight(there)} />
      </Side>
    </div>
  )
}

const MAX_LEFT_OUT = 100

/** What is approved stays chosen unless it has changed; of the others, what only reads. */
const proposed = (tools: readonly ListedTool[]): ReadonlySet<string> => {
  const known = tools.some(({ isApproved }) => isApproved)
  return new Set(
    tools.flatMap(({ key, tool, isApproved, before, isGone }) =>
      !isGone && before === undefined && (isApproved || (!known && tool.effect !== "write")) ? [key] : [],
    ),
  )
}

const groupOf = (label: string, rows: readonly ListedTool[]) => ({ label, rows })

export function toggled(chosen: ReadonlySet<string>, keys: readonly string[], isChosen: boolean): ReadonlySet<string> {
  const next = new Set(chosen)
  for (const key of keys) {
    if (isChosen) next.add(key)
    else next.delete(key)
  }
  return next
}

const choiceOf = ({ key, tool, before, isGone }: ListedTool): ConnectChoice => ({
  key,
  name: tool.name,
  about: tool.description,
  effect: effectWord(tool.effect),
  tokens: tool.tokens,
  isOff: isGone,
  ...(before === undefined
    ? {}
    : {
        mark: (
          <>
            <span className="tag waiting">changed</span>
            <span className={classes(css.cnOld, "small")}>
              {visible(before.description === tool.description ? "its arguments or its effect" : before.description)}
            </span>
          </>
        ),
      }),
})

interface Approving {
  readonly name: string
  readonly given: McpServerGiven
  readonly tools: readonly ListedTool[]
  readonly chosen: ReadonlySet<string>
}

/** Selects the chosen tools, looks once more, and approves the list by its hash if it is the one that was shown. */
async function approved(
  connect: Connect,
  { name, given, tools, chosen }: Approving,
): Promise<{ readonly isMoved: boolean; readonly after: McpServer }> {
  const there = tools.filter(({ isGone }) => !isGone)
  const isAll = there.every(({ key }) => chosen.has(key))
  const allow = there.flatMap(({ key }) => (chosen.has(key) ? [key] : []))
  const seen = await connect.previewServer(name, given)
  const moved = { isMoved: true, after: seen }
  const now = new Map(listedTools(seen).map(({ key, tool }) => [key, JSON.stringify(tool)]))
  if (there.some(({ key, tool }) => chosen.has(key) && now.get(key) !== JSON.stringify(tool))) return moved
  const after = await connect.putServer(name, { ...given, ...(isAll ? {} : { allow }) })
  if (!isAsShown(tools, chosen, after)) return { isMoved: true, after: await connect.previewServer(name, given) }
  if (after.pending === undefined) return { isMoved: false, after }
  return { isMoved: false, after: await connect.approveServer(name, after.pending.hash) }
}
