// A session of `sluice dev`, from its first look at the folder until Ctrl-C.

import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import { Sluice } from "../../src/client/sluice.ts"
import type { Bundle } from "../../src/api/catalog.ts"
import { SETTING_FILES } from "../../src/core/flow/catalog-kinds.ts"
import { farewell } from "../../local/greeting.ts"
import { defined } from "../../src/core/defined.ts"
import { LOCAL_KEY } from "../../local/settings.ts"
import type { Context } from "../context.ts"
import { KINDS } from "../project/difference.ts"
import { usage } from "../program.ts"
import { Rounds } from "./round.ts"
import { Served } from "./served.ts"
import { draftName, forgetSession, noteSession, sessionOf } from "./session.ts"
import { tell } from "./show-round.ts"
import { watchFolder } from "./watcher.ts"

const WATCHED = [...KINDS.filter((kind) => kind !== "settings"), ...SETTING_FILES.map((name) => `${name}.yaml`), "sluice.yaml"]
const WORKER = ["src", "tools"]

/** The server is this session's alone. */
const OWN_DRAFT = "dev"
/** Far more often than drafts go. */
const RENEW_MS = 3_600_000

const readBy =
  (context: Context) =>
  async (folder: string): Promise<Bundle> =>
    (await context.bundle(folder)).bundle

/** A server of this project, here. */
export async function serving(context: Context, folder: string, port: number | undefined, isWatching: boolean): Promise<number> {
  const served = new Served(context, {
    folder,
    port,
    isWatching,
    note: (url) => noteSession(folder, defined({ url, draft: OWN_DRAFT })),
  })
  await served.start()
  const rounds = new Rounds(
    folder,
    () => new Sluice({ url: served.url, key: LOCAL_KEY }),
    (told, texts) => tell(context, told, texts),
    { name: OWN_DRAFT, mode: "replace", gives: true, read: readBy(context) },
  )
  // Before the first look, so that no save falls between the two.
  const stops = isWatching
    ? [
        await watchFolder(
          folder,
          () => [...WATCHED, ...rounds.imports],
          () => rounds.round(),
        ),
        await watchFolder(
          folder,
          () => WORKER,
          () => rounds.alone(() => served.renew()),
        ),
      ]
    : []
  // Before the first round, at whose end somebody may already want it to stop.
  const over = until(folder, rounds, async () => {
    for (const one of stops) one.stop()
    await rounds.end()
    await served.close()
  })
  await rounds.round()
  return over
}

/** The same against a server of somebody: nothing is served here, and nothing is applied there. */
export async function remotely(context: Context, folder: string, isWatching: boolean): Promise<number> {
  const before = await sessionOf(folder)
  if (before !== undefined) throw usage(`sluice dev already runs for this folder (process ${before.pid}): stop it first`)
  const { url, from } = await context.connection()
  const client = await context.client()
  const which = from.startsWith("profile ") ? ` --profile ${from.slice("profile ".length)}` : ""
  const name = draftName(folder)
  // Whether the server answers, and knows drafts.
  await client.catalog.drafts
    .list()
    .page()
    .catch((error: unknown) => {
      if (error instanceof SluiceError && error.status === 404)
        throw usage(`${url} has no drafts: its version of Sluice is older than this one`)
      throw error
    })
  const rounds = new Rounds(
    folder,
    () => client,
    (told, texts) => tell(context, told, texts),
    { name, mode: "merge", read: readBy(context) },
  )
  await noteSession(folder, { url, draft: name })
  if (context.isJson) context.json({ type: "drafting", url, draft: name, folder })
  else
    for (const line of [
      `Drafts on ${url}: only starts that name the draft ${name} use it`,
      "  stop     Ctrl-C; the draft goes",
      `  watches  ${folder}: a save is checked, drafted, rehearsed and tested`,
      "In another terminal, in this folder:",
      `  sluice run FLOW${which} --rehearse --task "…"   run a flow of the draft; no model is asked`,
      `  sluice plan${which}   what an apply would change`,
      "",
    ])
      context.line(line)
  const watching = isWatching
    ? await watchFolder(
        folder,
        () => [...WATCHED, ...rounds.imports],
        () => rounds.round(),
      )
    : undefined
  const over = until(folder, rounds, async () => {
    watching?.stop()
    await rounds.end()
  })
  await rounds.round()
  return over
}

/** Until Ctrl-C. */
function until(folder: string, rounds: Rounds, close: () => Promise<void>): Promise<never> {
  const renewing = setInterval(() => void rounds.renew(), RENEW_MS)
  farewell({
    async close() {
      clearInterval(renewing)
      await forgetSession(folder)
      await close()
    },
  })
  return new Promise(() => {})
}
