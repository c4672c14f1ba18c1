// A provider that is removed; with what names it, once that was said.

import { useState } from "react"
import type { ProviderRow } from "../../../../src/api/doc/settings.doc.ts"
import { settingsOver } from "../../../../src/client/settings.ts"
import { SluiceError } from "../../../../src/client/transport/sluice-error.ts"
import { visible } from "../../../../web/chat/wording.ts"
import type { Api } from "../../shell/session.ts"
import { AskOnce } from "../parts/ask-once.tsx"

interface Props {
  readonly api: Api
  readonly row: ProviderRow
  readonly onClose: () => void
  readonly onGone: () => void
}

export function Removal({ api, row: { name }, onClose, onGone }: Props) {
  const [isInUse, setInUse] = useState(false)
  return (
    <AskOnce
      title={`Remove the provider “${visible(name)}”?`}
      act={isInUse ? "Remove it anyway" : `Remove ${visible(name)}`}
      onClose={onClose}
      send={async () => {
        try {
          await settingsOver(api.transport).providers.delete(name, { force: isInUse })
        } catch (error) {
          if (error instanceof SluiceError && error.code === "in_use") setInUse(true)
          throw error
        }
        onGone()
      }}
    >
      <p>Its key is deleted too. Runs in progress fail at their next call to it.</p>
    </AskOnce>
  )
}
