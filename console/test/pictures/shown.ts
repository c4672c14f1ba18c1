// The pages and states that there are pictures of, and the runs that they show.

import type { Page } from "playwright-core"
import { aroundRun } from "../run/around-run.ts"
import { flowText, replaceText } from "../flows/flows-world.ts"
import { retype } from "../retype.ts"
import { startService } from "../inbox/effects-world.ts"
import type { World } from "../world.ts"
import { showDocument, showZip } from "./connect-shown.ts"

export interface Stage {
  readonly around: string
  readonly failed: string
  readonly fork: string
  readonly done: string
  readonly waiting: string
  /** Of an approval and of a question: RUN/ID. */
  readonly approval: string
  readonly question: string
  /** Its three calls wait to be sent. */
  readonly kept: string
}

export interface Shown {
  readonly name: string
  readonly place: (stage: Stage) => string
  /** What is there when the page is ready. */
  readonly ready: string
  readonly act?: (page: Page) => Promise<void>
  /** On a server that has nothing but its first runs. */
  readonly isFirst?: true
}

const run = (id: string, query = ""): string => `/console/runs/${id}${query}`

export const SHOWN: readonly Shown[] = [
  { name: "overview", place: () => "/console/overview", ready: ".overview_plot canvas" },
  { name: "runs", place: () => "/console/runs", ready: "tbody tr a" },
  { name: "runs-filtered", place: () => "/console/runs?status=failed", ready: "tbody tr a" },
  { name: "runs-no-match", place: () => "/console/runs?q=tag%3Anothing", ready: ".empty-state" },
  { name: "runs-query", place: () => "/console/runs?status=waiting&q=by:ana", ready: "[role=status] svg" },
  {
    name: "runs-selected",
    place: () => "/console/runs",
    ready: "tbody tr a",
    act: async (page) => {
      for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key)
      await page.locator("tr.runs_picked").nth(1).waitFor()
    },
  },
  {
    name: "runs-keys",
    place: () => "/console/runs",
    ready: "tbody tr a",
    act: async (page) => {
      await page.keyboard.press("?")
      await page.getByRole("dialog").waitFor()
    },
  },
  {
    name: "find",
    place: () => "/console/runs",
    ready: "tbody tr a",
    act: async (page) => {
      await page.keyboard.press("Control+k")
      await page.getByRole("option").nth(6).waitFor()
    },
  },
  { name: "new-run", place: () => "/console/runs?new=1&flow=pair", ready: "[role=dialog] .field" },
  { name: "failures", place: () => "/console/runs/failures", ready: "main tbody a" },
  {
    name: "run-waiting",
    place: ({ waiting }) => run(waiting),
    ready: ".run-head_rTitle",
    // Its buttons come by themselves; on a small screen they are in another pane.
    act: (page) => page.locator(".detail_asks .btn").first().waitFor({ state: "attached" }),
  },
  { name: "run-waiting-detail", place: ({ waiting }) => run(waiting, "?pane=detail"), ready: ".detail_asks .btn" },
  { name: "run-done", place: ({ done }) => run(done), ready: ".run-head_rTitle" },
  { name: "run-loop", place: ({ around }) => run(around, "?pane=time"), ready: ".timeline_w.timeline_pass" },
  { name: "run-loop-steps", place: ({ around }) => run(around), ready: ".run-head_rTitle" },
  { name: "run-failed", place: ({ failed }) => run(failed), ready: ".run-head_whyfail" },
  { name: "run-fork", place: ({ fork }) => run(fork), ready: ".run-head_rTitle" },
  { name: "run-prompt", place: ({ around }) => run(around, "?step=read-charges&tab=prompt&pane=detail"), ready: ".prompt_ptab tfoot" },
  { name: "run-tools", place: ({ around }) => run(around, "?step=read-charges&tab=tools&pane=detail"), ready: ".detail_dBody table" },
  { name: "run-events", place: ({ around }) => run(around, "?step=read-charges&tab=events&pane=detail"), ready: ".detail_evs li" },
  { name: "run-moment", place: ({ around }) => run(around, "?at=20"), ready: ".run-head_asof" },
  {
    name: "run-actions",
    place: ({ around }) => run(around, "?step=write"),
    ready: ".run-head_rTitle",
    act: async (page) => {
      await page.keyboard.press("m")
      await page.getByRole("menuitem").first().waitFor()
    },
  },
  {
    name: "run-edit",
    place: ({ failed }) => run(failed, "?step=write"),
    ready: ".run-head_whyfail",
    act: async (page) => {
      await page.keyboard.press("e")
      await page.getByRole("dialog").getByRole("textbox").waitFor()
    },
  },
  {
    name: "compare",
    place: ({ failed, fork }) => `/console/runs/${failed}/compare/${fork}`,
    ready: "main h1",
    act: (page) => page.getByText("Reading both runs.").waitFor({ state: "detached" }),
  },
  { name: "inbox", place: () => "/console/inbox", ready: "aside :text('Refund the second charge.')" },
  { name: "inbox-approval", place: ({ approval }) => `/console/inbox/${approval}`, ready: ".inbox_one h2" },
  { name: "inbox-question", place: ({ question }) => `/console/inbox/${question}`, ready: ".inbox_one h2" },
  { name: "effects", place: ({ kept }) => `/console/inbox/effects/${kept}`, ready: 'pre:has-text("POST")' },
  { name: "first-run", place: () => "/console/", ready: "article button", isFirst: true },
  { name: "flows", place: () => "/console/flows", ready: "a[data-flow=pair]" },
  { name: "flow", place: () => "/console/flows/pair", ready: ".cm-content" },
  {
    name: "flow-problem",
    place: () => "/console/flows/pair",
    ready: ".cm-content",
    act: async (page) => {
      // A small screen shows the text, and does not edit it.
      if ((page.viewportSize()?.width ?? 0) < 768) return
      await replaceText(page, "pair", flowText("pair").replace("result.look.", "result.lok."))
      await page.locator(".problem").first().waitFor()
    },
  },
  { name: "flow-tests", place: () => "/console/flows/assist?tab=tests&pane=side", ready: ".flow-tests_tests" },
  { name: "flow-revisions", place: () => "/console/flows/assist?tab=revisions&pane=side", ready: ".flow-tests_diffs .cm-content" },
  { name: "flow-architect", place: () => "/console/flows/assist?tab=architect&pane=side", ready: "main textarea" },
  { name: "agents", place: () => "/console/agents", ready: "main tbody tr a" },
  { name: "agent", place: () => "/console/agents/helper", ready: ".cm-content" },
  { name: "agent-playground", place: () => "/console/agents/helper?tab=playground", ready: "main article" },
  ...[
    "usage",
    "providers",
    "roles",
    "prices",
    "keys",
    "people",
    "secrets",
    "policy",
    "gate",
    "hooks",
    "schedules",
    "budget",
    "browser",
  ].map((section): Shown => ({ name: `settings-${section}`, place: () => `/console/settings/${section}`, ready: "main h1" })),
  ...["folder", "mcp", "openapi"].map((tab): Shown => ({
    name: `connect-${tab}`,
    place: () => `/console/settings/connect?tab=${tab}`,
    ready: "main h1",
  })),
  { name: "connect-preview", place: () => "/console/settings/connect?tab=folder", ready: "main h1", act: showZip },
  { name: "connect-operations", place: () => "/console/settings/connect?tab=openapi", ready: "main h1", act: showDocument },
  { name: "settings-usage-flows", place: () => "/console/settings/usage?by=flow&plot=runs", ready: ".usage_utab tfoot" },
  {
    name: "settings-policy-change",
    place: () => "/console/settings/policy",
    ready: "main .cm-content",
    act: async (page) => {
      await retype(page.getByRole("textbox", { name: "Policy" }), '{\n  "tools": { "deny": ["charges"] }\n}')
      await page.locator("main dl, main li").first().waitFor()
    },
  },
  { name: "flow-overview", place: () => "/console/flows/assist/overview", ready: ".flow-overview_strip" },
  {
    name: "tools",
    place: () => "/console/tools",
    ready: "main tbody tr",
    // Who may call each comes after the list.
    act: (page) => page.locator("main tbody td", { hasText: /^…$/ }).first().waitFor({ state: "detached" }),
  },
  { name: "bulks", place: () => "/console/runs/bulk", ready: "main h1" },
  { name: "chat", place: () => "/console/chat/assist", ready: ".talk .sample" },
]

/** Runs in every state that is shown. */
export async function staged(world: World): Promise<Stage> {
  const start = async (task: string, more: object = {}): Promise<string> => {
    const { id } = (await world.api("POST", "/v1/flows/assist/runs", { task, ...more })) as { readonly id: string }
    for (;;) {
      const { status } = (await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }
      if (["succeeded", "failed", "waiting"].includes(status)) return id
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const failed = await aroundRun(world, "fails")
  const { id: fork } = (await world.api("POST", `/v1/runs/${failed}/fork`, { from: { step: "send" }, effects: "staged" })) as {
    readonly id: string
  }
  await start("Refund order 4471. scene:fails")
  const done = await start("Why are there two charges of November 3? scene:tools-done")
  const asked = async (id: string): Promise<string> => {
    const { data } = (await world.api("GET", `/v1/runs/${id}/interactions?status=pending`)) as {
      readonly data: readonly { readonly id: string }[]
    }
    return `${id}/${data[0]?.id ?? ""}`
  }
  await start("Refund the second charge. scene:approve", { effects: "staged" })
  const question = await asked(await start("Send the invoice. scene:ask"))
  const waiting = await start("Refund the duplicate charge. scene:approve-look")
  const around = await aroundRun(world)
  // Until it is asked about, so that the service is not needed afterwards.
  const service = await startService(world)
  const kept = await service.start("effects-three", "staged")
  await service.until(kept, (states) => states.length === 3 && states.every((state) => state === "staged"))
  await service.close()
  return { around, failed, fork, done, waiting, approval: await asked(waiting), question, kept }
}
