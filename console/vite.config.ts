// The console's build: the same sources give the same bytes, so that what is in console/built can be checked.

import { defineConfig } from "vite"

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  // Behind a dispatcher the console is below /t/NAME: what a script loads later it finds beside itself [N2].
  experimental: { renderBuiltUrl: (_, { hostType }) => (hostType === "js" ? { relative: true } : undefined) },
  build: {
    outDir: "built",
    emptyOutDir: true,
    target: "es2023",
    // The policy of the page allows files of this host alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
