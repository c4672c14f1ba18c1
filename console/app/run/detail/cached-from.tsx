// Marks a step that took over the result of an earlier run [R41]: no model was asked.

import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"

export function CachedFrom({ run }: { readonly run: string }) {
  return (
    <Link className="tag" href={addressOf("runs", run)} title="The result of this run was taken over; no model was asked">
      cached from {run.slice(0, 10)}…
    </Link>
  )
}
