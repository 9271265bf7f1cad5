/** `npm run worker`: the worker from environment variables alone (docs/variables.md). */
import { layerWorkerHost } from "./TransferHost.ts"
import { run } from "./RunHost.ts"

run("worker", layerWorkerHost)
