// Says where the runs of a flow are listed, and where a step stands in its editor.

import { addressOf } from "../shell/place.ts"

export const runsOf = (flow: string, more = ""): string => `${addressOf("runs")}?q=${encodeURIComponent(`flow:${flow}`)}${more}`

export const stepIn = (flow: string, step: string): string => `${addressOf("flows", flow)}?step=${encodeURIComponent(step)}`
