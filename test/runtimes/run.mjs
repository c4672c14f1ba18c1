// On Node, Bun and Deno: the suite with the package as a project imports it. The server's address and a key are its arguments; prints the results.

import * as sluice from "sluice"
import { contract } from "./contract.mjs"

// Deno has `process` as a module alone.
const { default: process } = await import("node:process")
const [url, key] = process.argv.slice(2)
console.log(JSON.stringify(await contract(sluice, { url, key })))
process.exit(0)
