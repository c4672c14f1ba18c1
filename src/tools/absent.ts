// Tools that need a binding [T25]: without it they are never offered to a model and never fake success.
// `GET /v1/tools?explain=1` lists them with the reason.

export interface AbsentTool {
  readonly name: string
  readonly reason: string
  /** The required binding. */
  readonly needs: "BROWSER" | "SANDBOX"
}

const PROCESS =
  "a Worker has no processes; it needs a Sandbox binding (SANDBOX in wrangler.toml), and this deployment has none. bash runs command lines without one"
const BROWSER =
  "it needs a Browser Rendering binding (BROWSER in wrangler.toml), and this deployment has none. web.fetch reads pages without one"

export const ABSENT: readonly AbsentTool[] = [
  ...["start", "status", "output", "kill", "list"].map((name) => ({ name: `process.${name}`, reason: PROCESS, needs: "SANDBOX" as const })),
  ...["navigate", "screenshot", "click", "type", "content"].map((name) => ({
    name: `browser.${name}`,
    reason: BROWSER,
    needs: "BROWSER" as const,
  })),
  {
    name: "browser.eval",
    reason: `${BROWSER}; running scripts in a page is also off, unless the policy allows browser.eval by name`,
    needs: "BROWSER",
  },
]
