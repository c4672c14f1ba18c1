// A server that a person signs in to: the page of its authorization server opens in a window of its own, and this page looks until it is done.

import { useEffect, useState } from "react"
import type { McpServer } from "../../../src/api/doc/mcp-servers.doc.ts"
import type { McpServerGiven } from "../../../src/api/mcp-servers.ts"
import { Connect } from "../../../src/client/connect.ts"
import { visible } from "../../../web/chat/wording.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { everyFault } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"
import { givenOf } from "./mcp-list.ts"
import { classes } from "../parts/classes.ts"
import css from "./connect.module.css"

interface Props {
  readonly api: Api
  readonly server: McpServer
  readonly given: McpServerGiven
  /** With the settings that it is registered with. */
  readonly onConnected: (server: McpServer, given: McpServerGiven) => void
  readonly onBack: () => void
}

const LOOK_MS = 2_000

export function SignIn({ api, server, given, onConnected, onBack }: Props) {
  const [address, setAddress] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    if (address === undefined) return
    const connect = new Connect(api.transport)
    let isOver = false
    const look = async (): Promise<void> => {
      // Who signs in looks at another window: this one may wait.
      if (document.visibilityState === "hidden") return
      const now = await connect.server(server.name).catch(() => undefined)
      if (isOver || now?.connection?.status !== "connected") return
      isOver = true
      const settled = givenOf(now)
      onConnected(await connect.previewServer(server.name, settled).catch(() => now), settled)
    }
    const timer = setInterval(() => void look(), LOOK_MS)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [address, api, server.name])
  const begin = (): void => {
    if (isBusy) return
    setBusy(true)
    setFault(undefined)
    // A browser opens a window only at the press itself; the address comes later.
    const page = open("about:blank", "_blank")
    if (page) page.opener = null
    const connect = new Connect(api.transport)
    const signIn = async (): Promise<void> => {
      await connect.putServer(server.name, given)
      const { url } = await connect.signInAt(server.name)
      if (!/^https?:\/\//i.test(url)) throw new Error("The server does not say where to sign in.")
      setAddress(url)
      if (page) page.location.href = url
    }
    signIn()
      .catch((error: unknown) => {
        page?.close()
        setFault(everyFault(error))
      })
      .finally(() => setBusy(false))
  }
  return (
    <section className={classes("panel", css.cnForm)} aria-label="Sign in">
      <h2>{server.name} wants you to sign in</h2>
      <p className="mid">
        {visible(server.url)}
        {server.connection?.issuer !== undefined && `, by ${visible(server.connection.issuer)}`}
      </p>
      <p>Signing in registers the server. None of its tools can be used before you have seen and approved them.</p>
      <FaultLine fault={fault} />
      {address !== undefined && (
        <p className="mid" role="status">
          Waiting for the other window.{" "}
          <a className="link" href={address} target="_blank" rel="noreferrer noopener">
            Open the sign-in page again
          </a>
        </p>
      )}
      <div className="bar">
        <button className="btn first" type="button" aria-disabled={isBusy} onClick={begin}>
          {isBusy ? "Asking the server" : address === undefined ? "Sign in" : "Sign in again"}
        </button>
        <button className="btn" type="button" onClick={onBack}>
          Other server
        </button>
      </div>
    </section>
  )
}
