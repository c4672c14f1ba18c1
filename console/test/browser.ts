// `npm run console:browser`: the console's pages and <sluice-chat> in a real Chromium against the built Worker. Prints `N passed, N failed`.
// `--only WORDS` runs the checks whose name contains them, `--only "A|B"` those with either; `--part NAME` one part of them, `first` in the gate and
// the others in `npm run proof`; `--shots FOLDER` keeps a picture of every state.

import { mkdirSync } from "node:fs"
import { parseArgs } from "node:util"
import { chromium, type Browser } from "playwright-core"
import { chromiumOf } from "../../local/browser.ts"
import { runMain, Trouble } from "../../local/trouble.ts"
import { runChecks, type Check } from "../../test/browser/checks.ts"
import { actChecks } from "./run/act-checks.ts"
import { curlChecks } from "./run/curl-checks.ts"
import { agentsChecks } from "./agents/agents-checks.ts"
import { aroundChecks } from "./run/around-checks.ts"
import { compareChecks } from "./run/compare-checks.ts"
import { chatChecks } from "./chat/chat-checks.ts"
import { boundsChecks } from "./bounds-checks.ts"
import { connectModelChecks } from "./settings/connect-model-checks.ts"
import { facesChecks } from "./settings/faces-checks.ts"
import { connectChecks } from "./connect/connect-checks.ts"
import { connectSignInChecks } from "./connect/connect-sign-in-checks.ts"
import { connectToolsChecks } from "./connect/connect-tools-checks.ts"
import { dialogsChecks } from "./dialogs-checks.ts"
import { draftsChecks } from "./flows/drafts-checks.ts"
import { effectsChecks } from "./inbox/effects-checks.ts"
import { embedChecks } from "./chat/embed-checks.ts"
import { failuresChecks } from "./failures-checks.ts"
import { firstRunChecks } from "./first-run-checks.ts"
import { editorChecks } from "./flows/editor-checks.ts"
import { flowSaveChecks } from "./flows/flow-save-checks.ts"
import { flowsChecks } from "./flows/flows-checks.ts"
import { flowsideChecks } from "./flowside-checks.ts"
import { longInboxChecks } from "./inbox/long-inbox-checks.ts"
import { inboxChecks } from "./inbox/inbox-checks.ts"
import { keysChecks } from "./keys-checks.ts"
import { largeChecks } from "./large-checks.ts"
import { liveChecks } from "./live-checks.ts"
import { promptChecks } from "./run/prompt-checks.ts"
import { overviewChecks } from "./overview/overview-checks.ts"
import { flowOverviewChecks } from "./overview/flow-overview-checks.ts"
import { mendChecks } from "./run/mend-checks.ts"
import { weeksChecks } from "./overview/weeks-checks.ts"
import { mapChecks } from "./run/map-checks.ts"
import { teamInboxChecks } from "./inbox/team-inbox-checks.ts"
import { playgroundChecks } from "./agents/playground-checks.ts"
import { runChecks as runPageChecks } from "./run/run-checks.ts"
import { bulkChecks } from "./runs/bulk-checks.ts"
import { findChecks } from "./runs/find-checks.ts"
import { runsChecks } from "./runs-checks.ts"
import { settingsChecks } from "./settings/settings-checks.ts"
import { settingsTriggerChecks } from "./settings/settings-trigger-checks.ts"
import { smallChecks } from "./small-checks.ts"
import { startsChecks } from "./runs/starts-checks.ts"
import { stateChecks } from "./state-checks.ts"
import { strangerChecks } from "./stranger-checks.ts"
import { experimentsChecks } from "./quality/experiments-checks.ts"
import { qualityChecks } from "./quality/quality-checks.ts"
import { scoresChecks } from "./quality/scores-checks.ts"
import { whereChecks } from "./quality/where-checks.ts"
import { shapeChecks } from "./tour/shape-checks.ts"
import { pairChecks, tourChecks } from "./tour/tour-checks.ts"
import { toolsChecks } from "./tools/tools-checks.ts"
import { typingChecks } from "./typing-checks.ts"
import { walkChecks } from "./walk/walk-checks.ts"
import { startWorld, type World } from "./world.ts"

type Checks = (browser: Browser, world: World, shots: string | undefined) => readonly Check[]

/** Names that begin with their room: what failed runs once more with the rest of its room (`.ci/steps.sh`). */
const within =
  (room: string, checks: Checks): Checks =>
  (...stage) =>
    checks(...stage).map((check) => ({ ...check, name: `${room}: ${check.name}` }))

const BY_PART: Readonly<Record<string, readonly Checks[]>> = {
  first: [typingChecks, dialogsChecks, firstRunChecks, tourChecks],
  runs: [
    within("embed", embedChecks),
    within("chat", chatChecks),
    runsChecks,
    findChecks,
    bulkChecks,
    startsChecks,
    stateChecks,
    runPageChecks,
    actChecks,
    curlChecks,
    aroundChecks,
    mapChecks,
    compareChecks,
    mendChecks,
  ],
  people: [
    promptChecks,
    keysChecks,
    strangerChecks,
    largeChecks,
    inboxChecks,
    longInboxChecks,
    teamInboxChecks,
    effectsChecks,
    failuresChecks,
    overviewChecks,
    weeksChecks,
    flowOverviewChecks,
    agentsChecks,
  ],
  flows: [playgroundChecks, flowsChecks, editorChecks, draftsChecks, flowSaveChecks, flowsideChecks, liveChecks],
  settings: [
    smallChecks,
    toolsChecks,
    connectModelChecks,
    facesChecks,
    connectChecks,
    connectToolsChecks,
    connectSignInChecks,
    settingsChecks,
    settingsTriggerChecks,
  ],
  quality: [scoresChecks, whereChecks, qualityChecks, experimentsChecks],
  look: [walkChecks, shapeChecks, pairChecks, boundsChecks],
}
const PARTS: Readonly<Record<string, readonly Checks[]>> = { ...BY_PART, all: Object.values(BY_PART).flat() }

await runMain(async () => {
  const { values } = parseArgs({ options: { only: { type: "string", default: "" }, part: { type: "string" }, shots: { type: "string" } } })
  const part = values.part ?? "all"
  if (!(part in PARTS)) throw new Trouble(`there is no part ${part}: name one of ${Object.keys(PARTS).join(", ")}, or none for all`)
  if (values.shots !== undefined) mkdirSync(values.shots, { recursive: true })
  const world = await startWorld()
  const browser = await chromium.launch({
    executablePath: chromiumOf(process.env["CHROMIUM"]),
    args: ["--no-sandbox", "--disable-quic", "--disable-background-networking"],
  })
  try {
    const checks = (PARTS[part] ?? [])
      .flatMap((of) => of(browser, world, values.shots))
      .filter(({ name }) => values.only.split("|").some((words) => name.includes(words)))
    const { passed, failed } = await runChecks(checks)
    console.log(`${passed} passed, ${failed} failed`)
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0
  } finally {
    await browser.close()
    await world.close()
  }
})
