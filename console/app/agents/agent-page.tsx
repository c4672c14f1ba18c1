// One agent: its file with the tools that it gets, the playground, and what names it.

import { FILE_KEYS } from "virtual:file-keys"
import { useEffect, useState } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { counted } from "../parts/figures.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { useAsked } from "../parts/asked.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { completions, inputsIn, meaning } from "../../../web/agent/complete.ts"
import { DefinitionEditor } from "./definition-editor.tsx"
import { DefinitionHead, NotThere } from "./definition-head.tsx"
import { DeleteDefinition } from "./delete-definition.tsx"
import { Playground } from "./playground.tsx"
import { bodyOf, tokensIn } from "../../../web/agent/prompt-text.ts"
import { ToolsPanel } from "./tools-panel.tsx"
import { useDefinition } from "./use-definition.ts"
import { UsesList } from "./uses-list.tsx"
import css from "./agents.module.css"

const NOTHING = { tools: [], skills: [], agents: [] }
const TABS = ["edit", "playground", "used"] as const

export function AgentPage({ api, name }: { readonly api: Api; readonly name: string }) {
  const editing = useDefinition(api, "agent", name)
  const { state, saved: stored, text, isChanged: isDraft } = editing.draft
  const used = useAsked(["catalog", "agent uses", name, stored?.hash], async () => (await api.catalog.used("agent", name).page()).data[0])
  const query = useQuery()
  const tab = TABS.find((one) => one === query.get("tab")) ?? "edit"
  const [isDeleting, setDeleting] = useState(false)
  const [goTo, setGoTo] = useState<{ readonly line: number }>()
  // What was tried stays while the reader is in the editor.
  const [wasPlayed, setPlayed] = useState(false)
  useEffect(() => {
    if (tab === "playground") setPlayed(true)
  }, [tab])
  useEffect(() => titled(`${isDraft ? "• " : ""}${name} · Agents`), [name, isDraft])
  const mayWrite = api.who.scopes.includes("catalog:write")
  const uses = used.value?.uses ?? []
  const known = useAsked(["catalog", "known to agent", name], async () => ({
    tools: (await api.catalog.tools(name).all()).map((tool) => tool.name),
    skills: (await api.catalog.used("skill").all()).map(({ id }) => id),
    agents: (await api.catalog.list()).data.flatMap(({ kind, id }) => (kind === "agent" ? [id] : [])),
  }))
  return (
    <main id="main" className={css.ag} data-tab={tab}>
      <DefinitionHead
        kind="agent"
        name={name}
        editing={editing}
        mayWrite={mayWrite}
        tab={tab}
        tabs={[
          ["edit", "Edit"],
          ["playground", "Playground"],
          ["used", <>Used by {used.value && <b>{used.value.used}</b>}</>],
        ]}
        onDelete={() => setDeleting(true)}
      />
      {(state === "missing" || state === "unread") && <NotThere kind="agent" editing={editing} />}
      {state === "loading" && <Skeleton words="Reading the agent" />}
      {stored && tab === "edit" && (
        <div className={css.agPanes}>
          <DefinitionEditor
            label={stored.path}
            editing={editing}
            mayWrite={mayWrite}
            goTo={goTo}
            complete={(upTo, whole) => completions(upTo, whole, FILE_KEYS, { ...(known.value ?? NOTHING), inputs: inputsIn(whole) })}
            about={(word, upTo) => meaning(word, upTo, FILE_KEYS)}
            weight={`About ${counted(tokensIn(bodyOf(text)), "token")} of prompt`}
            head={
              <>
                <h2 className="mono cut">{visible(stored.path)}</h2>
                <span className="grow" />
                {used.value?.skills?.map((skill) => (
                  <Link key={skill} className="link" href={addressOf("agents", "skills", skill)}>
                    {visible(skill)}
                  </Link>
                ))}
              </>
            }
          />
          <ToolsPanel api={api} name={name} hash={stored.hash} uses={uses} isDraft={isDraft} onLine={(line) => setGoTo({ line })} />
        </div>
      )}
      {stored && (wasPlayed || tab === "playground") && (
        <div hidden={tab !== "playground"} className={css.agPlay}>
          <Playground
            api={api}
            name={name}
            uses={uses}
            isRead={used.value !== undefined}
            draft={isDraft ? bodyOf(text) : undefined}
            live={bodyOf(stored.content)}
            isShown={tab === "playground"}
          />
        </div>
      )}
      {tab === "used" && used.value && (
        <div className={css.agOne}>
          <UsesList used={used.value} />
        </div>
      )}
      {isDeleting && <DeleteDefinition api={api} kind="agent" name={name} onClose={() => setDeleting(false)} />}
    </main>
  )
}
