// `npm run build`: src/index.ts → dist/worker.js, one ESM file that workerd runs as it is. Figures are printed.

import { gzipSync } from "node:zlib"
import { readFileSync } from "node:fs"
import { buildWorker } from "../local/build.ts"

const file = await buildWorker()
const bytes = readFileSync(file)
console.log(`${file}: ${(bytes.length / 1024).toFixed(0)} KiB, ${(gzipSync(bytes).length / 1024).toFixed(0)} KiB gzip`)
