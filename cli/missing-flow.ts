// Says why a flow that should start is not there, and what brings it there.

import { nearest } from "../src/core/text/nearest.ts"

/** `isHere`: the project that the command is typed in has it. `names`: the flows of the server. */
export function missingFlow(flow: string, { isHere, names }: { readonly isHere: boolean; readonly names: readonly string[] }): string {
  const what = `there is no flow "${flow}" on this server`
  if (isHere) return `${what}, but there is flows/${flow}.yaml here: sluice apply brings it there, and sluice dev tries it without`
  const near = nearest(flow, names)
  return `${what}: ${near === undefined ? "sluice flows list names them" : `did you mean "${near}"?`}`
}
