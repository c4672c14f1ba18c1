// What a request answers, asked again when what it is about changes. What came before stays until the next answer is there.

import { useEffect, useState } from "react"
import { faultOf } from "./fault.ts"

export interface Loaded<T> {
  readonly value: T | undefined
  readonly fault: string | undefined
}

/** `about` names what is asked: the request is sent when it changes. */
export function useLoad<T>(about: string, ask: () => Promise<T>): Loaded<T> {
  const [found, setFound] = useState<{ readonly about: string; readonly value?: T; readonly fault?: string }>()
  useEffect(() => {
    let isOver = false
    ask().then(
      (value) => {
        if (!isOver) setFound({ about, value })
      },
      (error: unknown) => {
        if (!isOver) setFound({ about, fault: faultOf(error) })
      },
    )
    return () => {
      isOver = true
    }
  }, [about])
  return { value: found?.value, fault: found?.about === about ? found.fault : undefined }
}
