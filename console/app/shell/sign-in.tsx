// Sign-in by a tenant's key: it is sent once, and the browser keeps a session in its place [H13].

import { useEffect, useId, useState, type FormEvent } from "react"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { Icon } from "./icons.tsx"
import { SERVER } from "./place.ts"
import { isSessionLost, NotKept, signIn } from "./session.ts"
import { titled } from "./title.ts"
import { classes } from "../parts/classes.ts"
import css from "./sign-in.module.css"
import shellCss from "./shell.module.css"

const LOCAL_KEY = "sl_local_dev"
const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname)

export function SignIn() {
  const [key, setKey] = useState("")
  const [name, setName] = useState("")
  const [isShown, setShown] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const [fault, setFault] = useState<string>()
  const [isLost] = useState(isSessionLost)
  const [field, hint, message, person, about] = [useId(), useId(), useId(), useId(), useId()]
  useEffect(() => titled("Sign in"), [])
  const enter = async (given: string): Promise<void> => {
    if (isAsking) return
    setAsking(true)
    setFault(await refusalOf(given, name.trim()).finally(() => setAsking(false)))
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void enter(key.trim())
  }
  return (
    <main id="main" className={css.signin}>
      <form className="panel" autoComplete="off" onSubmit={submit}>
        <div className={shellCss.brand}>
          <Icon name="mark" kind={css.mk} />
          Sluice
        </div>
        <h1>Sign in to this instance</h1>
        <p className="mid">Sluice runs flows of agents. Every run is a journal that you can pause, fork and prove.</p>
        {isLost && (
          <p className="note waiting" role="status">
            <Icon name="lock" kind="i-s" />
            <span>
              <b>You are signed out.</b> The session ended after its 12 hours, or its key was revoked. Sign in again, and this page comes
              back.
            </span>
          </p>
        )}
        {isLocal && (
          <div className={css.local}>
            <button className="btn first wide" type="button" aria-disabled={isAsking} onClick={() => void enter(LOCAL_KEY)}>
              Use {LOCAL_KEY}
            </button>
            <p className="mid">This server runs on your machine. Its tenant “local” needs no account, and this key works here only.</p>
            <h2>Or use another key</h2>
          </div>
        )}
        <div className="field">
          <label htmlFor={field}>Tenant key</label>
          <div className={css.kf}>
            <input
              id={field}
              className={fault === undefined ? "input mono" : "input mono bad"}
              type={isShown ? "text" : "password"}
              value={key}
              onChange={({ target }) => setKey(target.value)}
              autoComplete="off"
              spellCheck={false}
              aria-invalid={fault !== undefined}
              aria-describedby={`${hint} ${message}`}
            />
            <button
              className="btn bare square"
              type="button"
              aria-label={isShown ? "Hide key" : "Show key"}
              onClick={() => setShown(!isShown)}
            >
              <Icon name="eye" />
            </button>
          </div>
          <p className="hint" id={hint}>
            Starts with sl_. It is sent once and never stored: this browser gets a session of 12 hours instead.
          </p>
          <p className="msg error" id={message} role="alert">
            {fault !== undefined && (
              <>
                <Icon name="failed" kind="i-s" />
                <span>{fault}</span>
              </>
            )}
          </p>
        </div>
        <div className="field">
          <label htmlFor={person}>Your name (optional)</label>
          <input
            id={person}
            className="input"
            type="text"
            value={name}
            onChange={({ target }) => setName(target.value)}
            maxLength={100}
            autoComplete="name"
            aria-describedby={about}
          />
          <p className="hint" id={about}>
            Shown beside your approvals. If empty, the key’s name is used.
          </p>
        </div>
        <button className={isLocal ? "btn wide" : "btn first wide"} type="submit" aria-disabled={isAsking}>
          {isAsking ? "Checking" : "Sign in"}
        </button>
        {!isLocal && <p className={classes("mid", css.nokey)}>No key? Ask whoever runs this instance.</p>}
      </form>
      <p className="dim small">
        <a className="link" href={`${SERVER}docs`}>
          API reference
        </a>
      </p>
    </main>
  )
}

/** undefined: the key is taken. */
async function refusalOf(key: string, name: string): Promise<string | undefined> {
  if (key === "") return "Paste a key first."
  try {
    await signIn(key, name)
    return undefined
  } catch (error) {
    if (error instanceof NotKept) return "The browser did not keep the session. Open the console over HTTPS, and allow its cookie."
    if (!(error instanceof SluiceError)) return "A key contains only ASCII letters, digits and symbols."
    if (error.status === 401) return "This key is not known here, or it was revoked. Check that all of it was pasted."
    return error.status === 0 ? "The server did not answer. Try again." : error.message
  }
}
