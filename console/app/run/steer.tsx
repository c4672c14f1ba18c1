// A word to an agent at work, before its next turn.

import { useState } from "react"
import { faultOf } from "../parts/fault.ts"
import { Icon } from "../shell/icons.tsx"
import type { Api } from "../shell/session.ts"
import css from "./detail/detail.module.css"

export function Steer({ api, run, step }: { readonly api: Api; readonly run: string; readonly step: string }) {
  const [text, setText] = useState("")
  const [fault, setFault] = useState<string>()
  const send = (): void => {
    const message = text.trim()
    if (message === "") return
    api.runs.steer(run, step, message).then(
      () => {
        setText("")
        setFault(undefined)
      },
      (error: unknown) => setFault(faultOf(error)),
    )
  }
  return (
    <form
      className={css.steer}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <input
        className="input"
        id="steer"
        aria-label={`Tell ${step} something before its next turn`}
        placeholder={`Tell ${step} something before its next turn`}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Escape") currentTarget.blur()
        }}
      />
      <button className="btn square" type="submit" aria-label="Send">
        <Icon name="up" />
      </button>
      {fault !== undefined && (
        <p className="msg error" role="alert">
          {fault}
        </p>
      )}
    </form>
  )
}
