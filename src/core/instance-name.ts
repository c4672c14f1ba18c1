// Checks the name of a dedicated instance [N2], and derives the names of its Worker and of the dispatcher's binding.
//
// A name is also a host label: lowercase letters, digits and single hyphens between them.

import { defined } from "./defined.ts"

const NAME = /^[a-z](?:-?[a-z0-9]){1,30}$/
const MAX_LENGTH = 31 // limit: characters of an instance's name → the name is refused
/** Names of the dispatcher's Worker and of the shared instance's hosts. */
const TAKEN: ReadonlySet<string> = new Set(["dispatcher", "www", "api"])

export const isInstanceName = (text: string): boolean => text.length <= MAX_LENGTH && NAME.test(text) && !TAKEN.has(text)

export const INSTANCE_NAME_SAYS = `2 to ${MAX_LENGTH} lowercase letters and digits, with single "-" between them, starting with a letter; not ${[...TAKEN].join(", ")}`

/**
 * The request header in which the dispatcher passes the address of the request to an instance: `https://NAME.DOMAIN`,
 * `https://DOMAIN/t/NAME`, or without a host `/t/NAME` or `/`.
 */
export const ADDRESS_HEADER = "x-sluice-address"

interface Address {
  /** Absent: the dispatcher does not know its host. */
  readonly origin?: string
  /** "" or `/t/NAME`. */
  readonly prefix: string
}

/** Reads the header; undefined: it is not an address from a dispatcher. */
export function readAddress(text: string | undefined): Address | undefined {
  const [whole, origin, prefix = "", name] = /^(https?:\/\/[a-z0-9.-]+(?::\d{1,5})?)?(\/t\/([a-z0-9-]+)|\/)?$/.exec(text ?? "") ?? []
  if (whole === undefined || whole === "" || (name !== undefined && !isInstanceName(name))) return undefined
  return { ...defined({ origin }), prefix: prefix === "/" ? "" : prefix }
}

export const workerOf = (name: string): string => `sluice-${name}`

/** Names contain no "_", so two names never share a binding. */
export const bindingOf = (name: string): string => `INSTANCE_${name.replaceAll("-", "_")}`
