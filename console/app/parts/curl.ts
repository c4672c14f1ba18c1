// A start of a flow as a line for a shell. The key stays a name: the line is sent to others and kept in histories.

import type { JsonObject } from "../../../src/core/json.ts"
import { editable } from "../../../web/chat/wording.ts"
import { SERVER } from "../shell/place.ts"

export function curlOf(flow: string, body: JsonObject): string {
  return [
    `curl ${quoted(`${SERVER}v1/flows/${encodeURIComponent(flow)}/runs`)}`,
    `-H "authorization: Bearer $SLUICE_KEY"`,
    `-H 'content-type: application/json'`,
    `--data-raw ${quoted(editable(body))}`,
  ].join(" \\\n  ")
}

/** For a shell of POSIX: between single quotes every other character is itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
