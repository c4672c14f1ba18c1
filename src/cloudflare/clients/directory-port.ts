// The instance's directory, as the rest of the Worker sees it: one object. A fresh stub for every call, as in tenant-port.ts.

import type { DirectoryObject } from "../directory/directory-object.ts"
import { directoryStub, type DirectoryDoor } from "../platform/stubs.ts"

/** What RPC makes of the rows' types is not what they are. */
type DirectoryRpc = Pick<DirectoryObject, "claim" | "settle" | "find" | "list" | "noteQuotas" | "remove" | "putOrigins" | "knowsOrigin">

export const directory = (env: DirectoryDoor): DirectoryRpc => directoryStub(env) as unknown as DirectoryRpc
