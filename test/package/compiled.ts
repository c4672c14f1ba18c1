// Compiles files of a user against the package's own types, strictly, and returns what the compiler says.

import { spawnSync } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const own = (file: string): string[] => [path.join(root, file)]

/** `folder`: below dist, where the package's types find its dependencies. JavaScript is checked too. */
export async function compiledIn(folder: string, files: Readonly<Record<string, string>>, types: readonly string[] = []): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
  const config = {
    extends: "../../tsconfig.json",
    compilerOptions: {
      composite: false,
      incremental: false,
      noEmit: true,
      emitDeclarationOnly: false,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      noUnusedLocals: false,
      isolatedDeclarations: false,
      noPropertyAccessFromIndexSignature: false,
      jsx: "react-jsx",
      allowJs: true,
      checkJs: true,
      lib: ["ES2023", "DOM", "DOM.AsyncIterable"],
      types,
      typeRoots: own("node_modules/@types"),
      paths: {
        sluice: own("package/client.ts"),
        "sluice/react": own("package/react.ts"),
        "sluice/tools": own("package/tools.ts"),
        "sluice/worker": own("package/worker.d.ts"),
        react: own("console/node_modules/@types/react/index.d.ts"),
        "react/jsx-runtime": own("console/node_modules/@types/react/jsx-runtime.d.ts"),
      },
    },
    include: [],
    references: [],
  }
  const whole = { ...config, files: Object.keys(files).filter((file) => /\.[cm]?[jt]sx?$/.test(file)) }
  await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(whole))
  const tsc = path.join(root, "test/ci/node_modules/typescript/bin/tsc")
  const done = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" })
  return done.stdout + done.stderr
}
