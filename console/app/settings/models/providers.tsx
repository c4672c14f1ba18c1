// Model providers: whether each works, by its own list of models, and a short call that says what an answer takes. `?connect=1` opens the dialog.

import { useEffect, useState } from "react"
import type { ProviderRow } from "../../../../src/api/doc/settings.doc.ts"
import { settingsOver } from "../../../../src/client/settings.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { useKeys } from "../../shell/keys.ts"
import { addressOf, goQuery, useQuery } from "../../shell/place.ts"
import { Icon } from "../../shell/icons.tsx"
import { Head } from "../parts/head.tsx"
import { Rows } from "../parts/row.tsx"
import { SavedAt, type Made } from "../parts/saving.tsx"
import { Told } from "../parts/told.tsx"
import type { SectionProps } from "../section-props.ts"
import { ConnectModel } from "./connect-model.tsx"
import { Pace } from "./pace.tsx"
import { ProviderForm } from "./provider-form.tsx"
import { ProviderView } from "./provider-row.tsx"
import { Removal } from "./removal.tsx"
import { useOffers } from "./use-models.ts"

export function Providers({ api }: SectionProps) {
  const { providers, roles } = settingsOver(api.transport)
  const loaded = useAsked(["settings", "providers"], () => providers.list().all())
  const named = useAsked(["settings", "roles of the dialog"], () => roles.get())
  const offers = useOffers(api)
  const query = useQuery()
  const [edited, setEdited] = useState<ProviderRow | "new">()
  const [removed, setRemoved] = useState<ProviderRow>()
  const [made, setMade] = useState<Made>()
  const isConnecting = query.get("connect") === "1"
  const connect = (isOpen: boolean): void => goQuery({ connect: isOpen ? "1" : undefined })
  useKeys("list", { new: () => connect(true) })
  const saved = (name: string): void => {
    setMade({ at: Date.now(), name, href: addressOf("settings", "roles") })
    loaded.again()
    offers.again()
    named.again()
  }
  const again = offers.again
  // A row that is new has no list yet.
  const count = loaded.value?.length
  useEffect(() => {
    if (count !== undefined) again()
  }, [count, again])
  return (
    <>
      <Head title="Models" about="The providers of your models. Their keys are stored encrypted and never shown again.">
        <SavedAt made={made} />
        <button className="btn" type="button" onClick={() => setEdited("new")}>
          Add by hand
        </button>
        <button className="btn first" type="button" onClick={() => connect(true)}>
          <Icon name="plus" kind="i-s" />
          Connect a model <kbd>N</kbd>
        </button>
      </Head>
      {named.value && Object.keys(named.value).length === 0 && (loaded.value?.length ?? 0) > 0 && (
        <Told
          isGood={false}
          words="No role names a model yet, so agents without a model of their own cannot start. Choose the models under Roles."
        />
      )}
      <AskedView what="the providers" of={loaded}>
        {(rows) => (
          <Rows
            label="Providers"
            isEmpty={rows.length === 0}
            empty="No model yet. Flows can be rehearsed without one; to let agents answer, connect a provider with its key."
          >
            {rows.map((row) => (
              <ProviderView
                key={row.name}
                api={api}
                row={row}
                offer={offers.value?.find((one) => one.row.name === row.name)}
                onEdit={() => setEdited(row)}
                onRemove={() => setRemoved(row)}
              />
            ))}
          </Rows>
        )}
      </AskedView>
      <Pace api={api} />
      {isConnecting && loaded.value && named.value && (
        <ConnectModel
          api={api}
          taken={loaded.value.map(({ name }) => name)}
          roles={named.value}
          onClose={() => connect(false)}
          onSaved={(name) => {
            saved(name)
            connect(false)
          }}
        />
      )}
      {edited !== undefined && (
        <ProviderForm
          row={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
          send={async (name, provider) => {
            await providers.put(name, provider)
            saved(name)
          }}
        />
      )}
      {removed && <Removal api={api} row={removed} onClose={() => setRemoved(undefined)} onGone={loaded.again} />}
    </>
  )
}
