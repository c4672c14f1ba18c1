// Who is signed in at the console: each session with its person, its key and when it ends.

import { useState } from "react"
import type { SignInShown } from "../../../src/api/doc/sign-in.doc.ts"
import { SignInClient } from "../../../src/client/sign-in.ts"
import { visible } from "../../../web/chat/wording.ts"
import { age, fullTime } from "../parts/figures.ts"
import { useNow } from "../parts/use-now.ts"
import { sessionOver } from "../shell/session.ts"
import { AskOnce } from "./parts/ask-once.tsx"
import { Head } from "./parts/head.tsx"
import { AskedView } from "../parts/asked-view.tsx"
import { Row, Rows } from "./parts/row.tsx"
import type { SectionProps } from "./section-props.ts"
import { useAsked } from "../parts/asked.ts"

export function People({ api }: SectionProps) {
  const session = new SignInClient(api.transport)
  const loaded = useAsked(["settings", "people"], () => session.all().all())
  const now = useNow(60_000)
  const [ended, setEnded] = useState<SignInShown>()
  const { by, via } = api.who
  return (
    <>
      <Head
        title="People"
        about="Who is signed in with a key. A session has the rights of its key, lasts 12 hours at most, and ends with its key. People who sign in through Cloudflare Access are listed there."
      />
      {via === "access" && (
        <p className="note running">
          <span>You are {visible(by)}, verified by Cloudflare Access.</span>
        </p>
      )}
      <AskedView what="the sessions" of={loaded}>
        {(rows) => (
          <Rows label="People" isEmpty={rows.length === 0} empty="Nobody is signed in with a key.">
            {rows.map((row) => (
              <Row
                key={row.id}
                name={
                  <>
                    {visible(row.by)} {row.current && <span className="tag running">you, here</span>}
                  </>
                }
                about={
                  <>
                    key {visible(row.key)}, <span title={fullTime(row.created)}>signed in {sinceOf(row.created, now)}</span>, until{" "}
                    {fullTime(row.until)}
                  </>
                }
                actions={
                  <button
                    className="btn bare danger"
                    type="button"
                    aria-label={`End the session of ${row.by}`}
                    onClick={() => setEnded(row)}
                  >
                    End
                  </button>
                }
              />
            ))}
          </Rows>
        )}
      </AskedView>
      {ended && (
        <AskOnce
          title={`End the session of “${visible(ended.by)}”?`}
          act="End the session"
          onClose={() => setEnded(undefined)}
          send={async () => {
            await session.end(ended.id)
            if (ended.current) sessionOver()
            else loaded.again()
          }}
        >
          <p>
            {ended.current
              ? "It is yours, so you are signed out here."
              : "They are signed out within 5 seconds. Their key stays valid. To keep them out, revoke it."}
          </p>
        </AskOnce>
      )}
    </>
  )
}

const sinceOf = (at: string, now: number): string => {
  const words = age(Date.parse(at), now)
  return words === "now" ? "just now" : `${words} ago`
}
