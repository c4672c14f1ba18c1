// `sluice/react`: a run, a flow and the inbox as hooks. React is the page's own.
//
//   <SluiceProvider client={new Sluice({ url, token })}> … const { status, output } = useRun(id)

import { createContext, createElement, useCallback, useContext, useEffect, useState, type ReactElement, type ReactNode } from "react"
import type { Sluice } from "../src/client/sluice.ts"
import type { Asked } from "../src/api/doc/run/interactions.doc.ts"
import type { AnswerInput } from "../src/api/run/interactions.ts"
import type { FlowArg, StartArgs } from "../src/client/register.ts"
import { messageOf } from "../src/core/text/fault-text.ts"
import type { LineState } from "../src/client/follow.ts"
import type { RunEvent } from "../src/core/run/event.ts"
import type { PublicEvent } from "../src/core/run/views/public.ts"
import { folded, LOADING, lossOf, type RunState } from "./run-state.ts"

export type { RunState, StepState } from "./run-state.ts"
export type { PublicEvent } from "../src/core/run/views/public.ts"

const Given = createContext<Sluice | undefined>(undefined)

export function SluiceProvider({ client, children }: { readonly client: Sluice; readonly children?: ReactNode }): ReactElement {
  return createElement(Given.Provider, { value: client }, children)
}

export function useSluice(): Sluice {
  const client = useContext(Given)
  if (client === undefined) throw new Error("there is no client: put <SluiceProvider client={…}> around the page")
  return client
}

/** The run, live until it ends. Without an id it is `loading`. `useRun<"support">(id)` has the output of that flow. With a public token, say so: its
 *  events have fewer members. */
export function useRun<F extends string = string>(id: string | undefined): RunState<RunEvent, F>
export function useRun<F extends string = string>(id: string | undefined, token: { readonly view: "public" }): RunState<PublicEvent, F>
export function useRun(id: string | undefined, _token?: { readonly view: "public" }): RunState<RunEvent | PublicEvent> {
  const client = useSluice()
  const [held, hold] = useState<{ readonly id: string | undefined; readonly state: RunState }>({ id, state: LOADING })
  useEffect(() => {
    if (id === undefined) return
    const leaving = new AbortController()
    const follow = async (): Promise<void> => {
      let state = LOADING
      const loss = lossOf(typeof location === "undefined" ? undefined : location.origin)
      const onLine = (line: LineState): void => {
        const message = loss(line.state === "open")
        if (!leaving.signal.aborted) hold({ id, state: message === undefined ? state : { ...state, error: { message } } })
      }
      try {
        for await (const frame of client.runs.events(id, { transient: true, signal: leaving.signal, onLine })) {
          state = folded(state, frame)
          if (leaving.signal.aborted) return
          hold({ id, state })
        }
      } catch (error) {
        if (!leaving.signal.aborted) hold({ id, state: { ...state, error: { message: messageOf(error) } } })
      }
    }
    void follow()
    return () => leaving.abort()
  }, [client, id])
  // What is held may still be of the run before.
  return held.id === id ? held.state : LOADING
}

export interface FlowHandle<F extends string = string> extends RunState<RunEvent, F> {
  /** The run that was started last. */
  readonly id: string | undefined
  readonly isStarting: boolean
  start(...start: StartArgs<F, never>): Promise<string>
  cancel(): Promise<void>
}

/** Starts runs of a flow and shows the last one. */
export function useFlow<const F extends string>(flow: FlowArg<F>): FlowHandle<F> {
  const client = useSluice()
  const [id, setId] = useState<string>()
  const [isStarting, setStarting] = useState(false)
  const start = useCallback(
    async (...wish: StartArgs<F, never>) => {
      setStarting(true)
      try {
        const run = await client.flows.start<F>(flow, ...wish)
        setId(run.id)
        return run.id
      } finally {
        setStarting(false)
      }
    },
    [client, flow],
  )
  const cancel = useCallback(async () => {
    if (id !== undefined) await client.runs.cancel(id)
  }, [client, id])
  return { ...useRun<F>(id), id, isStarting, start, cancel }
}

export interface Inbox {
  /** Open questions, oldest first; undefined until the first answer of the server. */
  readonly questions: readonly Asked[] | undefined
  readonly error: { readonly message: string } | undefined
  answer(question: Asked, answer: AnswerInput): Promise<void>
  refresh(): Promise<void>
}

/** The tenant's open questions, read again every `every` milliseconds while the page is visible. */
export function useInbox({ every = 5_000 }: { readonly every?: number } = {}): Inbox {
  const client = useSluice()
  const [questions, setQuestions] = useState<readonly Asked[]>()
  const [error, setError] = useState<{ readonly message: string }>()
  const refresh = useCallback(async () => {
    try {
      setQuestions(await client.interactions.list().all())
      setError(undefined)
    } catch (fault) {
      setError({ message: messageOf(fault) })
    }
  }, [client])
  useEffect(() => {
    void refresh()
    const timer = setInterval(() => {
      if (typeof document === "undefined" || document.visibilityState === "visible") void refresh()
    }, every)
    return () => clearInterval(timer)
  }, [refresh, every])
  const answer = useCallback(
    async ({ run, id }: Asked, given: AnswerInput) => {
      if (run === null) await client.interactions.answerQuestion(id, given)
      else await client.interactions.answer(run, id, given)
      await refresh()
    },
    [client, refresh],
  )
  return { questions, error, answer, refresh }
}
