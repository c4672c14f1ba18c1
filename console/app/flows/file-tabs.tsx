// The files of a flow: its own text, the handlers of its code steps, and its rehearsal. `?file=PATH` says which one is open.

import type { CatalogFile } from "../../../src/api/doc/catalog.doc.ts"
import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"
import { goQuery } from "../shell/place.ts"
import type { FileName } from "./use-draft.ts"

export interface FlowFile extends FileName {
  /** Its path in the catalog. */
  readonly name: string
  readonly isStored: boolean
}

export function filesOf(flow: string, path: string, graph: GraphView | undefined, rows: readonly CatalogFile[]): readonly FlowFile[] {
  const stored = new Map(rows.map((row) => [`${row.kind} ${row.id}`, row.path]))
  const named = (kind: FileName["kind"], id: string, otherwise: string): FlowFile => {
    const there = stored.get(`${kind} ${id}`)
    return { kind, id, name: there ?? otherwise, isStored: there !== undefined }
  }
  const steps = (graph?.nodes ?? []).filter(({ type }) => type === "code" || type === "code-decision")
  const base = path.replace(/\.ya?ml$/, "")
  return [
    { kind: "flow", id: flow, name: path, isStored: true },
    ...steps.map(({ id }) => named("code", `${flow}/${id}`, `code/${flow.replaceAll(":", "/")}/${id}.ts`)),
    named("rehearsal", flow, `${base}.rehearsal.yaml`),
  ]
}

export function FileTabs({ files, open }: { readonly files: readonly FlowFile[]; readonly open: FlowFile | undefined }) {
  return (
    <div className="panel-head">
      <div className="tabs" role="tablist" aria-label="Files">
        {files.map(({ name, kind, isStored }) => {
          const isOpen = open === undefined ? kind === "flow" : open.name === name
          return (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={isOpen}
              onClick={() => goQuery({ file: kind === "flow" ? undefined : name })}
            >
              {kind === "flow" ? name : kind === "rehearsal" ? "rehearsal" : name.slice(name.lastIndexOf("/") + 1)}
              {!isStored && <b>new</b>}
            </button>
          )
        })}
      </div>
    </div>
  )
}
