// Says how far the provider's batches of a map are [R34].

import type { StepView } from "../../../../src/core/run/views/view.ts"
import { counted, shortTime } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"

export function BatchLine({ batch }: { readonly batch: StepView["batch"] }) {
  if (batch === undefined || batch.sent === 0) return null
  const { sent, answered, waiting, until } = batch
  return (
    <p className="note" role="status">
      <Icon name={waiting > 0 ? "clock" : "check"} kind="i-s" />
      <span>
        <b>
          {answered} of {counted(sent, "call")} answered
        </b>{" "}
        in batches at the provider.{" "}
        {waiting > 0 &&
          `${waiting === 1 ? "1 waits" : `${waiting} wait`}${until === undefined ? "" : `, until ${shortTime(until)} at the latest`}.`}
      </span>
    </p>
  )
}
