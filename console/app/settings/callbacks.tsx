// Callbacks: receivers of signed messages about runs, what was sent to them, and a dead message sent again.

import { useState } from "react"
import type { CallbackDelivery, CallbackRow } from "../../../src/api/doc/callbacks.doc.ts"
import { Callbacks } from "../../../src/client/triggers.ts"
import { visible } from "../../../web/chat/wording.ts"
import { faultOf } from "../parts/fault.ts"
import { counted, fullTime } from "../parts/figures.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, goQuery, useQuery } from "../shell/place.ts"
import { AskOnce } from "./parts/ask-once.tsx"
import { CallbackForm } from "./callback-form.tsx"
import { Head } from "./parts/head.tsx"
import { AskedView } from "../parts/asked-view.tsx"
import { More, usePages } from "./parts/pages.tsx"
import { Row, Rows } from "./parts/row.tsx"
import type { SectionProps } from "./section-props.ts"
import { SavedAt, type Made } from "./parts/saving.tsx"
import { Told } from "./parts/told.tsx"
import { useAsked } from "../parts/asked.ts"
import css from "./settings.module.css"

const STATUSES = [
  [undefined, "All"],
  ["pending", "Pending"],
  ["delivered", "Delivered"],
  ["dead", "Dead"],
] as const satisfies readonly (readonly [CallbackDelivery["status"] | undefined, string])[]
const LOOKS = { pending: "waiting", delivered: "complete", dead: "error" } as const

export function CallbackSection({ api }: SectionProps) {
  const callbacks = new Callbacks(api.transport)
  const loaded = useAsked(["settings", "callbacks"], () => callbacks.list().all())
  const [isNew, setNew] = useState(false)
  const [removed, setRemoved] = useState<CallbackRow>()
  const [made, setMade] = useState<Made>()
  const dead = useAsked(["settings", "dead messages"], async () => (await callbacks.deliveries({ status: "dead" }).page()).data)
  return (
    <>
      <Head title="Callbacks" about="Who is notified when runs end or ask a person. Messages are signed as in Standard Webhooks.">
        <SavedAt made={made} />
        <button className="btn first" type="button" onClick={() => setNew(true)}>
          Add a receiver
        </button>
      </Head>
      {dead.value !== undefined && dead.value.length > 0 && (
        <p className="note error">
          <span>
            {counted(dead.value.length, "message")} could not be delivered, the last to {visible(dead.value[0]?.url ?? "")}.
          </span>
          <button className="btn" type="button" onClick={() => goQuery({ status: "dead" })}>
            Show
          </button>
        </p>
      )}
      <AskedView what="the receivers" of={loaded}>
        {(rows) => (
          <Rows
            label="Receivers"
            isEmpty={rows.length === 0}
            empty="No receiver yet. Add one to be notified when runs end or wait for a person."
          >
            {rows.map((row) => (
              <Row
                key={row.id}
                name={
                  <>
                    {visible(row.url)} <span className="tag">{row.kind ?? "webhook"}</span>
                    {!row.enabled && <span className="tag error">off: the receiver no longer exists</span>}
                  </>
                }
                about={`${row.events.join(", ")}${row.secret === "" ? ", not signed" : `, signed with ${visible(row.secret)}`}`}
                actions={
                  <button className="btn bare danger" type="button" aria-label={`Delete ${row.url}`} onClick={() => setRemoved(row)}>
                    Delete
                  </button>
                }
              />
            ))}
          </Rows>
        )}
      </AskedView>
      <Messages callbacks={callbacks} />
      {isNew && (
        <CallbackForm
          api={api}
          onClose={() => setNew(false)}
          send={async (given) => {
            await callbacks.create(given)
            setMade({ at: Date.now(), name: given.url })
            loaded.again()
          }}
        />
      )}
      {removed && (
        <AskOnce
          title={`Delete the receiver “${visible(removed.url)}”?`}
          act="Delete the receiver"
          onClose={() => setRemoved(undefined)}
          send={async () => {
            await callbacks.delete(removed.id)
            loaded.again()
          }}
        >
          <p>Its messages are deleted too; pending ones are not sent.</p>
        </AskOnce>
      )}
    </>
  )
}

function Messages({ callbacks }: { readonly callbacks: Callbacks }) {
  const query = useQuery()
  const status = STATUSES.find(([name]) => name !== undefined && name === query.get("status"))?.[0]
  const pages = usePages(`messages ${status}`, () => callbacks.deliveries(status === undefined ? {} : { status }))
  const [said, setSaid] = useState<{ readonly isGood: boolean; readonly words: string }>()
  const redrive = (id: string): void => {
    setSaid(undefined)
    callbacks.redrive(id).then(
      () => {
        setSaid({ isGood: true, words: "The message is queued again with all its attempts." })
        pages.first.again()
      },
      (error: unknown) => setSaid({ isGood: false, words: faultOf(error) }),
    )
  }
  return (
    <section className={css.sbody} aria-label="Messages">
      <div className="page-head">
        <h2>Messages</h2>
        <span className="grow" />
        <div className="pick" role="group" aria-label="Status">
          {STATUSES.map(([name, words]) => (
            <button key={words} type="button" aria-pressed={name === status} onClick={() => goQuery({ status: name })}>
              {words}
            </button>
          ))}
        </div>
      </div>
      <div role="status">{said && <Told {...said} />}</div>
      <AskedView what="the messages" of={pages.first}>
        {() => (
          <Rows
            label="Messages"
            isEmpty={pages.rows.length === 0}
            empty={status === undefined ? "No message has been sent." : `No message is ${status}.`}
          >
            {pages.rows.map((row) => (
              <Row
                key={row.id}
                name={
                  <>
                    <span className={`tag ${LOOKS[row.status]}`}>{row.status}</span> {row.type}
                    <Link className="link mono" href={addressOf("runs", row.run)}>
                      {row.run}
                    </Link>
                  </>
                }
                about={
                  <>
                    {fullTime(row.created)}, to {visible(row.url)}, {counted(row.attempts, "attempt")}
                    {row.last_status !== null && `, the receiver answered ${row.last_status}`}
                    {row.last_error !== null && `, ${visible(row.last_error)}`}
                  </>
                }
                actions={
                  row.status === "dead" && (
                    <button className="btn" type="button" aria-label={`Send again: ${row.id}`} onClick={() => redrive(row.id)}>
                      Send again
                    </button>
                  )
                }
              />
            ))}
          </Rows>
        )}
      </AskedView>
      <More pages={pages} />
    </section>
  )
}
