// From a model's key to its first answer: what was tried, and what is saved once it works. Until then nothing is kept.

import { useState } from "react"
import type { ProviderModelsResult, ProviderTestResult } from "../../../../src/api/doc/settings.doc.ts"
import type { Provider } from "../../../../src/api/settings.ts"
import type { Price } from "../../../../src/core/money/amount.ts"
import { costOf, listPrice } from "../../../../src/core/money/prices.ts"
import { settingsOver } from "../../../../src/client/settings.ts"
import { firstModels } from "../../../../web/setup/first-models.ts"
import type { Api } from "../../shell/session.ts"
import { wrongWith, type Wrong } from "../parts/wrong.ts"
import type { ConnectKind } from "./kinds.ts"

export interface ConnectDraft {
  readonly kind: ConnectKind
  readonly name: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly standard: string
  readonly fast: string
  /** For each role, whether it takes the model. */
  readonly takesStandard: boolean
  readonly takesFast: boolean
  /** Model → its price as typed, input and output. */
  readonly prices: Readonly<Record<string, readonly [input: string, output: string]>>
  readonly ask: string
}

export type Busy = "checking" | "asking" | "saving" | undefined

const PLACES = ["/baseUrl", "/apiKey", "/model", "/ask", "/settings/baseUrl", "/settings/apiKey"]
export const ASK = "A customer was charged twice. Write one sentence to calm them."

export function useConnect(api: Api, roles: Readonly<Record<string, unknown>>, onSaved: (name: string) => void) {
  const settings = settingsOver(api.transport)
  const [draft, setDraft] = useState<ConnectDraft>({
    kind: "anthropic",
    name: "",
    baseUrl: "",
    apiKey: "",
    standard: "",
    fast: "",
    takesStandard: roles["default"] === undefined,
    takesFast: roles["fast"] === undefined,
    prices: {},
    ask: ASK,
  })
  const [list, setList] = useState<ProviderModelsResult>()
  const [answer, setAnswer] = useState<ProviderTestResult>()
  const [wrong, setWrong] = useState<Wrong>()
  const [busy, setBusy] = useState<Busy>()
  /** A key that works folds to a line. */
  const [isOpen, setOpen] = useState(false)

  const name = draft.name.trim() === "" ? draft.kind : draft.name.trim()
  const provider: Provider = {
    kind: draft.kind,
    ...(draft.kind !== "workers-ai" && draft.baseUrl.trim() !== "" ? { baseUrl: draft.baseUrl.trim() } : {}),
    ...(draft.kind !== "workers-ai" && draft.apiKey.trim() !== "" ? { apiKey: draft.apiKey.trim() } : {}),
  }
  const change = (next: Partial<ConnectDraft>): void => {
    setDraft({ ...draft, ...next })
    setWrong(undefined)
    const isOther = (["kind", "name", "baseUrl", "apiKey"] as const).some(
      (field) => next[field] !== undefined && next[field] !== draft[field],
    )
    if (isOther) setList(undefined)
    if (isOther || (next.standard !== undefined && next.standard !== draft.standard)) setAnswer(undefined)
  }
  const work = (what: Exclude<Busy, undefined>, deed: () => Promise<void>): void => {
    if (busy !== undefined) return
    setBusy(what)
    setWrong(undefined)
    deed()
      .catch((error: unknown) => setWrong(wrongWith(error, PLACES)))
      .finally(() => setBusy(undefined))
  }
  const check = (): void =>
    work("checking", async () => {
      const found = await settings.providers.modelsOf(name, provider)
      setList(found)
      setOpen(false)
      const first = firstModels(found.models.map(({ id }) => id))
      if (first) setDraft((now) => ({ ...now, ...first }))
    })
  const ask = (): void =>
    work("asking", async () => {
      setAnswer(undefined)
      setAnswer(await settings.providers.test(name, { settings: provider, model: draft.standard, ask: draft.ask.trim() || ASK }))
    })
  const priceOf = (model: string): Price | undefined => listPrice(draft.kind, model) ?? typedPrice(draft.prices[model])
  const save = (): void =>
    work("saving", async () => {
      await settings.providers.put(name, provider)
      const roleNow = await settings.roles.get()
      await settings.roles.put({
        ...roleNow,
        ...(draft.takesStandard ? { default: `${name}/${draft.standard}` } : {}),
        ...(draft.takesFast ? { fast: `${name}/${draft.fast}` } : {}),
      })
      const typed = Object.entries(draft.prices).flatMap(([model, given]) => {
        const price = typedPrice(given)
        return price === undefined ? [] : [[`${name}/${model}`, price] as const]
      })
      if (typed.length > 0) await settings.prices.put({ ...(await settings.prices.get()), ...Object.fromEntries(typed) })
      onSaved(name)
    })
  const price = priceOf(draft.standard)
  const usd = answer?.usage && price ? costOf(price, answer.usage) : undefined
  const isKnown = list !== undefined && (list.ok || list.status === 404)
  return {
    draft,
    change,
    name,
    list,
    answer,
    usd,
    wrong,
    busy,
    isKnown,
    check,
    ask,
    save,
    priceOf,
    isOpen,
    open: () => setOpen(true),
    canSave: answer?.ok === true,
  }
}

export type Connecting = ReturnType<typeof useConnect>

function typedPrice(given: readonly [string, string] | undefined): Price | undefined {
  const [input, output] = (given ?? ["", ""]).map((text) => (text.trim() === "" ? Number.NaN : Number(text)))
  if (input === undefined || output === undefined || !(input >= 0) || !(output >= 0)) return undefined
  return { input, output }
}
