// Copies a text, and says that it has.

import { useState } from "react"
import { copyText } from "../../parts/copy.ts"
import { Icon } from "../../shell/icons.tsx"

interface Props {
  /** "the address" */
  readonly what: string
  readonly text: string
}

export function CopyText({ what, text }: Props) {
  const [isCopied, setCopied] = useState(false)
  return (
    <button
      className="btn bare"
      type="button"
      onBlur={() => setCopied(false)}
      onClick={() => void copyText(text).then(() => setCopied(true))}
    >
      <Icon name={isCopied ? "check" : "copy"} kind="i-s" /> {isCopied ? "Copied" : `Copy ${what}`}
    </button>
  )
}
