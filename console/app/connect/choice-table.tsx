// Things to choose from, in groups: a box, a name with what it is, what its calls change outside, and its weight. What cannot be chosen says why.
// Long groups show their beginning.

import { useState, type ReactNode } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { counted } from "../parts/figures.ts"
import { Weight } from "./weight.tsx"
import { classes } from "../parts/classes.ts"
import css from "./connect.module.css"

export interface ConnectChoice {
  readonly key: string
  readonly name: string
  readonly about: string
  /** `reads`, `writes`, or nothing that leaves. */
  readonly effect?: string
  readonly tokens?: number
  /** What became of it since it was looked at last. */
  readonly mark?: ReactNode
  readonly isOff?: boolean
}

export interface ChoiceGroup {
  readonly label: string
  readonly note: string
  readonly rows: readonly ConnectChoice[]
}

interface Props {
  readonly verb: string
  readonly groups: readonly ChoiceGroup[]
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (keys: readonly string[], isChosen: boolean) => void
}

const SHOWN = 20

export function ChoiceTable({ verb, groups, chosen, onChoose }: Props) {
  const most = Math.max(1, ...groups.flatMap(({ rows }) => rows.map(({ tokens = 0 }) => tokens)))
  return (
    <table className="tbl">
      <thead>
        <tr>
          <th scope="col" className={css.cX}>
            <span className="vh">{verb}</span>
          </th>
          <th scope="col">Tool</th>
          <th scope="col" className="hide-s">
            Effect
          </th>
          <th scope="col" className={classes("num", css.cW)}>
            Tokens
          </th>
        </tr>
      </thead>
      {groups
        .filter(({ rows }) => rows.length > 0)
        .map((group) => (
          <Group key={group.label} verb={verb} group={group} chosen={chosen} most={most} onChoose={onChoose} />
        ))}
    </table>
  )
}

interface GroupProps extends Pick<Props, "verb" | "chosen" | "onChoose"> {
  readonly group: ChoiceGroup
  readonly most: number
}

function Group({ verb, group: { label, note, rows }, chosen, most, onChoose }: GroupProps) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, SHOWN)
  const open = rows.filter(({ isOff }) => isOff !== true)
  const isAll = open.length > 0 && open.every(({ key }) => chosen.has(key))
  return (
    <tbody>
      <tr className={css.grp}>
        <th colSpan={4} scope="colgroup">
          <div className="bar">
            {label} <span className="dim">{note}</span>
            <span className="grow" />
            {open.length > 1 && (
              <button
                className="btn bare tiny"
                type="button"
                onClick={() =>
                  onChoose(
                    open.map(({ key }) => key),
                    !isAll,
                  )
                }
              >
                {isAll ? "Choose none" : `Choose all ${open.length}`}
              </button>
            )}
          </div>
        </th>
      </tr>
      {shown.map(({ key, name, about, effect, tokens, mark, isOff = false }) => (
        <tr key={key}>
          <td className={css.cX}>
            <input
              type="checkbox"
              aria-label={`${verb} ${visible(name)}`}
              checked={!isOff && chosen.has(key)}
              disabled={isOff}
              onChange={({ target }) => onChoose([key], target.checked)}
            />
          </td>
          <th scope="row">
            <span className={isOff ? "mono dim" : "mono"}>{visible(name)}</span> {mark}
            <br />
            <span className="dim small">{visible(about)}</span>
          </th>
          <td className="hide-s">
            {effect !== undefined && <span className={effect === "writes" ? "tag waiting" : "tag"}>{effect}</span>}
          </td>
          <td className={classes("num", css.cW)}>{tokens !== undefined && <Weight tokens={tokens} of={most} />}</td>
        </tr>
      ))}
      {shown.length < rows.length && (
        <tr>
          <td />
          <td colSpan={3}>
            <button className="btn bare" type="button" onClick={() => setWhole(true)}>
              Show {counted(rows.length - shown.length, "more", "more")}
            </button>
          </td>
        </tr>
      )}
    </tbody>
  )
}

/** As the pages say what a tool's call changes outside. */
export const effectWord = (effect: string): string => (effect === "write" ? "writes" : effect === "read" ? "reads" : "stays inside")
