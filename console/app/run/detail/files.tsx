// The files of the workspace, now or at the moment that is shown, and what became of them since another one.

import { Suspense, useState } from "react"
import { bytes } from "../../parts/figures.ts"
import { saveAs } from "../../parts/save.ts"
import { useAsked } from "../../parts/asked.ts"
import { Icon } from "../../shell/icons.tsx"
import type { Api } from "../../shell/session.ts"
import type { ShownRun } from "../use-run.ts"
import { classes } from "../../parts/classes.ts"
import { later } from "../../parts/later.ts"
import css from "./detail.module.css"

const FileDiff = later(async () => (await import("./file-diff.tsx")).FileDiff)

export function Files({ api, shown }: { readonly api: Api; readonly shown: ShownRun }) {
  const [isDiff, setDiff] = useState(false)
  return (
    <>
      <span className="pick" role="group" aria-label="Show">
        <button type="button" aria-pressed={!isDiff} onClick={() => setDiff(false)}>
          Files
        </button>
        <button type="button" aria-pressed={isDiff} onClick={() => setDiff(true)}>
          Changes
        </button>
      </span>
      <Suspense fallback={null}>{isDiff ? <FileDiff api={api} shown={shown} /> : <FileList api={api} shown={shown} />}</Suspense>
    </>
  )
}

function FileList({ api, shown: { view, at, story } }: { readonly api: Api; readonly shown: ShownRun }) {
  const changes = at ?? `${view.seq} ${story.ended ?? 0}`
  const { value, fault } = useAsked(["run", "files", view.id, changes], () => api.runs.files(view.id, at).all())
  if (fault !== undefined) return <p className="msg error">{fault}</p>
  if (value === undefined) return <p className="dim">Reading the files.</p>
  if (value.length === 0) return <p className="dim">The workspace is empty{at === undefined ? "" : " at this moment"}.</p>
  return (
    <ul className={css.fl}>
      {value.map(({ path, size }) => (
        <li key={path}>
          <Icon name="file" kind="i-s dim" />
          <button
            className={classes("btn", css.linkBtn, "mono")}
            type="button"
            onClick={() =>
              void api.runs
                .file(view.id, path, at)
                .then((content) => saveAs(path.split("/").at(-1) ?? path, new Blob([new Uint8Array(content)])))
            }
          >
            {path}
          </button>
          <span className="num dim">{bytes(size)}</span>
        </li>
      ))}
    </ul>
  )
}
