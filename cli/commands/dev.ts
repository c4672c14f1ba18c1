// `sluice dev`: a server of this project on this machine; every save is checked, written to a draft that only this session's starts use [F80],
// rehearsed and tested. With `--remote` the draft is that of a server which others use too.
//
// What serves and judges is loaded when the command runs: every other command would start 0.7 s later (CPU time).

import type { Command } from "../command.ts"
import { configOf, projectAround } from "../project/project.ts"
import { usage } from "../program.ts"

export const dev: Command = {
  name: "dev",
  says: "serve the project here; every save is checked, drafted, rehearsed and tested",
  options: [
    { flags: "--port <port>", says: "where to serve; 8787 by default, 0 for any free port" },
    { flags: "--no-watch", says: "serve, and do not watch the folder" },
    { flags: "--remote", says: "serve nothing: draft on the server of --profile or --url, whose catalog stays as it is" },
  ],
  examples: ["dev", "dev --port 0 --json", "dev --remote --profile production"],
  async run(context, _, given) {
    const folder = await projectAround(context.world.cwd)
    if (folder === undefined) throw usage("there is no sluice.yaml here or above: sluice init makes a project")
    if (given.flag("remote")) {
      if (given.number("port") !== undefined) throw usage("--port is of a server here; with --remote there is none")
      const { remotely } = await import("../dev/dev-session.ts")
      return remotely(context, folder, given.flag("watch"))
    }
    for (const name of ["url", "key", "profile"])
      if (given.text(name) !== undefined) throw usage(`--${name} says which server to draft on: write sluice dev --remote --${name} …`)
    const port = given.number("port") ?? (await configOf(folder)).port
    if (port !== undefined && port > 65_535) throw usage("--port must be from 0 to 65535")
    // Loading what serves takes a second by itself.
    if (!context.isJson) context.line("starting the server…")
    const { serving } = await import("../dev/dev-session.ts")
    return serving(context, folder, port, given.flag("watch"))
  },
}
