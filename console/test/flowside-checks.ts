// The panes beside the editor of a flow: tests, revisions, architect.

import type { Browser } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { architectChecks } from "./flowside/architect-checks.ts"
import { flowRevisionsChecks } from "./flowside/flow-revisions-checks.ts"
import { flowTestsChecks } from "./flowside/flow-tests-checks.ts"
import type { World } from "./world.ts"

export const flowsideChecks = (browser: Browser, world: World, shots?: string): Check[] =>
  [flowTestsChecks, flowRevisionsChecks, architectChecks].flatMap((of) => of(browser, world, shots))
