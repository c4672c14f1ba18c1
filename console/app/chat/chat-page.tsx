// A flow as a conversation: its threads, the open one, and what is known of it. The address names both: /console/chat/FLOW/THREAD.

import { useCallback, useEffect, useMemo, useState } from "react"
import { exampleTasks } from "../../../web/chat/example-tasks.ts"
import { freshId } from "../../../web/fresh-id.ts"
import { useAsked } from "../parts/asked.ts"
import { counted, money } from "../parts/figures.ts"
import { Select } from "../parts/select.tsx"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { PlaceProps } from "../shell/place-props.ts"
import { useMay, type Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { AboutThread, useRun } from "./about-thread.tsx"
import { Conversation } from "./conversation.tsx"
import { ThreadList } from "./thread-list.tsx"
import { threadsOf, titleOf } from "./threads.ts"
import { useFlows } from "./use-flows.ts"
import "../../../web/chat/chat.css"
import type { Choice } from "../parts/choice.ts"
import { classes } from "../parts/classes.ts"
import css from "./chat-page.module.css"

/** How often the list of threads is read without a stream, and with one, which tells of runs. */
const [LOOK_MS, SLOW_MS] = [10_000, 60_000]

const newThread = (): string => `chat-${freshId()}`

export function ChatPage({ api, rest: [flow, thread] }: PlaceProps) {
  const { flows, fault, about } = useFlows(api, flow)
  const first = flows?.[0]?.value
  useEffect(() => {
    if (flow === undefined && first !== undefined) go(addressOf("chat", first), "replace")
    else if (flow !== undefined && thread === undefined) go(addressOf("chat", flow, newThread()), "replace")
  }, [flow, thread, first])
  if (fault !== undefined) return <Empty words={fault} />
  if (flows?.length === 0)
    return <Empty words="There is no flow to talk to yet. Write a flow first: every flow that takes a task answers here." />
  if (flow === undefined || thread === undefined) return <main id="main" className={css.chat} />
  return <Threads key={flow} api={api} flow={flow} thread={thread} flows={flows ?? []} about={about} />
}

function Empty({ words }: { readonly words: string }) {
  return (
    <main id="main" className="page">
      <h1>Chat</h1>
      <p className="mid">{words}</p>
    </main>
  )
}

interface Open {
  readonly api: Api
  readonly flow: string
  readonly thread: string
  readonly flows: readonly Choice[]
  readonly about: string
}

function Threads({ api, flow, thread, flows, about }: Open) {
  const mayWrite = useMay("runs:write")
  const [turn, setTurn] = useState(0)
  const [isList, setList] = useState(false)
  const live = { pollMs: LOOK_MS, slowMs: SLOW_MS }
  // The next look tries again; the rows that are there stay.
  const { value, again } = useAsked(["runs", "threads", flow], async () => ({ flow, rows: await threadsOf(api, flow) }), { live })
  const rows = value?.flow === flow ? value.rows : undefined
  useEffect(() => {
    if (turn > 0) again()
  }, [turn, again])
  useEffect(() => setList(false), [thread])
  const row = rows?.find((one) => one.thread === thread)
  const title = (row && titleOf(row)) ?? "New thread"
  const { view, files } = useRun(api, row?.run.id, turn)
  useEffect(() => {
    titled(`${view !== undefined && view.pending > 0 ? "◆ " : ""}${title} · Chat`)
  }, [title, view])
  const examples = useMemo(
    () =>
      exampleTasks(
        about,
        (rows ?? []).flatMap((one) => (one.run.status === "failed" ? [] : (titleOf(one) ?? []))),
      ),
    [about, rows],
  )
  const onTurn = useCallback(() => setTurn((n) => n + 1), [])
  const known = flows.some(({ value }) => value === flow) ? flows : [{ value: flow }, ...flows]
  return (
    <main id="main" className={css.chat} data-pane={isList ? "threads" : undefined}>
      <h1 className="vh">Chat</h1>
      <aside className={classes("panel", css.thp)} aria-label="Threads">
        <div className="panel-head">
          <h2>Threads</h2>
          <span className="grow" />
          {mayWrite && (
            <Link className="btn bare square tiny" href={addressOf("chat", flow, newThread())} aria-label="New thread" title="New thread">
              <Icon name="plus" />
            </Link>
          )}
        </div>
        <div className="panel-head">
          <Select
            className={css.tsel}
            aria-label="Flow"
            value={flow}
            choices={known}
            onChange={(chosen) => go(addressOf("chat", chosen))}
          />
        </div>
        {rows === undefined ? (
          <p className="vh" role="status">
            Reading the threads
          </p>
        ) : (
          <ThreadList api={api} flow={flow} rows={rows} open={thread} />
        )}
      </aside>
      <section className={classes("panel", css.tkp)} aria-label="Conversation">
        <div className="panel-head">
          <button className={classes("btn bare square tiny", css.cback)} type="button" aria-label="Threads" onClick={() => setList(true)}>
            <Icon name="left" />
          </button>
          <h2 className="cut">{title}</h2>
          <span className="grow" />
          {row !== undefined && row.usd !== null && (
            <span className="dim nowrap hide-s" title={`The cost of ${counted(row.turns, "turn")} of this thread`}>
              {money(row.usd)}
            </span>
          )}
        </div>
        {rows !== undefined && (
          <Conversation
            key={thread}
            api={api}
            flow={flow}
            thread={thread}
            isNew={row === undefined}
            about={about}
            examples={examples}
            onTurn={onTurn}
          />
        )}
      </section>
      <AboutThread flow={flow} row={row} view={view} files={files} />
    </main>
  )
}
