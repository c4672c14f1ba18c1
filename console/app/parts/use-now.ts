// The time, as often as a page's numbers need it; it stands still while the page is out of sight.

import { useEffect, useState } from "react"

export function useNow(every: number, isOn = true): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") setNow(Date.now())
    }, every)
    return () => clearInterval(timer)
  }, [every, isOn])
  return now
}
