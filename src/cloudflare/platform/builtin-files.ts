// Loads the built-in agents, flows and skills with the first catalog of an isolate: 35 KiB (gzip) that no other request needs.

export const builtinFiles = async (): Promise<Readonly<Record<string, string>>> => (await import("./builtins.gen.ts")).BUILTINS
