// Writes a run's questions for a client that shows only text: the question, and a signed link to its answer page [P25, Q3].

import type { InteractionView } from "../../core/run/views/view.ts"
import { runAbove } from "../../engine/run/open-questions.ts"
import { questionText } from "../../core/run/protocol/person-text.ts"
import { addressAt } from "../../http/middleware/address.ts"
import type { Call } from "../../http/middleware/call.ts"

/** As long as a link in a message works. */
const LINK_MS = 7 * 86_400_000

/** The lines that follow the questions. */
export async function linksTo(c: Call, open: readonly Pick<InteractionView, "id" | "run" | "expires">[]): Promise<string> {
  const urls = await Promise.all(
    open.map(async ({ id, run, expires }) => {
      const until = Math.min(Date.now() + LINK_MS, expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires))
      const token = await c.get("tenant").answerToken({ run, interaction: id, allow: [], expires: until })
      return addressAt(c, `/i/${token}`)
    }),
  )
  return urls.map((url) => `Answer here: ${url}`).join("\n")
}

export const questionsText = (open: readonly InteractionView[]): string => open.map((asked) => questionText(asked)).join("\n\n")

/** The run of this flow behind the newest signed link in a text, if its question is of this tenant and still open [P25]. */
export async function linkedRun(c: Call, text: string | undefined, flow: string): Promise<string | undefined> {
  const token = [...(text ?? "").matchAll(/\/i\/([A-Za-z0-9._~-]{16,4096})/g)].at(-1)?.[1]
  const linked = token === undefined ? undefined : await c.get("services").linked(token)
  if (!linked || linked.tenant !== c.get("caller").tenant) return undefined
  const asked = await linked.run.interaction(linked.interaction)
  if (asked?.status !== "pending") return undefined
  return (await runAbove(c.get("tenant").run, asked.run, (view) => view.flow === flow))?.id ?? asked.run
}
