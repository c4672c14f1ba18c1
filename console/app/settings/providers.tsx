// Model providers: who answers, under which address, whether there is a key, and a call that says whether it works.

import { useState } from "react"
import type { ProviderRow, ProviderTestResult } from "../../../src/api/doc/settings.doc.ts"
import { settingsOver } from "../../../src/client/settings.ts"
import { SluiceError } from "../../../src/client/sluice-error.ts"
import { visible } from "../../../web/chat/wording.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"
import { AskOnce } from "./parts/ask-once.tsx"
import { TextField } from "./parts/fields.tsx"
import { Head } from "./parts/head.tsx"
import { AskedView } from "../parts/asked-view.tsx"
import { ProviderForm } from "./provider-form.tsx"
import { Row, Rows } from "./parts/row.tsx"
import type { SectionProps } from "./section-props.ts"
import { Told } from "./parts/told.tsx"
import { useAsked } from "../parts/asked.ts"
import css from "./settings.module.css"

export function Providers({ api }: SectionProps) {
  const { providers } = settingsOver(api.transport)
  const loaded = useAsked(["settings", "providers"], () => providers.list().all())
  const [edited, setEdited] = useState<ProviderRow | "new">()
  const [removed, setRemoved] = useState<ProviderRow>()
  return (
    <>
      <Head title="Providers" about="Who serves the models. A key is sealed when it is written, and never shown again.">
        <button className="btn first" type="button" onClick={() => setEdited("new")}>
          Add a provider
        </button>
      </Head>
      <AskedView what="the providers" of={loaded}>
        {(rows) => (
          <Rows label="Providers" isEmpty={rows.length === 0} empty="No provider yet: runs can be rehearsed, and no model is called.">
            {rows.map((row) => (
              <Provider key={row.name} api={api} row={row} onEdit={() => setEdited(row)} onRemove={() => setRemoved(row)} />
            ))}
          </Rows>
        )}
      </AskedView>
      {edited !== undefined && (
        <ProviderForm
          row={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
          send={async (name, provider) => {
            await providers.put(name, provider)
            loaded.again()
          }}
        />
      )}
      {removed && <Removal api={api} row={removed} onClose={() => setRemoved(undefined)} onGone={loaded.again} />}
    </>
  )
}

type Tried = { readonly result: ProviderTestResult } | { readonly fault: string; readonly needsModel: boolean }

function Provider({
  api,
  row,
  onEdit,
  onRemove,
}: {
  readonly api: Api
  readonly row: ProviderRow
  readonly onEdit: () => void
  readonly onRemove: () => void
}) {
  const { name, kind, baseUrl, apiKey } = row
  const [model, setModel] = useState("")
  const [tried, setTried] = useState<Tried>()
  const [isBusy, setBusy] = useState(false)
  const test = (): void => {
    if (isBusy) return
    setBusy(true)
    settingsOver(api.transport)
      .providers.test(name, model.trim() === "" ? {} : { model: model.trim() })
      .then(
        (result) => setTried({ result }),
        (error: unknown) =>
          setTried({
            fault: faultOf(error),
            needsModel: error instanceof SluiceError && error.errors.some(({ pointer }) => pointer === "/model"),
          }),
      )
      .finally(() => setBusy(false))
  }
  const needsModel = model !== "" || (tried !== undefined && "fault" in tried && tried.needsModel)
  return (
    <Row
      name={
        <>
          {visible(name)} <span className="tag">{kind}</span> <span className="tag">{apiKey === true ? "has a key" : "no key"}</span>
        </>
      }
      about={baseUrl === undefined ? undefined : visible(baseUrl)}
      actions={
        <>
          <button className="btn" type="button" aria-disabled={isBusy} aria-label={`Test ${name}`} onClick={test}>
            {isBusy ? "Asking" : "Test"}
          </button>
          <button className="btn" type="button" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </button>
          <button className="btn bare danger" type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
            Remove
          </button>
        </>
      }
    >
      {needsModel && (
        <div className={css.swide}>
          <TextField
            label={`Model of ${name}`}
            isMono
            hint="No role names one of its models yet: say which one the test asks."
            value={model}
            onChange={setModel}
          />
        </div>
      )}
      {tried !== undefined && (
        <div role="status" className={css.swide}>
          {"fault" in tried ? <Told isGood={false} words={tried.fault} /> : <Result result={tried.result} />}
        </div>
      )}
    </Row>
  )
}

function Result({ result: { ok, model, host, status, message, ms } }: { readonly result: ProviderTestResult }) {
  const where = host === null ? "" : ` at ${host}`
  return ok ? (
    <Told isGood words={`${model}${where} answered in ${ms.toLocaleString()} ms${message.trim() === "" ? "." : `: ${message}`}`} />
  ) : (
    <Told isGood={false} words={`${model}${where} refused${status === undefined ? "" : ` with ${status}`}: ${message}`} />
  )
}

interface Removed {
  readonly api: Api
  readonly row: ProviderRow
  readonly onClose: () => void
  readonly onGone: () => void
}

function Removal({ api, row: { name }, onClose, onGone }: Removed) {
  const [inUse, setInUse] = useState<string>()
  return (
    <AskOnce
      title={`Remove the provider “${visible(name)}”?`}
      act={inUse === undefined ? `Remove ${visible(name)}` : "Remove it all the same"}
      onClose={onClose}
      send={async () => {
        try {
          await settingsOver(api.transport).providers.delete(name, { force: inUse !== undefined })
        } catch (error) {
          if (error instanceof SluiceError && error.code === "in_use") setInUse(error.message)
          throw error
        }
        onGone()
      }}
    >
      <p>Its key goes with it. Runs that are under way fail at their next call to it.</p>
    </AskOnce>
  )
}
