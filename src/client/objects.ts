// A tenant's shared files [T24]: people write them, tools read them.

import { Paged } from "./paged.ts"
import type { ObjectRow, ObjectWritten } from "../api/doc/tools.doc.ts"
import { parts, type Transport } from "./transport.ts"

export interface PutObject {
  /** The media type; default `application/octet-stream`. */
  readonly type?: string
  /** The text comes from outside and taints its readers [G11]. */
  readonly untrusted?: boolean
}

export class Objects {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The files below `prefix`, or all of them, ordered by key. */
  list(prefix?: string): Paged<ObjectRow> {
    return new Paged(this.#transport, "/v1/objects", { prefix })
  }
  put(
    key: string,
    body: string | Uint8Array<ArrayBuffer>,
    { type = "application/octet-stream", untrusted }: PutObject = {},
  ): Promise<ObjectWritten> {
    const query = { untrusted: untrusted === true ? 1 : undefined }
    return this.#transport.json("PUT", `/v1/objects/${parts(key)}`, { body, type, query })
  }
  delete(key: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/objects/${parts(key)}`)
  }
}
