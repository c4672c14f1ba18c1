// Bounds what a judge reads of a pass, in bytes, before anyone has asked it: by then the call must be affordable [B1].

import { utf8Length } from "../../text/utf8.ts"
import type { EventOf } from "../event.ts"

/** Of the opening: task and inputs. Of what was offered: outputs, which an account has twice, and the summary. */
export const sizeOfEvidence = (e: EventOf<"step.opened"> | EventOf<"step.offered">): number =>
  e.type === "step.opened"
    ? utf8Length(e.task ?? "") + utf8Length(JSON.stringify(e.inputs ?? e.values ?? {}))
    : 2 * (utf8Length(e.summary) + utf8Length(JSON.stringify(e.outputs)))
