// What a hook is, in tags: how it is signed, with which secret, and whether it is on.

import type { HookRow } from "../../../../src/api/doc/hooks.doc.ts"
import { visible } from "../../../../web/chat/wording.ts"

export function HookTags({ row: { kind, enabled, name, secret } }: { readonly row: HookRow }) {
  return (
    <>
      <span className="tag">{kind}</span>
      <span className="tag">secret {visible(secret)}</span>
      {name !== undefined && <span className="tag">hooks/{visible(name)}.yaml</span>}
      {!enabled && <span className="tag waiting">disabled</span>}
    </>
  )
}
