// Reads the Worker's static assets: files for browsers, deployed beside its code and outside its bundle.

import type { InstanceServices } from "../../ports/services.ts"
import type { Env } from "../platform/env.ts"

/** The binding asks for an address, and reads only its path. */
const ANYWHERE = "https://assets.invalid/"

export function staticFiles({ ASSETS }: Pick<Env, "ASSETS">): Pick<InstanceServices, "asset"> {
  return ASSETS === undefined ? {} : { asset: (path) => ASSETS.fetch(new Request(ANYWHERE + path)) }
}
