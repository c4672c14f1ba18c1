// The console's build: the same sources give the same bytes, so that what is in console/built can be checked.

import { readFileSync } from "node:fs"
import path from "node:path"
import type { Root } from "postcss"
import { defineConfig } from "vite"
import { fileKeys } from "../web/flow/file-keys.ts"

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  // Behind a dispatcher the console is below /t/NAME: what a script loads later it finds beside itself [N2].
  experimental: { renderBuiltUrl: (_, { hostType }) => (hostType === "js" ? { relative: true } : undefined) },
  plugins: [tables()],
  css: {
    // A class of a module is known by its file: `.run-head_title`. Names of these files are therefore unique, which the check of the build holds.
    modules: { generateScopedName: scoped },
    postcss: {
      plugins: [
        layersFirst(readFileSync(path.join(import.meta.dirname, "app/layers.css"), "utf8")),
        within(path.join(import.meta.dirname, "../web/chat/chat.css"), scoped("talkHost", "chat-page.module.css")),
      ],
    },
  },
  build: {
    outDir: "built",
    emptyOutDir: true,
    target: "es2023",
    // The policy of the page allows files of this host alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Libraries say which of their files are for browsers only; here all are.
    rolldownOptions: { onLog: (level, log, handle) => (log.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : handle(level, log)) },
  },
})

/** The keys of flow and agent files stand between code that no browser needs: they are read here, and go into the build as a table. */
function tables() {
  const name = "virtual:file-keys"
  return {
    name: "file-keys",
    resolveId: (id: string) => (id === name ? `\0${name}` : undefined),
    load: (id: string) => (id === `\0${name}` ? `export const FILE_KEYS = ${JSON.stringify(fileKeys())}` : undefined),
  }
}

function scoped(name: string, file: string): string {
  return `${path.basename(file).replace(/\.module\.css.*$/, "")}_${name}`
}

/** Each file names all layers: the first file that a browser reads fixes their order, and that is not always the one with the base. */
function layersFirst(order: string) {
  const params = /@layer ([^;]+);/.exec(order)?.[1]
  if (params === undefined) throw new Error("app/layers.css names no layers")
  return {
    postcssPlugin: "layers-first",
    Once(root: Root) {
      if (root.source?.input.file?.endsWith(".module.css")) root.prepend({ name: "layer", params })
    },
  }
}

/** Keeps a sheet that is written for a shadow root to one part of the page, at no weight. */
function within(file: string, part: string) {
  return {
    postcssPlugin: "within",
    Once(root: Root) {
      if (root.source?.input.file === file)
        root.walkRules((rule) => void (rule.selectors = rule.selectors.map((one) => `:where(.${part}) ${one}`)))
    },
  }
}
