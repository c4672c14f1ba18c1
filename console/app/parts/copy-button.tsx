// A button that copies a line, and says that it has.

import { useState } from "react"
import { copyText } from "./copy.ts"
import { Icon } from "../shell/icons.tsx"

interface Props {
  /** undefined where what was filled in is wrong, which the form then says. */
  readonly text: () => string | undefined
  readonly label?: string
  readonly title?: string
}

export function CopyButton({ text, label = "Copy as curl", title = "The address and the fields; the key is $SLUICE_KEY" }: Props) {
  const [isCopied, setCopied] = useState(false)
  return (
    <button
      className="btn bare"
      type="button"
      title={title}
      onBlur={() => setCopied(false)}
      onClick={() => {
        const line = text()
        if (line !== undefined) void copyText(line).then(() => setCopied(true))
      }}
    >
      <Icon name="copy" kind="i-s" /> {isCopied ? "Copied" : label}
    </button>
  )
}
