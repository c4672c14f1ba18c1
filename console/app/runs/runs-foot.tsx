// Below the list: how many runs it has, whether these are all, and the way to older ones.

import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { counted } from "../parts/figures.ts"
import { classes } from "../parts/classes.ts"
import type { Runs } from "./use-run-list.ts"
import css from "./runs.module.css"

/** Runs that a page looks at [H5]. */
const LOOKED = 5_000

export function RunsFoot({ list, isSorted }: { readonly list: Runs; readonly isSorted: boolean }) {
  const { rows, hasMore, isCut, cuts, isReading, more } = list
  const looked = `${(cuts * LOOKED).toLocaleString()}`
  return (
    <div className={classes(css.foot, "dim small")}>
      <span className={css.keys}>
        <kbd>J</kbd> <kbd>K</kbd> move <kbd>Enter</kbd> open <kbd>X</kbd> select <kbd>Shift A</kbd> all that match <kbd>/</kbd> filter{" "}
        <kbd>?</kbd> all keys
      </span>
      <Link className="link" href={addressOf("runs", "bulk")}>
        Bulk actions
      </Link>
      <span className="grow" />
      {rows !== undefined && rows.length > 0 && (
        <span>
          {isCut
            ? `${counted(rows.length, "run")} among the newest ${looked}${isSorted ? ", which are sorted by themselves" : ""}.`
            : hasMore
              ? `${counted(rows.length, "run")} so far; scroll for more`
              : rows.length === 1
                ? "1 run"
                : `All ${counted(rows.length, "run")}`}
        </span>
      )}
      {isCut && rows !== undefined && rows.length > 0 && (
        <button className="btn" type="button" aria-disabled={isReading} onClick={more}>
          {isReading ? "Searching" : "Search older runs"}
        </button>
      )}
    </div>
  )
}
