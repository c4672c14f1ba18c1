// Shows what a scorer said of a pass of a step with `until` [V23], with the run of its judge.

import type { Pass } from "../../../../src/core/run/views/outline.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"

export function RoundScored({ round, score, enough, why, judge }: NonNullable<Pass["scored"]>) {
  const text = `round ${round}: ${score ?? "no score"}${enough ? "" : ", not enough"}`
  if (judge === undefined)
    return (
      <span className="tag" title={why}>
        {text}
      </span>
    )
  return (
    <Link className="tag" href={addressOf("runs", judge)} title={why ?? "The run of the judge"}>
      {text}
    </Link>
  )
}
