// An MCP server: those that there are, and a new one by its address. Its tools are listed before anything is kept; one that wants a person to sign
// in is registered for that, without any tool that could be used.

import { useState, type FormEvent } from "react"
import type { McpServer } from "../../../src/api/doc/mcp-servers.doc.ts"
import type { McpServerGiven } from "../../../src/api/mcp-servers.ts"
import { Connect } from "../../../src/client/connect.ts"
import { Secrets } from "../../../src/client/settings.ts"
import { visible } from "../../../web/chat/wording.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { everyFault } from "../parts/fault.ts"
import { counted } from "../parts/figures.ts"
import { useAsked } from "../parts/asked.ts"
import { ChoiceField, TextField } from "../settings/parts/fields.tsx"
import { useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { givenOf } from "./mcp-list.ts"
import { McpPreview } from "./mcp-preview.tsx"
import { classes } from "../parts/classes.ts"
import css from "./connect.module.css"
import settingsCss from "../settings/settings.module.css"

interface Looked {
  readonly server: McpServer
  readonly given: McpServerGiven
}

export function McpTab({ api }: { readonly api: Api }) {
  const connect = new Connect(api.transport)
  const query = useQuery()
  const { value: servers, fault: unread, again } = useAsked(["settings", "mcp servers"], () => connect.servers().all())
  const [looked, setLooked] = useState<Looked>()
  const [busy, setBusy] = useState<string>()
  const [fault, setFault] = useState<string>()
  const look = (name: string, given: McpServerGiven, before?: () => Promise<void>): void => {
    if (busy !== undefined) return
    setBusy(name)
    setFault(undefined)
    Promise.resolve(before?.())
      .then(() => connect.previewServer(name, given))
      .then(
        (server) => setLooked({ server, given }),
        (error: unknown) => setFault(everyFault(error)),
      )
      .finally(() => setBusy(undefined))
  }
  const back = (): void => {
    setLooked(undefined)
    again()
  }
  if (looked) return <McpPreview api={api} server={looked.server} given={looked.given} onBack={back} />
  return (
    <div className={css.cnGap}>
      <NewServer
        api={api}
        name={query.get("name") ?? ""}
        url={query.get("url") ?? ""}
        fault={fault}
        isBusy={busy !== undefined}
        onLook={look}
      />
      <FaultLine fault={unread} />
      {servers !== undefined && servers.length > 0 && (
        <section className="panel" aria-label="Servers">
          <div className="panel-head">
            <h2>Servers</h2>
            <span className="dim">{counted(servers.length, "server")}</span>
          </div>
          {servers.map((server) => (
            <div className={settingsCss.srow} key={server.name}>
              <div className={settingsCss.smain}>
                <span className={settingsCss.sname}>
                  <span className="mono">{server.name}</span>
                  {server.pending !== undefined && <span className="tag waiting">its list has changed</span>}
                  {server.connection !== undefined && server.connection.status !== "connected" && (
                    <span className="tag waiting">{server.connection.status === "needed" ? "sign in" : "sign in again"}</span>
                  )}
                </span>
                <span className="dim small">
                  {visible(server.url)}, {counted(server.tools.length, "tool")} approved
                </span>
              </div>
              <button className="btn" type="button" aria-disabled={busy !== undefined} onClick={() => look(server.name, givenOf(server))}>
                {busy === server.name ? "Asking" : "Look again"}
              </button>
            </div>
          ))}
        </section>
      )}
    </div>
  )
}

interface FormProps {
  readonly api: Api
  readonly name: string
  readonly url: string
  readonly fault: string | undefined
  readonly isBusy: boolean
  readonly onLook: (name: string, given: McpServerGiven, before?: () => Promise<void>) => void
}

const AUTH = [
  ["none", "none, or the server asks for OAuth"],
  ["secret", "a secret from the vault"],
  ["person", "a person signs in (OAuth)"],
] as const

function NewServer({ api, fault, isBusy, onLook, ...first }: FormProps) {
  const [name, setName] = useState(first.name)
  const [url, setUrl] = useState(first.url)
  const [auth, setAuth] = useState<(typeof AUTH)[number][0]>("none")
  const [scope, setScope] = useState("")
  const [value, setValue] = useState("")
  const isName = name === "" || /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/.test(name)
  const isReady = name !== "" && isName && url !== "" && (auth !== "secret" || scope !== "")
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isReady) return
    const carried = auth === "secret" ? { auth: { scope } } : auth === "person" ? { auth: { grant: "authorization_code" as const } } : {}
    const seal = auth === "secret" && value !== "" ? () => new Secrets(api.transport).put(scope, value) : undefined
    onLook(name, { url, ...carried }, seal)
  }
  return (
    <form className={classes("panel", css.cnForm)} aria-label="New server" autoComplete="off" onSubmit={submit}>
      <div className={css.two}>
        <TextField
          label="Address"
          isMono
          value={url}
          onChange={setUrl}
          placeholder="https://mcp.example.com/mcp"
          hint="The server's streamable HTTP endpoint."
        />
        <TextField
          label="Name"
          isMono
          value={name}
          onChange={setName}
          hint="Its tools are called mcp:NAME:TOOL."
          fault={isName ? undefined : 'Use letters, digits, "_", "." and "-".'}
        />
      </div>
      <div className={css.two}>
        <ChoiceField label="Sign-in" value={auth} options={AUTH} onChange={setAuth} />
        {auth === "secret" && <TextField label="Vault scope" isMono value={scope} onChange={setScope} hint="Its newest value is sent." />}
      </div>
      {auth === "secret" && (
        <TextField
          label="Value"
          type="secret"
          value={value}
          onChange={setValue}
          hint="Encrypted when you preview, and never shown again. Leave it empty if the vault already has it."
        />
      )}
      <FaultLine fault={fault} />
      <div className="bar">
        <button className="btn first" type="submit" aria-disabled={!isReady || isBusy}>
          {isBusy ? "Asking" : "Preview tools"}
        </button>
        <span className="dim small">Nothing is stored yet, except a value that you enter: it goes to the vault.</span>
      </div>
    </form>
  )
}
