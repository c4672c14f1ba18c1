// Shows one provider: whether it gives its list of models now, and a short call that may be billed.

import { useState } from "react"
import type { ProviderRow, ProviderTestResult } from "../../../../src/api/doc/settings.doc.ts"
import { settingsOver } from "../../../../src/client/settings.ts"
import { SluiceError } from "../../../../src/client/transport/sluice-error.ts"
import { duration, visible } from "../../../../web/chat/wording.ts"
import { consoleWords } from "../../../../web/faults/console-words.ts"
import { firstModels } from "../../../../web/setup/first-models.ts"
import { faultOf } from "../../parts/fault.ts"
import { counted } from "../../parts/figures.ts"
import type { Api } from "../../shell/session.ts"
import { TextField } from "../parts/fields.tsx"
import { Row } from "../parts/row.tsx"
import { Told } from "../parts/told.tsx"
import { kindWords } from "./kinds.ts"
import type { Offer } from "./use-models.ts"
import css from "../settings.module.css"

interface Props {
  readonly api: Api
  readonly row: ProviderRow
  /** undefined: not asked yet. */
  readonly offer: Offer | undefined
  readonly onEdit: () => void
  readonly onRemove: () => void
}

type Tried = { readonly result: ProviderTestResult } | { readonly fault: string; readonly needsModel: boolean }

export function ProviderView({ api, row: { name, kind, baseUrl, apiKey }, offer, onEdit, onRemove }: Props) {
  const [model, setModel] = useState("")
  const [tried, setTried] = useState<Tried>()
  const [isBusy, setBusy] = useState(false)
  const models = offer?.list.models ?? []
  const { test } = settingsOver(api.transport).providers
  /** One that a role names; where none does, one of its list; and where it gives no list, one that is typed. */
  const ask = async (): Promise<Tried> => {
    const needsModel = (error: unknown): boolean => error instanceof SluiceError && error.errors.some(({ pointer }) => pointer === "/model")
    const proposed = firstModels(models.map(({ id }) => id))?.fast
    try {
      return { result: await test(name, model.trim() === "" ? {} : { model: model.trim() }) }
    } catch (error) {
      if (!needsModel(error) || model.trim() !== "") return { fault: faultOf(error), needsModel: needsModel(error) }
      if (proposed === undefined) return { fault: "No role uses one of its models yet. Choose a model to test.", needsModel: true }
      return { result: await test(name, { model: proposed }) }
    }
  }
  const run = (): void => {
    if (isBusy) return
    setBusy(true)
    ask()
      .then(setTried, (error: unknown) => setTried({ fault: faultOf(error), needsModel: false }))
      .finally(() => setBusy(false))
  }
  const needsModel = model !== "" || (tried !== undefined && "fault" in tried && tried.needsModel)
  return (
    <Row
      name={
        <>
          {visible(name)} <span className="tag">{kindWords(kind)}</span>{" "}
          <span className="tag">{apiKey === true ? "has a key" : "no key"}</span>
          <State offer={offer} />
        </>
      }
      about={
        <>
          {baseUrl !== undefined && visible(baseUrl)}
          {offer?.list.ok === false && offer.list.status !== 404 && (
            <>
              {baseUrl !== undefined && <br />}
              {visible(consoleWords(offer.list.message ?? "").words)}
            </>
          )}
        </>
      }
      actions={
        <>
          <button className="btn" type="button" aria-disabled={isBusy} aria-label={`Test ${name}`} onClick={run}>
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
            size="middle"
            choices={models.map(({ id }) => id)}
            hint="The test asks this model."
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

function State({ offer }: { readonly offer: Offer | undefined }) {
  if (offer === undefined) return <span className="tag">checking</span>
  if (offer.list.ok) return <span className="tag complete">works, {counted(offer.list.models.length, "model")}</span>
  if (offer.list.status === 404) return <span className="tag">gives no list of models</span>
  const isKey = offer.list.status === 401 || offer.list.status === 403
  return <span className="tag error">{isKey ? "does not accept the key" : "does not answer"}</span>
}

function Result({ result: { ok, model, host, status, message, ms } }: { readonly result: ProviderTestResult }) {
  const where = host === null ? "" : ` at ${host}`
  if (ok) return <Told isGood words={`${model}${where} answered in ${duration(ms)}${message.trim() === "" ? "." : `: ${message}`}`} />
  const isKey = status === 401 || status === 403
  return (
    <Told
      isGood={false}
      words={`${model}${where} ${isKey ? "does not accept the key" : "did not answer"}. ${consoleWords(message).words}`}
    />
  )
}
