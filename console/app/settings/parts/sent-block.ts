// Makes a `start` block of a form's fields for the server, or says that its text is no object.

import type { NewHook } from "../../../../src/api/hooks.ts"
import { blockFrom, type BlockFields } from "../../../../web/start/block-form.ts"
import { FormFault } from "./wrong.ts"

export const NO_JSON = "must be a JSON object"

/** The server checks what is in it. */
export function sentBlock(fields: BlockFields): Pick<NewHook, "start"> {
  const block = blockFrom(fields)
  if (block === null) throw new FormFault({ "/start": NO_JSON })
  return block === undefined ? {} : { start: block }
}
