// Checks origins whose pages may read answers [H7].

import type { BodyFault } from "../../core/schema/body-faults.ts"
import { pointerStep } from "../../core/text/pointer.ts"

/** As a browser writes it. "null", the origin of every page that has none, does not count. */
export function isOrigin(text: string): boolean {
  if (text.length > 300 || !/^https?:\/\//.test(text)) return false
  try {
    return new URL(text).origin === text
  } catch {
    return false
  }
}

export const originFaults = (origins: readonly string[]): readonly BodyFault[] =>
  origins.flatMap((origin, i) => {
    const wrong = origin.includes("*") ? 'must be an exact origin: "*" would admit every page' : isOrigin(origin) ? undefined : NO_ORIGIN
    return wrong === undefined ? [] : [{ pointer: `/origins${pointerStep(i)}`, message: wrong }]
  })

const NO_ORIGIN =
  "must be an origin as a browser sends it: scheme, host and port, such as https://app.example, without a path or a trailing slash"
