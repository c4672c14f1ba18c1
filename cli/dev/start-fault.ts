// Explains in the words of `sluice dev` why it cannot serve: the server's own messages are written for `npm start`.

import { Trouble } from "../../local/trouble.ts"
import { usage } from "../program.ts"

export function startFault(error: unknown): unknown {
  if (!(error instanceof Trouble)) return error
  const [, fault, process = ""] =
    /^((?:port |the data folder ).*? (?:by another program|in use by another server)(?: \((process \d+)[^)]*\))?):/s.exec(error.message) ??
    []
  if (fault === undefined) return error
  if (fault.startsWith("port ")) return usage(`${fault}: stop it, or choose another one: sluice dev --port 0 takes any that is free`)
  return usage(
    `sluice dev already runs for this folder${process === "" ? "" : ` (${process})`}: its draft follows every save; or stop it first`,
  )
}
