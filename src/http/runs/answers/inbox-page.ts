// Reads one page of the inbox [Q2, H5]: questions asked outside a run, then those of runs in the order in which the runs began. `limit`
// counts questions, and a run may have several, so a cursor names the last question shown as well as its place among the runs.

import type { InteractionKind } from "../../../core/run/event-parts.ts"
import type { InteractionView } from "../../../core/run/views/view.ts"
import { MAX_PAGE } from "../../../api/route/route.ts"
import { defined } from "../../../core/defined.ts"
import { cursorPosition, cursorText } from "../../../engine/cursor.ts"
import type { TenantServices } from "../../../ports/services.ts"
import type { QuestionView } from "../../../ports/tenant/questions.ts"
import type { AskingRun } from "../../../ports/tenant/run-list.ts"

type Asked = QuestionView | (InteractionView & AskingRun & { readonly flow: string })
interface InboxPage {
  readonly data: readonly Asked[]
  readonly next_cursor: string | null
  /** Runs of this page whose questions cannot be read; absent: none. */
  readonly left_out?: readonly string[]
}
type InboxServices = Pick<TenantServices, "questions" | "run"> & { readonly runList: Pick<TenantServices["runList"], "asking"> }

/** `runs`: the cursor before the run; "": its page is the first. `past`: the last question shown, of that run or from outside. */
type Place = { readonly runs: string; readonly past?: string; readonly outside?: readonly [created: string, id: string] }

const START: Place = { runs: "", outside: ["", ""] }

/** Only questions of these flows, and of these kinds. */
interface Only {
  readonly flow?: readonly string[]
  readonly kind?: readonly InteractionKind[]
}

/** A page of the inbox; undefined: the cursor is not from this list. */
export async function inboxPage(
  services: InboxServices,
  list: string,
  limit: number,
  { cursor, ...only }: Only & { readonly cursor?: string | undefined } = {},
): Promise<InboxPage | undefined> {
  const place = cursor === undefined ? START : placeOf(cursor, list)
  const { flow: flows, kind: kinds } = only
  const has = ({ kind }: Pick<Asked, "kind">): boolean => kinds?.includes(kind) !== false
  // A question from outside is of no flow.
  const isOutside = place.outside !== undefined && flows === undefined && has({ kind: "ask_user" })
  const outside = place.outside && isOutside ? later(await services.questions.open(), place.outside) : []
  if (outside.length > limit) {
    const data = outside.slice(0, limit)
    const last = data.at(-1)
    return { data, next_cursor: cursorText(list, "outside", last?.created ?? "", last?.id ?? "") }
  }
  const asking = (most: number) =>
    services.runList.asking({ limit: most, ...defined({ flow: flows }), ...(place.runs === "" ? {} : { cursor: place.runs }) })
  // One more than may be shown: a page that ends with the last question of all says so.
  const found = await asking(Math.min(limit + 1, MAX_PAGE))
  if ("badCursor" in found) return undefined
  const rows: Asked[] = [...outside]
  const lost: string[] = []
  // One run that cannot be read does not keep people from the questions of the others.
  const asked = await Promise.all(
    found.data.map(async ({ id, flow, about }, n) => ({
      of: { flow, ...about },
      open: await openOf(services, id, n === 0 ? place.past : undefined).then(
        (all) => all.filter(has),
        () => (lost.push(id), []),
      ),
    })),
  )
  const leftOut = lost.length === 0 ? {} : { left_out: lost.toSorted() }
  for (const [n, { of, open }] of asked.entries()) {
    const room = limit - rows.length
    for (const question of open.slice(0, room)) rows.push({ ...question, ...of })
    if (open.length <= room) continue
    const before = n === 0 ? place.runs : cursorAfter(await asking(n))
    const past = room > 0 ? open[room - 1]?.id : n === 0 ? place.past : undefined
    return { data: oldestFirst(rows), next_cursor: cursorText(list, "runs", before, past ?? ""), ...leftOut }
  }
  return { data: oldestFirst(rows), next_cursor: found.next_cursor, ...leftOut }
}

/** What a run asks, after the question `past`, which may be answered by now. */
async function openOf(services: InboxServices, run: string, past: string | undefined): Promise<readonly InteractionView[]> {
  if (past === undefined) return (await services.run(run).interactions("pending")) ?? []
  const all = (await services.run(run).interactions()) ?? []
  return all.slice(all.findIndex(({ id }) => id === past) + 1).filter(({ status }) => status === "pending")
}

const later = (open: readonly QuestionView[], [created, id]: readonly [string, string]): readonly QuestionView[] =>
  open.toSorted(byTime).filter((q) => q.created > created || (q.created === created && q.id > id))

const byTime = (a: Asked, b: Asked): number => compare(a.created, b.created) || compare(a.id, b.id)
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const oldestFirst = (rows: readonly Asked[]): readonly Asked[] => rows.toSorted((a, b) => compare(a.created, b.created))

const cursorAfter = (found: Awaited<ReturnType<InboxServices["runList"]["asking"]>>): string =>
  "badCursor" in found ? "" : (found.next_cursor ?? "")

/** A cursor of another form is one of the list of runs, which checks it. */
function placeOf(cursor: string, list: string): Place {
  const [kind, first, second] = cursorPosition(cursor, list) ?? []
  if (typeof first !== "string" || typeof second !== "string") return { runs: cursor }
  if (kind === "outside") return { runs: "", outside: [first, second] }
  return { runs: first, ...(second === "" ? {} : { past: second }) }
}
