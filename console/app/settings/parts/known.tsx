// What a section shows once it is read; before that a stand-in, and the reason where it cannot be read.

import type { ReactNode } from "react"
import { Skeleton } from "../../parts/skeleton.tsx"
import { Icon } from "../../shell/icons.tsx"
import type { Again } from "./use-again.ts"

interface Props<T> {
  /** "the keys" */
  readonly what: string
  readonly of: Again<T>
  readonly children: (value: T) => ReactNode
}

export function Known<T>({ what, of: { value, fault, again }, children }: Props<T>) {
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
        </div>
      )}
      {value !== undefined ? children(value) : fault === undefined ? <Skeleton words={`Reading ${what}`} /> : null}
    </>
  )
}
