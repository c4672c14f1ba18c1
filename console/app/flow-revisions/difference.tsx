// What differs in a flow's files between two revisions, or between a revision and the draft.

import { useState } from "react"
import type { CatalogDiff } from "../../../src/api/doc/catalog.doc.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { visible } from "../../../web/chat/wording.ts"
import { CodeDiff } from "../code/code-editor.tsx"
import { isDefinition } from "../flows/is-definition.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"
import type { Touch } from "../../../web/flow/revision-words.ts"
import skeletonCss from "../parts/skeleton.module.css"
import css from "../flow-tests/flow-tests.module.css"

interface Props {
  readonly api: Api
  readonly flow: string
  readonly path: string
  readonly touches: Touch
  readonly from: number
  /** undefined: the draft. */
  readonly to: number | undefined
  readonly draft: string
  readonly onText: (text: string) => void
}

type Entry = CatalogDiff["data"][number]

export function Difference({ api, flow, path, touches, from, to, draft, onText }: Props) {
  const [chosen, setChosen] = useState<string>()
  const { value, fault } = useAsked(["once", "changed paths", path, from, to], async (): Promise<readonly Entry[]> => {
    if (to === undefined) return [{ path, status: "changed", before: null, after: null }]
    const { data } = await api.catalog.diff({ from, to })
    return data.filter((one) => touches(one.path))
  })
  if (fault !== undefined) return <FaultLine fault={fault} />
  if (value === undefined) return <div className={skeletonCss.skels} />
  const entry = value.find((one) => one.path === chosen) ?? value.find((one) => one.path === path) ?? value[0]
  if (!entry) return <p className="dim small">This flow is the same in both.</p>
  return (
    <section className={css.blk} aria-label="Difference">
      {value.length > 1 && (
        <div className="tabs" role="tablist" aria-label="File">
          {value.map((one) => (
            <button key={one.path} type="button" role="tab" aria-selected={one === entry} onClick={() => setChosen(one.path)}>
              {visible(one.path.split("/").at(-1) ?? one.path)}
            </button>
          ))}
        </div>
      )}
      <FileDifference
        key={entry.path}
        api={api}
        flow={entry.path === path ? flow : undefined}
        path={entry.path}
        from={from}
        to={to}
        draft={draft}
        onText={onText}
      />
    </section>
  )
}

interface FileProps {
  readonly api: Api
  /** undefined: the file is not the flow's own, and is not put into the editor. */
  readonly flow: string | undefined
  readonly path: string
  readonly from: number
  readonly to: number | undefined
  readonly draft: string
  readonly onText: (text: string) => void
}

function FileDifference({ api, flow, path, from, to, draft, onText }: FileProps) {
  const { value, fault } = useAsked(["once", "both texts", path, from, to], async () => {
    const [before, after] = await Promise.all([textAt(api, path, from), to === undefined ? undefined : textAt(api, path, to)])
    return { before, after }
  })
  if (fault !== undefined) return <FaultLine fault={fault} />
  if (value === undefined) return <div className={skeletonCss.skels} />
  const after = to === undefined ? draft : value.after
  const { before } = value
  return (
    <>
      <p className="small mid">
        {before === undefined
          ? `New in ${to === undefined ? "the draft" : `r${to}`}`
          : after === undefined
            ? `Removed in r${String(to)}`
            : visible(path)}
      </p>
      {before === after ? (
        <p className="dim small">No differences.</p>
      ) : (
        <div className={css.diffs}>
          <CodeDiff
            label={`${path} from r${from} to ${to === undefined ? "the draft" : `r${to}`}`}
            before={before ?? ""}
            after={after ?? ""}
            language={path.endsWith(".md") ? "markdown" : path.endsWith(".yaml") ? "yaml" : "text"}
          />
        </div>
      )}
      {flow !== undefined && before !== undefined && before !== draft && (
        <div className="bar">
          <button className="btn tiny" type="button" onClick={() => onText(before)}>
            Put r{from} into the draft
          </button>
          <span className="dim small">Nothing is saved yet.</span>
        </div>
      )}
    </>
  )
}

/** undefined: there was no such file. */
async function textAt(api: Api, path: string, revision: number): Promise<string | undefined> {
  const { data } = await api.catalog.list(revision)
  const file = data.find((one) => one.path === path)
  if (!file || !isDefinition(file)) return undefined
  try {
    return await api.catalog.read(file.kind, file.id, revision)
  } catch (error) {
    if (error instanceof SluiceError && error.status === 404) return undefined
    throw error
  }
}
