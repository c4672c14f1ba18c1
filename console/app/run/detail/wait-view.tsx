// Shows what a step waits for: a signal, which can be sent here, or a time.

import { useState } from "react"
import type { Work } from "../../../../src/core/run/views/outline.ts"
import { faultOf } from "../../parts/fault.ts"
import { duration, fullTime } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import type { Api } from "../../shell/session.ts"
import type { ShownRun } from "../use-run.ts"

interface Props {
  readonly api: Api
  readonly shown: ShownRun
  readonly step: string
  readonly work: Work
  readonly now: number
}

export function WaitView({ api, shown, step, work, now }: Props) {
  const { waiting } = shown.view
  const awaited = waiting !== undefined && "signal" in waiting ? waiting.signal : undefined
  const { signal = awaited, timeout } = shown.graph.nodes.find(({ id }) => id === step) ?? {}
  const otherwise = shown.graph.edges.find(({ from, kind }) => from === step && kind === "timeout")?.to
  const until = work.until ?? (timeout === undefined ? undefined : work.begun + timeout)
  const end = until === undefined ? undefined : `${fullTime(until)}, in ${duration(Math.max(0, until - now))}`
  if (signal === undefined)
    return (
      <p className="bar">
        <Icon name="clock" />
        <span>{end === undefined ? "Waits for a signal." : `Waits until ${end}.`}</span>
      </p>
    )
  return (
    <>
      <p className="bar">
        <Icon name="clock" />
        <span>
          Waits for the signal <code>{signal}</code>
          {end === undefined ? "." : ` until ${end}; then ${otherwise === undefined ? "the step fails" : `${otherwise} is next`}.`}
        </span>
      </p>
      <SendSignal api={api} run={shown.view.id} signal={signal} />
    </>
  )
}

export function SendSignal({ api, run, signal }: { readonly api: Api; readonly run: string; readonly signal: string }) {
  const [text, setText] = useState("{}")
  const [fault, setFault] = useState<string>()
  const [isSending, setSending] = useState(false)
  const send = (): void => {
    let payload: unknown
    try {
      payload = text.trim() === "" ? {} : (JSON.parse(text) as unknown)
    } catch (error) {
      return setFault(`The payload is not JSON: ${error instanceof Error ? error.message : String(error)}`)
    }
    setFault(undefined)
    setSending(true)
    api.runs
      .signal(run, signal, payload)
      .catch((error: unknown) => setFault(faultOf(error)))
      .finally(() => setSending(false))
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label className="bar">
        <span className="dim">Payload (JSON)</span>
        <textarea
          className="input mono"
          id="signal-payload"
          rows={Math.min(6, text.split("\n").length)}
          spellCheck={false}
          value={text}
          aria-invalid={fault !== undefined}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            send()
          }}
        />
        <button className="btn primary" type="submit" aria-disabled={isSending}>
          Send signal
        </button>
      </label>
      {fault !== undefined && (
        <p className="msg error" role="alert">
          {fault}
        </p>
      )}
    </form>
  )
}
