// Why a decision was not taken; what was written stays.

import { Icon } from "../shell/icons.tsx"
import { visible } from "../../../web/chat/wording.ts"

export function FaultLine({ fault }: { readonly fault: string | undefined }) {
  return (
    <p className="msg error words" role="alert">
      {fault !== undefined && (
        <>
          <Icon name="failed" kind="i-s" />
          <span>{visible(fault)}</span>
        </>
      )}
    </p>
  )
}
