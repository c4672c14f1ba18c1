// The shape of a message, with its holes marked: what differs from run to run.

import { Fragment } from "react"
import { visible } from "../../../web/chat/wording.ts"

const HOLE = /(<(?:url|text|id|n)>)/
const WORDS: Readonly<Record<string, string>> = { "<url>": "address", "<text>": "“…”", "<id>": "id", "<n>": "N" }

export function Shape({ shape }: { readonly shape: string }) {
  return shape
    .split(HOLE)
    .map((part, at) => (at % 2 === 1 ? <var key={at}>{WORDS[part] ?? part}</var> : <Fragment key={at}>{visible(part)}</Fragment>))
}
