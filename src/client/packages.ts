// Registered packages [F70]: definitions between the tenant's own and what is built in, written and removed as a whole.

import { Paged } from "./paged.ts"
import type { PackageRow, PackageWhole, PackageWritten } from "../api/catalog.doc.ts"
import type { Bundle } from "../api/catalog.ts"
import { part, type Transport } from "./transport.ts"

export class Packages {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** In the order of registration: of two with one name in them, the first counts. */
  list(): Paged<PackageRow> {
    return new Paged(this.#transport, "/v1/packages")
  }
  get(name: string): Promise<PackageWhole> {
    return this.#transport.json("GET", `/v1/packages/${part(name)}`)
  }
  /** With an error in it nothing is written: a SluiceError `not_written`. `ifMatch`: only in place of the one with this hash. */
  put(name: string, bundle: { readonly version: string } & Bundle, ifMatch?: string): Promise<PackageWritten> {
    return this.#transport.json("PUT", `/v1/packages/${part(name)}`, { body: bundle, headers: { "if-match": quoted(ifMatch) } })
  }
  delete(name: string, ifMatch?: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/packages/${part(name)}`, { headers: { "if-match": quoted(ifMatch) } })
  }
}

/** A hash as an ETag. */
const quoted = (hash: string | undefined): string | undefined => (hash === undefined ? undefined : `"${hash}"`)
