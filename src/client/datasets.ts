// Reads and writes datasets [V28].

import type * as shapes from "../api/doc/datasets.doc.ts"
import type { DatasetShown, DatasetRowShown, RowsAddedShown } from "../api/doc/datasets.doc.ts"
import type { DatasetWish, datasets, RowsWish } from "../api/quality/datasets.ts"
import { Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

export class DatasetsClient extends Part<typeof datasets, typeof shapes> {
  readonly list: () => Paged<DatasetShown> = this.paged("/v1/datasets")
  readonly get: (dataset: string) => Promise<DatasetShown> = this.route("GET /v1/datasets/*")
  put(dataset: string, wish: DatasetWish): Promise<DatasetShown> {
    return this.json("PUT", `/v1/datasets/${part(dataset)}`, { body: wish })
  }
  readonly remove: (dataset: string) => Promise<void> = this.route("DELETE /v1/datasets/*")
  add(dataset: string, wish: RowsWish): Promise<RowsAddedShown> {
    return this.json("POST", `/v1/datasets/${part(dataset)}/rows`, { body: wish })
  }
  rows(dataset: string): Paged<DatasetRowShown> {
    return new Paged(this.transport, `/v1/datasets/${part(dataset)}/rows`)
  }
  readonly removeRow: (dataset: string, row: string) => Promise<void> = this.route("DELETE /v1/datasets/*/rows/*")
}
