// A tenant's catalog, for one author.

import { overlaid } from "../../engine/overlaid.ts"
import type { CatalogPort } from "../../ports/catalog.ts"
import type { TenantDoor } from "../platform/stubs.ts"
import { portOf } from "./port-of.ts"
import { pinOver } from "./start-pin.ts"

/** `by`: the name that is kept beside each revision written through this port [F72]. */
export function catalogPort(env: TenantDoor, tenant: string, by?: string): CatalogPort {
  const room = portOf(env, tenant, "catalog")
  return overlaid(room, {
    writeAgent: (path, content) => room.writeAgent(path, content, by),
    writeFlow: (path, content) => room.writeFlow(path, content, by),
    put: (kind, path, content, ifMatch) => room.put(kind, path, content, ifMatch, by),
    importFiles: (files, write) => room.importFiles(files, write, by),
    remove: (kind, id, ifMatch) => room.remove(kind, id, ifMatch, by),
    replace: (bundle, ifRevision) => room.replace(bundle, ifRevision, by),
    rollback: (revision, ifRevision) => room.rollback(revision, ifRevision, by),
    putPackage: (name, body, ifMatch) => room.putPackage(name, body, ifMatch, by),
    removePackage: (name, ifMatch) => room.removePackage(name, ifMatch, by),
    pin: pinOver(tenant, portOf(env, tenant, "starts")),
  } satisfies Partial<CatalogPort>)
}
