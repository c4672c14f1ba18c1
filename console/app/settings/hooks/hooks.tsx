// Hooks: addresses whose signed deliveries start runs. /console/settings/hooks/ID is one of them, with what was delivered to it.

import { useState } from "react"
import type { HookRow } from "../../../../src/api/doc/hooks.doc.ts"
import { Hooks } from "../../../../src/client/triggers.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import { AskOnce } from "../parts/ask-once.tsx"
import { Head } from "../parts/head.tsx"
import { CopyText } from "../parts/copy-text.tsx"
import { SavedAt, type Made } from "../parts/saving.tsx"
import { Failing } from "./failing.tsx"
import { HookForm } from "./hook-form.tsx"
import { HookPage } from "./hook-page.tsx"
import { HookTags } from "./hook-tags.tsx"
import { AskedView } from "../../parts/asked-view.tsx"
import { Row, Rows } from "../parts/row.tsx"
import type { SectionProps } from "../section-props.ts"
import { useAsked } from "../../parts/asked.ts"

export function HookSection({ api, rest: [id] }: SectionProps) {
  const hooks = new Hooks(api.transport)
  const loaded = useAsked(["settings", "hooks"], () => hooks.list().all())
  const [edited, setEdited] = useState<HookRow | "new">()
  const [removed, setRemoved] = useState<HookRow>()
  const [made, setMade] = useState<Made>()
  const one = loaded.value?.find((row) => row.id === id)
  return (
    <>
      {one ? (
        <HookPage key={one.id} hooks={hooks} row={one} onEdit={() => setEdited(one)} />
      ) : (
        <>
          <Head title="Hooks" about="Addresses that other services post to. A delivery with a valid signature starts a run.">
            <SavedAt made={made} />
            <button className="btn first" type="button" onClick={() => setEdited("new")}>
              Add a hook
            </button>
          </Head>
          <AskedView what="the hooks" of={loaded}>
            {(rows) => (
              <Rows
                label="Hooks"
                isEmpty={rows.length === 0}
                empty="No hook yet. GitHub, Stripe, Slack or your own service can start a flow."
              >
                {rows.map((row) => (
                  <Row
                    key={row.id}
                    name={
                      <>
                        <Link className="link" href={addressOf("settings", "hooks", row.id)}>
                          {visible(row.flow)}
                        </Link>
                        <HookTags row={row} />
                      </>
                    }
                    about={
                      <>
                        {visible(row.url)} <Failing hooks={hooks} row={row} />
                      </>
                    }
                    actions={
                      <>
                        <Link className="btn" href={addressOf("settings", "hooks", row.id)} aria-label={`Test and deliveries: ${row.flow}`}>
                          Test and deliveries
                        </Link>
                        <CopyText what="address" text={row.url} />
                        {row.name === undefined && (
                          <>
                            <button
                              className="btn"
                              type="button"
                              aria-label={`Edit the hook of ${row.flow}`}
                              onClick={() => setEdited(row)}
                            >
                              Edit
                            </button>
                            <button
                              className="btn bare danger"
                              type="button"
                              aria-label={`Delete the hook of ${row.flow}`}
                              onClick={() => setRemoved(row)}
                            >
                              Delete
                            </button>
                          </>
                        )}
                      </>
                    }
                  />
                ))}
              </Rows>
            )}
          </AskedView>
        </>
      )}
      {edited !== undefined && (
        <HookForm
          api={api}
          row={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
          send={async (body) => {
            if (edited === "new") await hooks.create(body)
            else await hooks.put(edited.id, body)
            setMade({ at: Date.now(), name: body.flow })
            loaded.again()
          }}
        />
      )}
      {removed && (
        <AskOnce
          title={`Delete the hook of “${visible(removed.flow)}”?`}
          act="Delete the hook"
          onClose={() => setRemoved(undefined)}
          send={async () => {
            await hooks.delete(removed.id)
            loaded.again()
          }}
        >
          <p>Its address stops working for good. A new hook gets another address.</p>
        </AskOnce>
      )}
    </>
  )
}
