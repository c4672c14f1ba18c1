// API keys: what each may do and when it was last used. A new one is shown once.

import { useState } from "react"
import type { KeyRow } from "../../../src/api/doc/tenants.doc.ts"
import { Keys } from "../../../src/client/settings.ts"
import { SignInClient } from "../../../src/client/sign-in.ts"
import { visible } from "../../../web/chat/wording.ts"
import { age, counted, fullTime } from "../parts/figures.ts"
import { useAsked } from "../parts/asked.ts"
import { useNow } from "../parts/use-now.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { AskOnce } from "./parts/ask-once.tsx"
import { Head } from "./parts/head.tsx"
import { AskedView } from "../parts/asked-view.tsx"
import { NewKeyDialog } from "./new-key.tsx"
import { Row, Rows } from "./parts/row.tsx"
import type { SectionProps } from "./section-props.ts"

export function KeyList({ api }: SectionProps) {
  const keys = new Keys(api.transport)
  const loaded = useAsked(["settings", "keys"], () => keys.list().all())
  // The keys are worth showing without them.
  const sessions = useAsked(["settings", "sessions"], () => new SignInClient(api.transport).all().all())
  const of = (row: KeyRow) => (sessions.value ?? []).filter(({ key_id }) => key_id === row.id)
  const isOwn = (row: KeyRow): boolean => of(row).some(({ current }) => current)
  const now = useNow(60_000)
  const [isNew, setNew] = useState(false)
  const [revoked, setRevoked] = useState<KeyRow>()
  return (
    <>
      <Head title="API keys" about="Who or what may call the API, and what each may do. A key is shown once, when it is made.">
        <button className="btn first" type="button" onClick={() => setNew(true)}>
          Create a key
        </button>
      </Head>
      <AskedView what="the keys" of={loaded}>
        {(rows) => (
          <Rows label="Keys" isEmpty={rows.length === 0} empty="No API key yet. The local development key is not listed.">
            {rows.map((row) => (
              <Row
                key={row.id}
                name={
                  <>
                    {visible(row.name)} <span className="mono dim">{row.prefix}…</span>
                    {of(row).length > 0 && (
                      <Link className="tag running" href={addressOf("settings", "people")}>
                        {isOwn(row) ? "yours, " : ""}
                        {counted(of(row).length, "session")} open
                      </Link>
                    )}
                  </>
                }
                about={
                  <>
                    {row.scopes.join(", ")}
                    <br />
                    <span title={fullTime(row.created)}>made {ago(row.created, now)}</span>,{" "}
                    {row.last_used === null ? "never used" : `used ${ago(row.last_used, now)}`}
                    {row.expires !== null && `, expires ${fullTime(row.expires)}`}
                  </>
                }
                actions={
                  <button className="btn bare danger" type="button" aria-label={`Revoke ${row.name}`} onClick={() => setRevoked(row)}>
                    Revoke
                  </button>
                }
              />
            ))}
          </Rows>
        )}
      </AskedView>
      {isNew && <NewKeyDialog keys={keys} onClose={() => setNew(false)} onMade={loaded.again} />}
      {revoked && (
        <AskOnce
          title={`Revoke the key “${visible(revoked.name)}”?`}
          act={`Revoke ${visible(revoked.name)}`}
          onClose={() => setRevoked(undefined)}
          send={async () => {
            await keys.revoke(revoked.id)
            loaded.again()
          }}
        >
          <p>
            Requests with it are refused at once.
            {of(revoked).length > 0 && ` ${counted(of(revoked).length, "session")} of people who signed in with it end within 5 seconds.`}
            {isOwn(revoked) && " Yours is one of them, so you are signed out."}
          </p>
        </AskOnce>
      )}
    </>
  )
}

const ago = (at: string, now: number): string => {
  const words = age(Date.parse(at), now)
  return words === "now" ? "just now" : `${words} ago`
}
