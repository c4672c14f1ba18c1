// A file of a package, or a built-in one, hides nothing while its text is as it came.

import { useMemo } from "react"
import type { Checked } from "./use-check.ts"
import type { FlowDraft } from "./use-draft.ts"

export function useUnwritten(checked: Checked, { saved, isChanged }: FlowDraft): Checked {
  const isOthers = saved !== undefined && saved.tier !== "local" && !isChanged
  return useMemo(
    () => (isOthers && checked.problems ? { ...checked, problems: checked.problems.filter(({ code }) => code !== "CAT-SHADOW") } : checked),
    [checked, isOthers],
  )
}
