// A run from a form.

import { Dialog } from "../parts/dialog.tsx"
import type { Api } from "../shell/session.ts"

export function NewRun({ onClose }: { readonly api: Api; readonly onClose: () => void }) {
  return (
    <Dialog title="New run" onClose={onClose}>
      <div className="dlg-l" />
    </Dialog>
  )
}
