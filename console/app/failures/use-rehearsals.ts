// Says how many rehearsed runs have failed of late: the groups leave them out, and say so.

import { useMemo } from "react"
import { Failures } from "../../../src/client/insight.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

const PAGE = 200

/** 0 where they are shown, or not known. */
export function useRehearsals(api: Api, areShown: boolean): number {
  const failures = useMemo(() => new Failures(api.transport), [api])
  const { value = 0 } = useAsked(["once", "rehearsed failures", areShown], async () => {
    if (areShown) return 0
    const { data } = await failures.list({ rehearsed: 1, limit: PAGE }).page()
    return data.reduce((sum, { days }) => sum + days.reduce((all, { count }) => all + count, 0), 0)
  })
  return areShown ? 0 : value
}
