// A turn of the contract's stage, in the format of a rehearsal file.

import type { Said } from "./model-server.ts"

export function turnsFor(said: Said): unknown[] {
  if (said.refuse) {
    const wait = said.refuse.headers?.["retry-after"]
    return [{ error: { status: said.refuse.status, ...(wait === undefined ? {} : { retry_after: Number(wait) }) } }]
  }
  return [
    {
      ...(said.text === undefined ? {} : { text: said.text }),
      ...(said.calls === undefined
        ? {}
        : { calls: said.calls.map((call) => ({ tool: call.name, args: JSON.parse(call.args) as unknown })) }),
    },
  ]
}
