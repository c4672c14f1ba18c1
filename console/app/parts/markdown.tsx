// A final answer, as Markdown of text nodes or as the text that it is.

import { useEffect, useRef, useState } from "react"
import { visible } from "../../../web/chat/wording.ts"
import css from "./markdown.module.css"

export function Markdown({ text }: { readonly text: string }) {
  const [isText, setText] = useState(false)
  const node = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isText) return undefined
    let isGone = false
    // Its reader is the largest part of a page that mostly shows something else. Where it does not come, the text is there.
    import("../../../web/chat/markdown-view.ts").then(
      ({ markdownView }) => !isGone && node.current?.replaceChildren(...markdownView(text)),
      () => setText(true),
    )
    return () => {
      isGone = true
    }
  }, [text, isText])
  return (
    <div className={css.md}>
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
        <div className={css.mdB} ref={node} />
      )}
    </div>
  )
}
