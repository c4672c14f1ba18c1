// Shows something once it is read; before that a stand-in, and the reason where it cannot be read.

import type { ReactNode } from "react"
import { FaultDetails } from "./fault-details.tsx"
import { Skeleton } from "./skeleton.tsx"
import { Icon } from "../shell/icons.tsx"
import type { Asked } from "./asked.ts"

interface Props<T> {
  /** "the keys" */
  readonly what: string
  readonly of: Pick<Asked<T>, "value" | "fault" | "again"> & { readonly error?: unknown }
  readonly children: (value: T) => ReactNode
}

export function AskedView<T>({ what, of: { value, fault, error, again }, children }: Props<T>) {
  return (
    <>
      {fault !== undefined && (
        <div className="note error" role="alert">
          <Icon name="failed" kind="i-s" />
          <span>
            Reading {what} failed. {fault}
          </span>
          <button className="btn" type="button" onClick={again}>
            Try again
          </button>
          <FaultDetails of={error} />
        </div>
      )}
      {value !== undefined ? children(value) : fault === undefined ? <Skeleton words={`Reading ${what}`} /> : null}
    </>
  )
}
