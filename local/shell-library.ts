// Makes the shell's library stoppable: bundles just-bash as one module in which every loop, function, await and long native call is
// metered. Needed because the input decides how long the library computes, and one thread serves everyone: only code inside the computation
// can yield the thread (measured: 34 s for one arithmetic expansion). docs/decisions/0011 says why this way. The module exports one
// function, `library(meter)`: an instance of the library with a meter of its own, so that a stopped command never runs on. Its counterpart
// is src/tools/shell/shell-meter.ts.

import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, rename, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "esbuild"
import { metered } from "./shell-metering.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
/** What `#shell-library` means in package.json. */
const LIBRARY = path.join(root, "dist/shell-library.js")

/** Its patterns become native regular expressions, and a hostile one takes exponential time; `ls` uses them and nothing else. */
const ownGlob: Plugin = {
  name: "own-glob",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^minimatch$/ }, () => ({ path: "minimatch", namespace: "own-glob" }))
    onLoad({ filter: /.*/, namespace: "own-glob" }, () => ({
      contents: `import { compileGlob } from "./src/core/text/glob.ts"\nexport const minimatch = (path, glob) => compileGlob(glob.includes("/") ? glob : "/" + glob, "search")(path.replace(/^[/]+/, ""))`,
      resolveDir: root,
      loader: "ts",
    }))
  },
}

/** Builds the module if the library or the build has changed. Several processes may do so at once. */
export async function makeShellLibrary(): Promise<void> {
  const sources = [
    "local/shell-library.ts",
    "local/shell-metering.ts",
    "src/core/text/glob.ts",
    "node_modules/just-bash/dist/bundle/browser.js",
  ]
  const hash = createHash("sha256")
  for (const source of sources) hash.update(readFileSync(path.join(root, source)))
  const mark = `// ${hash.digest("hex")}\n`
  if (existsSync(LIBRARY) && readFileSync(LIBRARY, "utf8").startsWith(mark)) return
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["just-bash/browser"],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["module", "main"],
    external: ["node:*"],
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "inline",
    plugins: [ownGlob],
    logLevel: "silent",
  })
  const text = outputFiles[0]?.text ?? ""
  await mkdir(path.dirname(LIBRARY), { recursive: true })
  const draft = `${LIBRARY}.${process.pid}`
  await writeFile(draft, mark + metered(text))
  await rename(draft, LIBRARY)
}
