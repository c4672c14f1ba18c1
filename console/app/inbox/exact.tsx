// The bytes that a decision is about, all of them and as they are: no character is hidden, nothing is folded.

import type { RefObject } from "react"
import { classes } from "../parts/classes.ts"
import css from "./exact.module.css"

interface Props {
  readonly label: string
  readonly node?: RefObject<HTMLPreElement | null>
  /** In its own color, before the text. */
  readonly name?: string
  readonly text: string
}

export function Exact({ label, node, name, text }: Props) {
  return (
    <pre ref={node} className={classes("code", css.big, "wrap")} tabIndex={0} role="region" aria-label={label}>
      <i className="seen-mark" aria-hidden />
      {name !== undefined && <span className={css.k}>{name} </span>}
      <Json text={text} />
      <i className="seen-mark" aria-hidden />
    </pre>
  )
}

/** A string with the colon behind it is a key. */
const PIECES = /("(?:[^"\\\n]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|[^"\d\-tfn]+|./g
/** Beyond these characters, a text has one color. */
const MAX_COLORED = 20_000

function Json({ text }: { readonly text: string }) {
  if (text.length > MAX_COLORED || !/^\s*[{[]/.test(text)) return text
  return Array.from(text.matchAll(PIECES), ([all, string, colon, literal], at) => {
    if (string !== undefined && colon !== undefined)
      return (
        <span key={at}>
          <span className={css.k}>{string}</span>
          {colon}
        </span>
      )
    const kind = string !== undefined ? css.s : literal !== undefined ? css.n : undefined
    return kind === undefined ? (
      all
    ) : (
      <span key={at} className={kind}>
        {all}
      </span>
    )
  })
}

export const byteLength = (text: string): number => new TextEncoder().encode(text).byteLength
