// Reads the location of a tenant's data [N1] from the tenant's name. The name contains its jurisdiction: `acme`, or `acme_eu`. That name is
// in its keys, hooks, signed links and tokens, in its runs' journals and in the names of its objects, so every caller that has one of these
// knows where to go, and no cache can be wrong about it. An id has no "_", so no tenant's id equals another's name; the directory alone
// decides, once, which of `acme` and `acme_eu` is created.

import { messageOf } from "../../core/text/fault-text.ts"
import type { Jurisdiction } from "../../ports/tenant/tenants.ts"

/** The bindings that determine which jurisdictions this Worker can use. */
export interface JurisdictionEnv {
  readonly TENANT: { jurisdiction(jurisdiction: Jurisdiction): unknown }
  readonly BLOBS: R2Bucket
  readonly BLOBS_EU?: R2Bucket
  readonly BLOBS_US?: R2Bucket
  readonly JURISDICTION?: string
}

const NAMED = /^[a-z][a-z0-9-]{1,30}_(eu|us)$/

/** The name of a tenant whose id is `id`. */
export const nameOf = (id: string, jurisdiction: Jurisdiction | null): string => (jurisdiction === null ? id : `${id}_${jurisdiction}`)

/** The id of the tenant of that name. */
export const idOf = (name: string): string => (jurisdictionOf(name) === undefined ? name : name.slice(0, name.lastIndexOf("_")))

/** The jurisdiction in a tenant's name; undefined: the platform chooses the place. */
export function jurisdictionOf(name: string): Jurisdiction | undefined {
  const said = NAMED.exec(name)?.[1]
  return said === "eu" || said === "us" ? said : undefined
}

/** The jurisdiction of the whole instance [N2]. Throws for an unknown value: no data may end up elsewhere because of a typo. */
export function ownJurisdiction({ JURISDICTION = "" }: Pick<JurisdictionEnv, "JURISDICTION">): Jurisdiction | undefined {
  if (JURISDICTION === "eu" || JURISDICTION === "us") return JURISDICTION
  if (JURISDICTION === "") return undefined
  throw new Error(`JURISDICTION is "${JURISDICTION}"; it is eu or us, or is left out`)
}

/** The bucket of a tenant, in the place that its binding in wrangler.toml says. Throws if there is none. */
export function bucketOf(ground: Omit<JurisdictionEnv, "TENANT">, tenant: string): R2Bucket {
  const jurisdiction = jurisdictionOf(tenant)
  const bucket = jurisdiction === undefined ? ground.BLOBS : bucketIn(ground, jurisdiction)
  if (bucket === undefined) throw new Error(`a tenant is in the jurisdiction ${jurisdiction}, but ${lacking(jurisdiction ?? "eu")}`)
  return bucket
}

function bucketIn(ground: Omit<JurisdictionEnv, "TENANT">, jurisdiction: Jurisdiction): R2Bucket | undefined {
  return { eu: ground.BLOBS_EU, us: ground.BLOBS_US }[jurisdiction] ?? (ownJurisdiction(ground) === jurisdiction ? ground.BLOBS : undefined)
}

const lacking = (jurisdiction: Jurisdiction): string =>
  `this Worker has no bucket there: add [[r2_buckets]] with binding = "BLOBS_${jurisdiction.toUpperCase()}" and jurisdiction = "${jurisdiction}" to wrangler.toml and deploy it`

/** Why no tenant can be there; undefined: it can. Calls no object. */
export function whyNotIn(ground: JurisdictionEnv, jurisdiction: Jurisdiction): string | undefined {
  const own = ownJurisdiction(ground)
  if (own !== undefined && own !== jurisdiction) return `this instance keeps everything in the jurisdiction ${own}`
  try {
    ground.TENANT.jurisdiction(jurisdiction)
  } catch (e) {
    // Local workerd: "Jurisdiction restrictions are not implemented in workerd."
    const said = messageOf(e)
    return `the runtime that this Worker runs on has no jurisdiction ${jurisdiction} (${said.replace(/\.$/, "")}); local development has none, a deployed Worker has`
  }
  return bucketIn(ground, jurisdiction) === undefined ? lacking(jurisdiction) : undefined
}

/** Tells whether a tenant of this name can exist here. A key or a hook that names an unavailable place belongs to no tenant. */
export function canLie(ground: JurisdictionEnv, tenant: string): boolean {
  const jurisdiction = jurisdictionOf(tenant)
  return jurisdiction === undefined || whyNotIn(ground, jurisdiction) === undefined
}
