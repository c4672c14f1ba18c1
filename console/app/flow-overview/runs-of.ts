// Where the runs of a flow are listed.

import { addressOf } from "../shell/place.ts"

export const runsOf = (flow: string, more = ""): string => `${addressOf("runs")}?q=${encodeURIComponent(`flow:${flow}`)}${more}`
