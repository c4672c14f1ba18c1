// Registered packages [F70], the tier between the tenant's own files and the built-in ones. A package is written and removed as a whole.

import { Paged } from "./paged.ts"
import type { PackageRow, PackageWhole, PackageWritten } from "../api/doc/catalog.doc.ts"
import type { Bundle } from "../api/catalog.ts"
import { part, type Transport } from "./transport.ts"

export class Packages {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** In the order of registration: if two packages define the same name, the first one counts. */
  list(): Paged<PackageRow> {
    return new Paged(this.#transport, "/v1/packages")
  }
  get(name: string): Promise<PackageWhole> {
    return this.#transport.json("GET", `/v1/packages/${part(name)}`)
  }
  /** If a file has an error, nothing is written (SluiceError `not_written`). `ifMatch`: replaces only the package with this hash. */
  put(name: string, bundle: { readonly version: string } & Bundle, ifMatch?: string): Promise<PackageWritten> {
    return this.#transport.json("PUT", `/v1/packages/${part(name)}`, { body: bundle, headers: { "if-match": quoted(ifMatch) } })
  }
  /** What `put` would answer, at the revision of now. Nothing is written. */
  dry(name: string, bundle: { readonly version: string } & Bundle, ifMatch?: string): Promise<PackageWritten> {
    const ask = { body: bundle, query: { dry: 1 }, headers: { "if-match": quoted(ifMatch) } }
    return this.#transport.json("PUT", `/v1/packages/${part(name)}`, ask)
  }
  delete(name: string, ifMatch?: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/packages/${part(name)}`, { headers: { "if-match": quoted(ifMatch) } })
  }
}

/** A hash as an ETag. */
const quoted = (hash: string | undefined): string | undefined => (hash === undefined ? undefined : `"${hash}"`)
