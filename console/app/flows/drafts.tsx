// Drafts of the catalog [F80]: folders that only starts which name them use, as `sluice dev` writes at every save. A list that follows the
// tenant's stream; in a flow's page each draft can be tried.

import { useState } from "react"
import type { Draft } from "../../../src/api/doc/drafts.doc.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { Dialog } from "../parts/dialog.tsx"
import { changeAsked, useAsked } from "../parts/asked.ts"
import { faultOf } from "../parts/fault.ts"
import { age, counted, fullTime } from "../parts/figures.ts"
import { useNow } from "../parts/use-now.ts"
import { Icon } from "../shell/icons.tsx"
import type { Api } from "../shell/session.ts"
import { NOT_SAVED } from "./use-try.ts"
import { classes } from "../parts/classes.ts"
import css from "./flows-page.module.css"

const KEY = ["drafts"] as const
const POLL_MS = 15_000
/** Drafts that nobody writes go without a word of the stream. */
const SLOW_MS = 300_000

interface Props {
  readonly api: Api
  /** The flow as a draft has it: started, or rehearsed. Without it the list only says what there is. */
  readonly onTry?: ((draft: string, how: "rehearse" | "run") => void) | undefined
  readonly isBusy?: boolean
}

/** A key may not read the catalog: then there is nothing to show, and nothing to wait for. */
const readDrafts = async (api: Api): Promise<readonly Draft[]> =>
  api.catalog.drafts
    .list()
    .all()
    .then((all) => all.filter(({ draft }) => !draft.startsWith(NOT_SAVED)))
    .catch((error: unknown) => {
      if (error instanceof SluiceError && (error.status === 403 || error.status === 404)) return []
      throw error
    })

export function Drafts({ api, onTry, isBusy = false }: Props) {
  const [goes, setGoes] = useState<Draft>()
  const now = useNow(30_000)
  const { value: drafts = [] } = useAsked(KEY, () => readDrafts(api), { live: { pollMs: POLL_MS, slowMs: SLOW_MS } })
  if (drafts.length === 0) return null
  const mayWrite = api.who.scopes.includes("catalog:write") || api.who.scopes.includes("admin")
  return (
    <section className={onTry === undefined ? classes("panel", css.drafts) : css.drafts} aria-label="Drafts on the server">
      <h2>Drafts on the server</h2>
      <ul>
        {drafts.map((draft) => (
          <li key={draft.draft} className="bar">
            <b className="id cut">{draft.draft}</b>
            <span className="dim d-about" title={`Written ${fullTime(draft.at)}; expires ${fullTime(draft.expires_at)}`}>
              {age(Date.parse(draft.at), now)} · {counted(draft.files, "file")}
              {draft.by !== null && ` · ${draft.by}`}
            </span>
            {draft.warnings !== undefined && (
              <span className="st waiting">
                <Icon name="warn" kind="i-s" />
                {counted(draft.warnings, "warning")}
              </span>
            )}
            <span className="grow" />
            <span className={classes("bar", css.dActs)}>
              {onTry && (
                <>
                  <button
                    className="btn tiny"
                    type="button"
                    aria-disabled={isBusy}
                    onClick={() => !isBusy && onTry(draft.draft, "rehearse")}
                  >
                    Rehearse
                  </button>
                  <button className="btn tiny" type="button" aria-disabled={isBusy} onClick={() => !isBusy && onTry(draft.draft, "run")}>
                    Run
                  </button>
                </>
              )}
              {mayWrite && (
                <button className="btn tiny bare danger" type="button" onClick={() => setGoes(draft)}>
                  Discard
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p className="dim small">
        Only runs that name a draft use it. <code>sluice apply</code> makes it live.
      </p>
      {goes && (
        <ThrowAway
          api={api}
          draft={goes}
          onClose={() => setGoes(undefined)}
          onGone={() => changeAsked<readonly Draft[]>(KEY, (all) => all.filter(({ draft }) => draft !== goes.draft))}
        />
      )}
    </section>
  )
}

interface Gone {
  readonly api: Api
  readonly draft: Draft
  readonly onClose: () => void
  readonly onGone: () => void
}

function ThrowAway({ api, draft: { draft, files }, onClose, onGone }: Gone) {
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const act = (): void => {
    if (isBusy) return
    setBusy(true)
    setFault(undefined)
    api.catalog.drafts.delete(draft).then(
      () => {
        onGone()
        onClose()
      },
      (error: unknown) => {
        setBusy(false)
        setFault(faultOf(error))
      },
    )
  }
  return (
    <Dialog title={`Discard ${draft}`} onClose={onClose}>
      <div className="dlg-l">
        <p className="mid">
          Its {counted(files, "file", "files")} on the server {files === 1 ? "is" : "are"} deleted. The folder it came from stays as it is,
          and runs that use it go on. <code>sluice dev</code> writes it again at its next save.
        </p>
        {fault !== undefined && (
          <p className="msg error" role="alert">
            <span>{fault}</span>
          </p>
        )}
      </div>
      <div className="dlg-f">
        <button className="btn danger" type="button" aria-disabled={isBusy} onClick={act}>
          {isBusy ? "Discarding" : "Discard the draft"}
        </button>
        <button className="btn bare" type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  )
}
