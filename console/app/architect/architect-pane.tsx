// The architect beside the editor [F75]: say what should be different, watch what it does, read what it would write and what that was proved by,
// and accept it or send it back. Nothing is written before it is accepted. The session is in the address.

import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { Architect } from "../../../src/client/architect.ts"
import { visible } from "../../../web/chat/wording.ts"
import { useFlowFiles } from "../flow-tests/use-flow-files.ts"
import type { SideProps } from "../flows/side.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { faultOf } from "../parts/fault.ts"
import { useAsked } from "../parts/asked.ts"
import { SMALL } from "../parts/use-media.ts"
import { addressOf, go } from "../shell/place.ts"
import { Proposal } from "./proposal.tsx"
import { Steps, useStory } from "./steps.tsx"
import { useSession } from "./use-session.ts"
import { NEW_WISHES, wishesFor } from "./wishes.ts"
import { classes } from "../parts/classes.ts"
import css from "../flow-tests/flow-tests.module.css"

export function ArchitectPane({ api, flow, text, saved, onText, onSaved }: SideProps) {
  const architect = useMemo(() => new Architect(api.transport), [api])
  const isNew = saved === undefined
  const { session, fault, open, look } = useSession(architect, isNew ? undefined : flow)
  const files = useFlowFiles(api, flow, saved)
  const graph = useAsked(["once", "graph", flow, saved], async () => (isNew ? undefined : api.flows.graph(flow)))
  const told = useStory(api, session?.run, look)
  const [said, setSaid] = useState("")
  const [notes, setNotes] = useState<readonly { readonly run: string; readonly words: string }[]>([])
  const [accepted, setAccepted] = useState<number>()
  const [refused, setRefused] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [isMeant, setMeant] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  // Whoever opens the architect wants to say something; a small screen would open its keyboard.
  useEffect(() => {
    if (!matchMedia(SMALL).matches) field.current?.focus({ preventScroll: true })
  }, [])
  // What was sent is under way before the session is read again.
  const [sent, setSent] = useState<{ readonly id: string; readonly iteration: number }>()
  const isBehind = session?.id === sent?.id && session !== undefined && session !== null && session.iteration < (sent?.iteration ?? 0)
  const status = isBehind ? "working" : session?.status
  const isWorking = status === "working"
  const isOpen = status === "ready" || status === "failed"
  const send = (): void => {
    const words = said.trim()
    if (words === "" || isBusy || isWorking) return
    // What is said while the session is still being read is sent once it is there.
    setMeant(session === undefined)
    if (session === undefined) return
    setBusy(true)
    setRefused(undefined)
    setAccepted(undefined)
    const begun =
      session && isOpen ? architect.revise(session.id, words) : architect.open(isNew ? { task: words } : { flow, change: words })
    begun
      .then(
        ({ id, run, iteration }) => {
          setSaid("")
          setSent({ id, iteration })
          if (iteration > 1) setNotes((before) => [...before, { run, words }])
          open(id)
          look()
        },
        (error: unknown) => setRefused(faultOf(error)),
      )
      .finally(() => setBusy(false))
  }
  const sendNow = useRef(send)
  sendNow.current = send
  useEffect(() => {
    if (isMeant && session !== undefined) sendNow.current()
  }, [isMeant, session])
  const stop = (): void => {
    if (!session) return
    api.runs.cancel(session.run).then(look, (error: unknown) => setRefused(faultOf(error)))
  }
  const done = useCallback(
    (revision: number): void => {
      setAccepted(revision)
      const named = session?.flow
      if (isNew && named !== undefined) return go(addressOf("flows", named))
      look()
      onSaved()
    },
    [isNew, session?.flow, look, onSaved],
  )
  const suggested = isNew ? NEW_WISHES : graph.value ? wishesFor(graph.value) : []
  return (
    <div className={css.tests}>
      <h2 className="vh">Architect</h2>
      <FaultLine fault={fault ?? files.fault} />
      {session === null && (
        <section className={css.blk}>
          <p>Describe what should be different. The architect writes it, tries it and shows you; nothing changes before you accept it.</p>
          <h3>For example</h3>
          {suggested.map((words) => (
            <button key={words} className={classes("btn", css.wish)} type="button" onClick={() => choose(words)}>
              {visible(words)}
            </button>
          ))}
        </section>
      )}
      {session && (
        <>
          <Said who="Asked for" words={session.task} />
          {notes.map(({ run, words }) => (
            <Said key={run} who="Sent back" words={words} />
          ))}
          {notes.length === 0 && session.iteration > 1 && <p className="dim small">It was sent back {session.iteration - 1} times.</p>}
          {session.summary !== undefined && !isWorking && <Said who="Architect" words={session.summary} />}
          <Steps run={session.run} told={told} isOver={!isWorking} isFolded={!isWorking && status !== "failed"} />
          {isWorking && (
            <div className="bar">
              <button className="btn" type="button" onClick={stop}>
                Stop
              </button>
            </div>
          )}
          {status === "failed" && (
            <p className="note failed" role="alert">
              <span>It stopped: {visible(session.error?.message ?? "it has nothing to show")}. Your draft is untouched.</span>
            </p>
          )}
          {status === "ready" && files.value && (
            <Proposal
              key={`${session.id} ${session.iteration}`}
              api={api}
              architect={architect}
              session={session}
              path={files.value.path}
              onText={onText}
              onAccepted={done}
              onDiscarded={() => open(undefined)}
            />
          )}
          {status === "accepted" && (
            <p className="msg succeeded" role="status">
              It is r{accepted ?? session.revision} of the catalog. The Revisions tab has the way back.
            </p>
          )}
          {status === "discarded" && <p className="mid">This proposal was discarded.</p>}
        </>
      )}
      <form
        className={css.composer}
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        {!isNew && text !== saved && <p className="msg waiting">The architect works on the saved flow. It does not see unsaved changes.</p>}
        <FaultLine fault={refused} />
        <label className="vh" htmlFor="say">
          {isOpen ? "Describe what it should do instead" : "Describe the change"}
        </label>
        <textarea
          ref={field}
          id="say"
          className="input"
          rows={2}
          maxLength={50_000}
          value={said}
          placeholder={
            isOpen ? "Describe what it should do instead" : isNew ? "Describe what the flow should do" : "Describe what should be different"
          }
          onChange={({ target }) => setSaid(target.value)}
          onKeyDown={(event) => {
            const isSend = event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.nativeEvent.isComposing
            if (!isSend) return
            event.preventDefault()
            send()
          }}
        />
        <div className="bar">
          <span className="dim small grow">It asks a model, and writes only what you accept.</span>
          {session && !isWorking && (
            <button className="btn bare" type="button" onClick={() => open(undefined)}>
              New change
            </button>
          )}
          <button className="btn" type="submit" aria-disabled={said.trim() === "" || isBusy || isWorking}>
            {isBusy ? "Sending" : isOpen ? "Revise" : "Send"} <kbd>Enter</kbd>
          </button>
        </div>
      </form>
    </div>
  )

  function choose(words: string): void {
    setSaid(words)
    field.current?.focus()
  }
}

const Said = ({ who, words }: { readonly who: string; readonly words: string }) => (
  <section>
    <h3>{who}</h3>
    <p className={css.said}>{visible(words)}</p>
  </section>
)
