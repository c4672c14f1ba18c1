// Writes, lists and removes a tenant's shared files [T24], which tools read.

import { Paged } from "./transport/paged.ts"
import type { ObjectRow, ObjectWritten } from "../api/doc/tools.doc.ts"
import { Part } from "./transport/part.ts"
import type { tools } from "../api/tools.ts"
import { parts, type Ask } from "./transport/transport.ts"

export interface PutObject {
  /** The media type; default `application/octet-stream`. */
  readonly type?: string
  /** The text comes from outside and taints its readers [G11]. */
  readonly untrusted?: boolean
}

export type FileBody = string | Uint8Array<ArrayBuffer>
export const fileOf = (body: FileBody, { type = "application/octet-stream", untrusted }: PutObject = {}): Ask => ({
  body,
  type,
  query: { untrusted },
})

export class Objects extends Part<typeof tools> {
  /** The files below `prefix`, or all of them, ordered by key. */
  list(prefix?: string): Paged<ObjectRow> {
    return new Paged(this.transport, "/v1/objects", { prefix })
  }
  put(key: string, body: FileBody, options?: PutObject): Promise<ObjectWritten> {
    return this.json("PUT", `/v1/objects/${parts(key)}`, fileOf(body, options))
  }
  readonly delete: (key: string) => Promise<void> = this.route("DELETE /v1/objects/**")
}
