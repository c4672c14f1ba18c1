// `npm run dev` runs this first: wrangler bundles the Worker itself, and needs the shell's library with its meter in it, and the files for browsers.

import { buildAssets } from "../local/assets.ts"
import { makeShellLibrary } from "../local/shell-library.ts"

await Promise.all([makeShellLibrary(), buildAssets()])
