// How much waits for a person, in the bar and in the tab's title.

import { useEffect } from "react"
import { titledWaiting } from "../shell/title.ts"
import type { Api } from "../shell/session.ts"
import { useWaitingCount } from "./asks.ts"

export function WaitingCount({ api }: { readonly api: Api }) {
  const { count, isMore } = useWaitingCount(api)
  useEffect(() => {
    titledWaiting(count)
    return () => titledWaiting(0)
  }, [count])
  if (count === 0) return null
  return (
    <span className="count">
      <span className="vh">, waiting: </span>
      {count}
      {isMore && "+"}
    </span>
  )
}
