// The formats in which a run's events can be read besides their own [E3].

import type { EventFormat } from "./run.ts"

export const FORMATS = ["pi-flows", "harness"] as const satisfies readonly EventFormat[]

/** undefined: the events themselves. */
export const formatOf = (name: string): EventFormat | undefined => FORMATS.find((format) => format === name)
