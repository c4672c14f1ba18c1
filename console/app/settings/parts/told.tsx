// What became of something that was tried.

import { visible } from "../../../../web/chat/wording.ts"
import { Icon } from "../../shell/icons.tsx"

export function Told({ isGood, words }: { readonly isGood: boolean; readonly words: string }) {
  return (
    <div className={isGood ? "note complete" : "note error"}>
      <Icon name={isGood ? "succeeded" : "failed"} kind="i-s" />
      <span>{visible(words)}</span>
    </div>
  )
}
