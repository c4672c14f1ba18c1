// A flow that the catalog does not have: a draft may have it, and is tried from here with a task alone.

import { useId } from "react"
import type { Api } from "../shell/session.ts"
import { Drafts } from "./drafts.tsx"
import { LastTry } from "./try-it.tsx"
import { useTry } from "./use-try.ts"

/** What it needs is known by the server, which says what is missing. */
const ANY = { description: "", inputs: {}, task_required: false }

export function OnlyInDraft({ api, flow }: { readonly api: Api; readonly flow: string }) {
  const id = useId()
  const trying = useTry({ api, flow, start: ANY, text: "", path: "", isChanged: false })
  const { task, setTask, fault, faults, tried, view, busy } = trying
  const said = fault ?? Object.values(faults)[0]
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Task</label>
        <input id={id} className="input" value={task} onChange={({ target }) => setTask(target.value)} />
      </div>
      {said !== undefined && (
        <p className="msg error" role="alert">
          <span>{said}</span>
        </p>
      )}
      {tried !== undefined && <LastTry tried={tried} view={view} />}
      <Drafts api={api} onTry={trying.tryDraft} isBusy={busy !== undefined} />
    </>
  )
}
