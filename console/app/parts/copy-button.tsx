// A button that copies a start as a line for a shell, and says that it has.

import { useState } from "react"
import { Icon } from "../shell/icons.tsx"

/** `text`: undefined where what was filled in is wrong, which the form then says. */
export function CopyButton({ text }: { readonly text: () => string | undefined }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <button
      className="btn bare"
      type="button"
      title="The address and the fields; the key is $SLUICE_KEY"
      onBlur={() => setCopied(false)}
      onClick={() => {
        const line = text()
        if (line !== undefined) void navigator.clipboard.writeText(line).then(() => setCopied(true))
      }}
    >
      <Icon name="copy" kind="i-s" /> {isCopied ? "Copied" : "Copy as curl"}
    </button>
  )
}
