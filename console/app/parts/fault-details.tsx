// Behind a fault's words: the button that leads to what mends it, and what to name when it is reported.

import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { detailsOf, mendOf } from "./fault.ts"
import css from "./fault-details.module.css"

export function FaultDetails({
  of: error,
  isHere = false,
}: {
  readonly of: unknown
  /** The page mends it itself. */ readonly isHere?: boolean
}) {
  const [mend, details] = [isHere ? undefined : mendOf(error), detailsOf(error)]
  return (
    <>
      {mend && (
        <Link className="btn" href={addressOf(...mend.place)}>
          {mend.act}
        </Link>
      )}
      {details && (
        <details className={css.faultD}>
          <summary>Details</summary>
          <span className="mono">
            {details.code}, request {details.request}
          </span>
        </details>
      )}
    </>
  )
}
