// What stands in for a list that is being read. Not before the eye would miss something: a list that comes at once is not announced.

import { useEffect, useState } from "react"
import css from "./skeleton.module.css"

const LATE_MS = 200

export function Skeleton({ words }: { readonly words: string }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isLate) return <div className={css.skels} data-reading />
  return (
    <div className={css.skels} data-reading role="status">
      <span className="vh">{words}</span>
      {[60, 44, 52, 38].map((width) => (
        <span key={width} className="skel" style={{ width: `${width}%` }} />
      ))}
    </div>
  )
}
