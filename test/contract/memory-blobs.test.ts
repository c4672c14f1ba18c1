import { MemoryBlobs } from "../../src/engine/run/memory-store.ts"
import { blobsContract } from "./blobs.ts"

blobsContract("memory", () => new MemoryBlobs())
