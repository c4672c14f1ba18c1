// The sign of a step on the longest path.

import { Icon } from "../../shell/icons.tsx"

export const LongestMark = () => (
  <span className="nowrap" title="On the longest path: the steps that decided how long the run took">
    <Icon name="path" kind="i-s dim" label="on the longest path" />
  </span>
)
