// A final answer, as Markdown of text nodes or as the text that it is.

import { useEffect, useRef, useState } from "react"
import { markdownView } from "../../../web/chat/markdown-view.ts"
import { visible } from "../../../web/chat/wording.ts"

export function Markdown({ text }: { readonly text: string }) {
  const [isText, setText] = useState(false)
  const node = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isText) node.current?.replaceChildren(...markdownView(text))
  }, [text, isText])
  return (
    <div className="md">
      <div className="pick" role="group" aria-label="Show as">
        <button type="button" aria-pressed={!isText} onClick={() => setText(false)}>
          Markdown
        </button>
        <button type="button" aria-pressed={isText} onClick={() => setText(true)}>
          Text
        </button>
      </div>
      {isText ? (
        <pre className="code wrap" tabIndex={0}>
          {visible(text)}
        </pre>
      ) : (
        <div className="md-b" ref={node} />
      )}
    </div>
  )
}
