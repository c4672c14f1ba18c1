// Trying the flow: a rehearsal of what is in the editor, saved or not, and a run of what is saved. Its run is there at once, and is followed.

import { useEffect, useRef, useState } from "react"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import type { FlowStart } from "../../../src/core/flow/check/graph-view.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { valuesOf, type Field } from "../../../web/run/start-form.ts"
import { faultOf } from "../parts/fault.ts"
import { placed } from "../parts/start-fields.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { useTried } from "./use-tried.ts"

/** What is not saved is rehearsed from a draft on the server with a name of this kind, which goes again once its run has begun [F80]. */
export const NOT_SAVED = "not-saved-"

export interface Tried {
  readonly run: string
  /** Of the text that is saved, of the one in the editor, or of the server's draft of this name. */
  readonly of: "saved" | "draft" | { readonly draft: string }
}

interface Options {
  readonly api: Api
  readonly flow: string
  readonly start: FlowStart | undefined
  readonly text: string
  readonly path: string
  readonly isChanged: boolean
}

export function useTry({ api, flow, start, text, path, isChanged }: Options) {
  const [task, setTask] = useState("")
  const [given, setGiven] = useState<Readonly<Record<string, Field>>>({})
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [fault, setFault] = useState<string>()
  const [busy, setBusy] = useState<"rehearse" | "run">()
  const [tried, setTried] = useState<Tried>()
  const isOver = useRef(false)
  useEffect(() => {
    isOver.current = false
    return () => {
      isOver.current = true
    }
  }, [])
  const filled = (): { readonly task?: string; readonly inputs?: JsonObject } | undefined => {
    if (start === undefined) return undefined
    const { values, faults: wrong } = valuesOf(start.inputs, given)
    const missing = start.task_required && task.trim() === "" ? { task: "The flow needs a task." } : {}
    setFaults({ ...wrong, ...missing })
    setFault(undefined)
    if (Object.keys({ ...wrong, ...missing }).length > 0) return undefined
    return { ...(task.trim() === "" ? {} : { task }), ...(Object.keys(values).length === 0 ? {} : { inputs: values }) }
  }
  const failed = (error: unknown): void => {
    if (isOver.current) return
    setBusy(undefined)
    setFaults(error instanceof SluiceError ? placed(error) : {})
    setFault(faultOf(error))
  }
  const begin = (asked: Promise<string>, of: Tried["of"]): void => {
    setBusy("rehearse")
    asked.then((run) => {
      if (isOver.current) return
      setBusy(undefined)
      setTried({ run, of })
    }, failed)
  }
  const rehearse = (): void => {
    const wish = busy === undefined ? filled() : undefined
    if (wish === undefined) return
    const asked = isChanged ? rehearsedDraft(api, flow, { path, text }, wish) : rehearsed(api, flow, wish)
    begin(asked, isChanged ? "draft" : "saved")
  }
  const run = (): void => {
    const wish = busy === undefined ? filled() : undefined
    if (wish === undefined) return
    setBusy("run")
    api.flows.start(flow, wish).then(({ id }) => go(addressOf("runs", id)), failed)
  }
  /** The flow as a draft of the server has it [F80]. */
  const tryDraft = (draft: string, how: "rehearse" | "run"): void => {
    const wish = busy === undefined ? filled() : undefined
    if (wish === undefined) return
    const named = `${flow}@draft:${draft}`
    if (how === "rehearse") return begin(rehearsed(api, named, wish), { draft })
    setBusy(how)
    api.flows.start(named, wish).then(({ id }) => go(addressOf("runs", id)), failed)
  }
  const { view, fault: lost } = useTried(api, tried?.run)
  return { flow, tryDraft, filled, task, setTask, given, setGiven, faults, fault: fault ?? lost, busy, tried, view, rehearse, run }
}

const rehearsed = async (api: Api, flow: string, wish: object): Promise<string> =>
  (await api.flows.start(flow, { ...wish, rehearse: true })).id

async function rehearsedDraft(api: Api, flow: string, { path, text }: Pick<Options, "path" | "text">, wish: object): Promise<string> {
  const draft = NOT_SAVED + Math.random().toString(36).slice(2, 10)
  await api.catalog.drafts.put(draft, { mode: "merge", flows: { [path.replace(/^flows\//, "")]: text } })
  try {
    return await rehearsed(api, `${flow}@draft:${draft}`, wish)
  } finally {
    // A run goes on with what it began with. A draft that cannot be removed goes by itself.
    api.catalog.drafts.delete(draft).catch(() => undefined)
  }
}
