// What an import has written, and what can be done next.

import type { ImportReport } from "../../../src/api/doc/catalog.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { counted } from "../parts/figures.ts"
import { useAsked } from "../parts/asked.ts"
import { Status } from "../parts/status.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { comingRows, kindsOf, stayingRows } from "./import-rows.ts"
import { mcpAddress } from "./mcp-address.ts"
import type { NamedServer } from "./readable.ts"
import { classes } from "../parts/classes.ts"
import css from "./connect.module.css"

interface Props {
  readonly api: Api
  readonly report: ImportReport
  readonly servers: readonly NamedServer[]
  readonly onOther: () => void
}

export function Imported({ api, report, servers, onOther }: Props) {
  const { value: revision } = useAsked(["once", "revision"], async () => (await api.catalog.list()).revision, { isFresh: true })
  const rows = comingRows(report)
  const refused = stayingRows(report)
  return (
    <section className={classes("panel", css.cnForm)} aria-label="Imported">
      <Status status="complete" word="Imported" />
      <h2>
        {kindsOf(rows)}
        {revision !== undefined && ` in revision r${revision}`}
      </h2>
      {refused.length > 0 && (
        <p className="msg error words">
          <span>
            {counted(refused.length, "file")} left out:{" "}
            {visible(
              refused
                .map(({ path, reason }) => `${path}: ${reason}`)
                .join("; ")
                .slice(0, 2_000),
            )}
          </span>
        </p>
      )}
      <div className="bar">
        {["agents", "flows"].map((name) => (
          <Link key={name} className="btn" href={addressOf(name)}>
            Open {name}
          </Link>
        ))}
        {servers
          .filter(({ url }) => url !== undefined)
          .slice(0, 5)
          .map(({ name, url }) => (
            <Link key={name} className="btn" href={mcpAddress(name, url)}>
              Connect {visible(name)}
            </Link>
          ))}
        <button className="btn" type="button" onClick={onOther}>
          Other folder
        </button>
      </div>
    </section>
  )
}
