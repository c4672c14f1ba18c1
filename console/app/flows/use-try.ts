// Trying the flow: a rehearsal of what is in the editor, saved or not, and a run of what is saved.

import { useEffect, useRef, useState } from "react"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { SluiceError } from "../../../src/client/sluice-error.ts"
import type { FlowStart } from "../../../src/core/flow/check/graph-view.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { valuesOf, type Field } from "../../../web/run/start-form.ts"
import { faultOf } from "../parts/fault.ts"
import { placed } from "../parts/start-fields.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"

/** As long as a rehearsal is waited for; it goes on. */
const WAIT_S = 30
const CASE = "tried in the editor"

export interface Tried {
  readonly run: string | undefined
  readonly view: RunView | undefined
  /** Of the text that is saved, of the one in the editor, or of the server's draft of this name. */
  readonly of: "saved" | "draft" | { readonly draft: string }
  readonly ms: number | undefined
  /** Why it could not be begun or did not end. */
  readonly why: string | undefined
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
  const rehearse = (): void => {
    const wish = busy === undefined ? filled() : undefined
    if (wish === undefined) return
    setBusy("rehearse")
    const begun = performance.now()
    const asked = isChanged ? rehearsedDraft(api, flow, { path, text }, wish) : rehearsed(api, flow, wish)
    asked.then((found) => {
      if (isOver.current) return
      setBusy(undefined)
      setTried({ ...found, of: isChanged ? "draft" : "saved", ms: found.ms ?? performance.now() - begun })
    }, failed)
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
    setBusy(how)
    const named = `${flow}@draft:${draft}`
    if (how === "run") return void api.flows.start(named, wish).then(({ id }) => go(addressOf("runs", id)), failed)
    rehearsed(api, named, wish).then((found) => {
      if (isOver.current) return
      setBusy(undefined)
      setTried({ ...found, of: { draft } })
    }, failed)
  }
  return { flow, tryDraft, filled, task, setTask, given, setGiven, faults, fault, busy, tried, rehearse, run }
}

type Outcome = Omit<Tried, "of">

async function rehearsed(api: Api, flow: string, wish: object): Promise<Outcome> {
  const found = await api.flows.wait(flow, { ...wish, rehearse: true }, WAIT_S)
  const view = "steps" in found ? found : undefined
  return {
    run: found.id,
    view,
    ms: view?.ended === undefined ? undefined : Date.parse(view.ended) - Date.parse(view.created),
    why: undefined,
  }
}

/** What is not saved runs as a test of one case: rehearsed and dry, and nothing is written. JSON is YAML. */
async function rehearsedDraft(api: Api, flow: string, { path, text }: Pick<Options, "path" | "text">, wish: object): Promise<Outcome> {
  const tests = JSON.stringify({ cases: [{ name: CASE, ...wish, expect: {} }] })
  const { cases } = await api.flows.test(flow, {
    case: CASE,
    definitions: { [path]: text, [path.replace(/\.yaml$/, ".test.yaml")]: tests },
  })
  const [first] = cases
  const view = typeof first?.run !== "string" ? undefined : await api.runs.get(first.run).catch(() => undefined)
  const found = first?.failures[0]?.found
  const why = found === undefined || found === null ? undefined : typeof found === "string" ? found : JSON.stringify(found)
  return { run: first?.run ?? undefined, view, ms: first?.ms, why }
}
