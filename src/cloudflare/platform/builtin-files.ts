// The product's own agents, flows and skills. The first catalog of an isolate loads them: 35 KiB (gzip) that no other request needs.

export const builtinFiles = async (): Promise<Readonly<Record<string, string>>> => (await import("./builtins.gen.ts")).BUILTINS
