// A value as JSON, or a text as it is, with no character hidden. Long ones are cut until they are asked for.

import { useState } from "react"
import { visible } from "../../../web/chat/wording.ts"

const MAX_SHOWN = 6_000

export function Code({ value, label }: { readonly value: unknown; readonly label?: string }) {
  const [isWhole, setWhole] = useState(false)
  const text = visible(value)
  const isCut = !isWhole && text.length > MAX_SHOWN
  return (
    <>
      <pre
        className="code wrap"
        dir={typeof value === "string" ? "auto" : undefined}
        tabIndex={0}
        role="region"
        aria-label={label ?? "Value"}
      >
        {isCut ? text.slice(0, MAX_SHOWN) : text}
      </pre>
      {isCut && (
        <button className="btn bare" type="button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </>
  )
}
