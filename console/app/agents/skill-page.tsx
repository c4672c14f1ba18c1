// One skill: its files, one at a time, and the agents that have it. `?file=` names the file.

import { useEffect, useState } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { counted } from "../parts/figures.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { useAsked } from "../parts/asked.ts"
import { goQuery, useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { DefinitionEditor } from "./definition-editor.tsx"
import { DefinitionHead, NotThere } from "./definition-head.tsx"
import { DeleteDefinition } from "./delete-definition.tsx"
import { tokensIn } from "../../../web/agent/prompt-text.ts"
import { useDefinition } from "./use-definition.ts"
import { UsesList } from "./uses-list.tsx"
import { classes } from "../parts/classes.ts"
import css from "./agents.module.css"

const INDEX = "SKILL.md"

export function SkillPage({ api, name }: { readonly api: Api; readonly name: string }) {
  const file = useQuery().get("file") ?? INDEX
  return <SkillFile key={file} api={api} name={name} file={file} />
}

function SkillFile({ api, name, file }: { readonly api: Api; readonly name: string; readonly file: string }) {
  const editing = useDefinition(api, "skill", `${name}/${file}`)
  const { state, saved: stored, text } = editing.draft
  const tab = useQuery().get("tab") === "used" ? "used" : "edit"
  const [isDeleting, setDeleting] = useState(false)
  const used = useAsked(["catalog", "skill uses", name], async () => (await api.catalog.used("skill", name).page()).data[0])
  const files = useAsked(["catalog", "skill files", name], async () =>
    (await api.catalog.list()).data.flatMap(({ kind, id }) =>
      kind === "skill" && id.startsWith(`${name}/`) ? [id.slice(name.length + 1)] : [],
    ),
  )
  useEffect(() => titled(`${name} · Skills`), [name])
  const mayWrite = api.who.scopes.includes("catalog:write")
  return (
    <main id="main" className={css.ag} data-tab={tab}>
      <DefinitionHead
        kind="skill"
        name={name}
        editing={editing}
        mayWrite={mayWrite}
        tab={tab}
        tabs={[
          ["edit", "Edit"],
          ["used", <>Used by {used.value && <b>{used.value.used}</b>}</>],
        ]}
        onDelete={() => setDeleting(true)}
      />
      {(state === "missing" || state === "unread") && <NotThere kind="skill" editing={editing} />}
      {state === "loading" && <Skeleton words="Reading the skill" />}
      {stored && tab === "edit" && (
        <div className={classes(css.agOne, css.agPanes)}>
          <DefinitionEditor
            label={stored.path}
            editing={editing}
            mayWrite={mayWrite}
            weight={`About ${counted(tokensIn(text), "token")} once it is read`}
            head={
              (files.value?.length ?? 0) > 1 ? (
                <div className="tabs" role="tablist" aria-label="Files">
                  {files.value?.map((one) => (
                    <button
                      key={one}
                      role="tab"
                      type="button"
                      aria-selected={one === file}
                      onClick={() => goQuery({ file: one === INDEX ? undefined : one }, "push")}
                    >
                      {visible(one)}
                    </button>
                  ))}
                </div>
              ) : (
                <h2 className="mono cut">{visible(stored.path)}</h2>
              )
            }
          />
        </div>
      )}
      {tab === "used" && used.value && (
        <div className={css.agOne}>
          <UsesList used={used.value} />
        </div>
      )}
      {isDeleting && <DeleteDefinition api={api} kind="skill" name={name} onClose={() => setDeleting(false)} />}
    </main>
  )
}
