// Serves a tenant's datasets [V28]. One that a file of the catalog owns changes through the file alone [V31].

import type { Answers } from "../../../ports/objects.ts"
import type { DatasetsPort } from "../../../ports/tenant/quality/datasets.ts"
import { unowned } from "../catalog/configure.ts"
import type { TenantResources } from "../tenant-resources.ts"

export function datasetRoom({ datasets, sql }: Pick<TenantResources, "datasets" | "sql">): Answers<DatasetsPort> {
  const own = (name: string): void => unowned(sql, "dataset", name)
  return {
    find: (name) => datasets.find(name),
    list: () => datasets.list(),
    rows: (name, page) => datasets.rows(name, page),
    row: (name, id) => datasets.row(name, id),
    put(name, flow, description) {
      own(name)
      return datasets.put(name, flow, description)
    },
    remove(name) {
      own(name)
      return datasets.remove(name)
    },
    add(name, rows) {
      own(name)
      return datasets.add(name, rows)
    },
    removeRow(name, id) {
      own(name)
      return datasets.removeRow(name, id)
    },
  }
}
