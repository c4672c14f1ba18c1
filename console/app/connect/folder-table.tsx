// What comes of a folder, with a box each; the MCP servers that it names; and what stays behind, each with its reason.

import { visible } from "../../../web/chat/wording.ts"
import { counted } from "../parts/figures.ts"
import { Link } from "../shell/link.tsx"
import { mcpAddress } from "./mcp-address.ts"
import type { ComingRow, StayingRow } from "./import-rows.ts"
import type { NamedServer } from "./readable.ts"
import { classes } from "../parts/classes.ts"
import css from "./connect.module.css"

interface Props {
  readonly rows: readonly ComingRow[]
  readonly out: ReadonlySet<string>
  readonly staying: readonly StayingRow[]
  /** Refused because of what the reader leaves out. */
  readonly lost: readonly StayingRow[]
  readonly servers: readonly NamedServer[]
  readonly onChoose: (keys: readonly string[], isChosen: boolean) => void
}

export function FolderTable({ rows, out, staying, lost, servers, onChoose }: Props) {
  const why = new Map(lost.map(({ path, reason }) => [path, reason]))
  const files = rows.reduce((sum, { paths }) => sum + paths.length, 0)
  const remote = servers.flatMap(({ name, url, file }) => (url === undefined ? [] : [{ name, url, file }]))
  const behind = [
    ...staying,
    ...servers
      .filter(({ url }) => url === undefined)
      .map(({ file, name }) => ({ path: `${file}, ${name}`, reason: "a program on your machine; give it an address to connect it" })),
  ]
  return (
    <table className="tbl">
      <thead>
        <tr>
          <th scope="col" className={css.cX}>
            <span className="vh">Bring</span>
          </th>
          <th scope="col" className={css.cF}>
            File
          </th>
          <th scope="col">Becomes</th>
          <th scope="col" className="hide-s">
            Note
          </th>
        </tr>
      </thead>
      <tbody>
        <tr className={css.grp}>
          <th colSpan={4} scope="colgroup">
            To import <span className="dim">{counted(files, "file")}</span>
          </th>
        </tr>
        {rows.map(({ key, label, becomes, note, paths }) => {
          const refused = paths.flatMap((path) => why.get(path) ?? [])[0]
          const words = visible(refused === undefined ? note : `left out with the others: ${refused}`)
          return (
            <tr key={key}>
              <td className={css.cX}>
                <input
                  type="checkbox"
                  aria-label={`Bring ${visible(label)}`}
                  checked={!out.has(key)}
                  onChange={({ target }) => onChoose([key], target.checked)}
                />
              </td>
              <th scope="row">
                <span className="mono">{visible(label)}</span>
                <span className={classes("dim small", css.onlyS)}>{words}</span>
              </th>
              <td>{visible(becomes)}</td>
              <td className={refused === undefined ? "mid hide-s" : "error hide-s"}>{words}</td>
            </tr>
          )
        })}
      </tbody>
      {remote.length > 0 && (
        <tbody>
          <tr className={css.grp}>
            <th colSpan={4} scope="colgroup">
              MCP servers <span className="dim">connect each after the import</span>
            </th>
          </tr>
          {remote.map(({ file, name, url }) => (
            <tr key={`${file} ${name}`}>
              <td className={css.cX} />
              <th scope="row" className="mono">
                {visible(name)}
              </th>
              <td>MCP server</td>
              <td className="hide-s">
                <Link className="link" href={mcpAddress(name, url)}>
                  {visible(url)}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      )}
      {behind.length > 0 && (
        <tbody>
          <tr className={css.grp}>
            <th colSpan={4} scope="colgroup">
              Skipped <span className="dim">{counted(behind.length, "file")}, each with its reason</span>
            </th>
          </tr>
          {behind.slice(0, MAX_BEHIND).map(({ path, reason }, at) => (
            <tr key={`${path} ${at}`}>
              <td className={css.cX} />
              <th scope="row" className="mono dim">
                {visible(path)}
                <span className={classes("dim small", css.onlyS)}>{visible(reason)}</span>
              </th>
              <td className="dim">–</td>
              <td className="dim hide-s">{visible(reason)}</td>
            </tr>
          ))}
          {behind.length > MAX_BEHIND && (
            <tr>
              <td />
              <td colSpan={3} className="dim">
                and {counted(behind.length - MAX_BEHIND, "more file")}
              </td>
            </tr>
          )}
        </tbody>
      )}
    </table>
  )
}

const MAX_BEHIND = 200
