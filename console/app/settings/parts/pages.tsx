// A list that comes in pages: the first one, and the others when they are asked for.

import { useState } from "react"
import type { Paged } from "../../../../src/client/transport/paged.ts"
import { faultOf } from "../../parts/fault.ts"
import { useAsked, type Asked } from "../../parts/asked.ts"

export interface Pages<T> {
  readonly first: Pick<Asked<readonly T[]>, "value" | "fault" | "again">
  readonly rows: readonly T[]
  readonly more: (() => void) | undefined
  readonly fault: string | undefined
}

/** `about` names the list. */
export function usePages<T>(about: string, list: () => Paged<T>): Pages<T> {
  const [later, setLater] = useState<{ readonly of: unknown; readonly rows: readonly T[]; readonly next: string | null }>()
  const [fault, setFault] = useState<string>()
  const page = useAsked(["settings", "page", about], () => list().page())
  const known = later?.of === page.value ? later : undefined
  const next = known === undefined ? (page.value?.next_cursor ?? null) : known.next
  const more = (cursor: string): void => {
    setFault(undefined)
    list()
      .page(cursor)
      .then(
        ({ data, next_cursor }) => setLater({ of: page.value, rows: [...(known?.rows ?? []), ...data], next: next_cursor }),
        (error: unknown) => setFault(faultOf(error)),
      )
  }
  return {
    first: { value: page.value?.data, fault: page.fault, again: page.again },
    rows: [...(page.value?.data ?? []), ...(known?.rows ?? [])],
    more: next === null ? undefined : () => more(next),
    fault,
  }
}

export function More({ pages: { more, fault } }: { readonly pages: Pick<Pages<unknown>, "more" | "fault"> }) {
  return (
    <>
      {fault !== undefined && (
        <p className="msg error" role="alert">
          {fault}
        </p>
      )}
      {more && (
        <button className="btn bare" type="button" onClick={more}>
          Show more
        </button>
      )}
    </>
  )
}
